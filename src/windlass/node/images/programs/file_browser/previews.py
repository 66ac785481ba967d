"""What the page shows of a file: text, the rows of a table, the cells of a notebook. Nothing of it is executed."""

from __future__ import annotations

import csv
import io
import json
import os
from typing import Any, cast

MAX_TEXT = 512 << 10
MAX_NOTEBOOK = 16 << 20
MAX_ROWS, MAX_COLUMNS = 500, 60
IMAGES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": "image/svg+xml",
}


def extension(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def preview(opened: int, name: str) -> dict[str, Any]:
    """Return a preview of an open file."""
    size, kind = os.fstat(opened).st_size, extension(name)
    if kind in IMAGES:
        return {"kind": "image"}
    if kind == "ipynb" and size <= MAX_NOTEBOOK:
        cells = notebook_cells(os.pread(opened, size, 0))
        if cells is not None:
            return {"kind": "notebook", "cells": cells}
    data = os.pread(opened, MAX_TEXT, 0)
    if b"\0" in data[:8192]:
        return {"kind": "binary"}
    text = data.decode(errors="replace")
    if kind in ("csv", "tsv"):
        return {"kind": "table", **table(text, "\t" if kind == "tsv" else ","), "truncated": size > len(data)}
    return {"kind": "text", "text": text, "truncated": size > len(data)}


def table(text: str, delimiter: str) -> dict[str, Any]:
    """Return the first rows of a CSV file."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            rows.append([cell[:1000] for cell in row[:MAX_COLUMNS]])
            if len(rows) > MAX_ROWS:
                break
    except csv.Error:
        pass  # what was read so far
    return {"rows": rows}


def notebook_cells(data: bytes) -> list[dict[str, Any]] | None:
    """Return a notebook's cells with the text and the images of their outputs; None if it is not a notebook."""
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    cells = _list(_get(found, "cells"))
    if not isinstance(found, dict) or (not cells and "cells" not in found):
        return None
    return [
        {
            "type": str(_get(cell, "cell_type") or "raw"),
            "source": _text(_get(cell, "source")),
            "outputs": [shown for output in _list(_get(cell, "outputs")) if (shown := _output(output))],
        }
        for cell in cells
    ]


def _output(output: Any) -> dict[str, str] | None:
    if _get(output, "output_type") == "stream":
        return {"type": "text", "text": _text(_get(output, "text"))}
    if _get(output, "output_type") == "error":
        return {"type": "error", "text": f"{_get(output, 'ename')}: {_get(output, 'evalue')}"}
    data = _get(output, "data")
    for kind in ("image/png", "image/jpeg"):
        image = _text(_get(data, kind)).replace("\n", "")
        if image and all(letter.isalnum() or letter in "+/=" for letter in image):
            return {"type": "image", "url": f"data:{kind};base64,{image}"}
    text = _text(_get(data, "text/plain"))
    return {"type": "text", "text": text} if text else None


def _get(value: Any, key: str) -> Any:
    return cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(str(line) for line in cast("list[Any]", value))
    return value if isinstance(value, str) else ""
