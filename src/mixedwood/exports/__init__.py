"""Fitted models as files that run without the library."""

from mixedwood.exports.describe import ExportError
from mixedwood.exports.export import FORMATS, export

__all__ = ["FORMATS", "ExportError", "export"]
