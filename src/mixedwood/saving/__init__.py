"""Fitted models in files that hold data only: no code is run when one is read.

A file is a zip archive of one JSON document and plain arrays. It can be sent to others and kept for
years: a later version of the library reads it and answers the same.
"""

from mixedwood.saving.container import ModelFileError
from mixedwood.saving.reading import ModelFile, load_model, read_model
from mixedwood.saving.writing import save_model

__all__ = ["ModelFile", "ModelFileError", "load_model", "read_model", "save_model"]
