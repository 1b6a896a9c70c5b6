"""Fitted models as files that run without the library."""

from mixedwood.exports.describe import ExportError
from mixedwood.exports.export import FORMATS, Format, export, find_format
from mixedwood.exports.to_treelite import encode_rows

__all__ = ["FORMATS", "ExportError", "Format", "encode_rows", "export", "find_format"]
