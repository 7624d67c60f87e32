"""Workbooks (.xlsx) as CSV text: their first sheet, so that every reader of CSV reads workbooks."""

import csv
import io
import zipfile
from datetime import date, datetime, time

from fairviz.errors import FairvizError, parsing, problem
from fairviz.study.loaders.archive import read_members
from fairviz.study.loaders.kinds import refusal

MOST_MEMBERS = 1_000
MOST_CELLS = 50_000_000
MOST_WIDE = 1_000  # columns
_AS_CSV = "Save the sheet as CSV (UTF-8)."


def is_workbook(data: bytes) -> bool:
    """Return whether these are the bytes of a workbook: a zip with the parts of one."""
    return data.startswith(b"PK\3\4") and b"xl/workbook" in data


def sheet_as_csv(data: bytes, file: str, most_bytes: int) -> tuple[bytes, str]:
    """Return the first sheet of a workbook as CSV, and its name. Formulas are their stored values, and numbers are
    written as the sheet stores them. Raises DataError for a damaged or far too large one, and for entities of XML.
    """
    _check(data, file, most_bytes)
    from openpyxl import load_workbook

    lines, width, cells = [], 0, 0
    with parsing(file, "the file is not a sound workbook", _AS_CSV):
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()
        for row in sheet.iter_rows(values_only=True):
            texts = [_text(value) for value in row]
            while texts and not texts[-1]:
                texts.pop()
            width, cells = max(width, len(texts)), cells + len(texts) + 1
            if len(texts) > MOST_WIDE or cells > MOST_CELLS:
                raise problem(file, f"the sheet holds more than {MOST_WIDE:,} columns or {MOST_CELLS:,} cells", _AS_CSV)
            lines.append(texts)
        book.close()
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(
        [*texts, *[""] * (width - len(texts))] if texts else [] for texts in lines
    )
    return stream.getvalue().encode(), sheet.title


def _check(data: bytes, file: str, most_bytes: int) -> None:
    """Raise DataError for what is no workbook, or one that unpacks out of all proportion or defines entities."""
    if not zipfile.is_zipfile(io.BytesIO(data)) or not is_workbook(data):
        raise refusal(file, data) or problem(file, "the file is not a sound workbook", _AS_CSV)
    try:
        members = read_members(data, most_bytes, MOST_MEMBERS)
    except FairvizError as error:
        raise problem(file, f"the workbook cannot be unpacked ({error.message})", _AS_CSV) from error
    if any(b"<!DOCTYPE" in content or b"<!ENTITY" in content for content in members.values()):
        raise problem(file, "the workbook defines entities of XML, which no workbook needs", _AS_CSV)


def _text(value: object) -> str:
    """Return a cell as text: 10.0 is 10, a date is written as 2024-01-30."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    return value.isoformat() if isinstance(value, (date, time)) else str(value)
