"""Tables in files: CSV and Parquet, with types inferred or as a model has learned them.

A CSV file is read as text. A column whose cells are all plain numbers is numeric, any other is
nominal: `007` and `1_000` are labels, not numbers. Which cells are missing is a short written list.
"""

from mixedwood.files.reading import MISSING_MARKS, FileError, read_columns
from mixedwood.files.tables import FileTable, NewRows, parse_each, read_file, read_file_as
from mixedwood.files.writing import csv_text, table_bytes, write_bytes, write_text

__all__ = [
    "MISSING_MARKS",
    "FileError",
    "FileTable",
    "NewRows",
    "csv_text",
    "parse_each",
    "read_columns",
    "read_file",
    "read_file_as",
    "table_bytes",
    "write_bytes",
    "write_text",
]
