"""Fitted models in files that contain data only: loading one never executes code.

A file is a zip archive of one JSON document and plain arrays. Later versions of the library read it
and make the same predictions.
"""

from mixedwood.saving.container import ModelFileError
from mixedwood.saving.reader import ModelFile, load_model, read_model
from mixedwood.saving.writer import save_model

__all__ = ["ModelFile", "ModelFileError", "load_model", "read_model", "save_model"]
