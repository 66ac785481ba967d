"""The built dashboard: where its files are, and which of a file's encodings a browser gets."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

PACKAGED = Path(__file__).with_name("built")
"""Where a wheel has them."""
CHECKOUT = Path(__file__).parents[4] / "ui"
ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
"""In the order of preference; `.br` and `.gz` beside a file are made by the build."""
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")


@dataclass(frozen=True, slots=True)
class StaticFile:
    body: bytes
    content_type: str
    encoding: str
    """Empty for the file as it is."""

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'


def built_folder() -> Path:
    """In a source checkout what `make ui-build` makes, else what the wheel brings."""
    return CHECKOUT / "dist" if (CHECKOUT / "package.json").is_file() else PACKAGED


def read(folder: Path, name: str, accept_encoding: str) -> StaticFile | None:
    """A file below the folder, in the best encoding that is there and accepted; None where there is no such file."""
    if _NAME.fullmatch(name) is None or (content_type := CONTENT_TYPES.get(Path(name).suffix)) is None:
        return None
    for encoding, suffix in (*ENCODINGS, ("", "")):
        if encoding and not accepts(accept_encoding, encoding):
            continue
        try:
            return StaticFile((folder / f"{name}{suffix}").read_bytes(), content_type, encoding)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            continue
    return None


def accepts(header: str, encoding: str) -> bool:
    """Whether an Accept-Encoding header admits an encoding: named, or by `*`, and not with a weight of zero."""
    weights: dict[str, float] = {}
    for part in header.lower().split(","):
        name, _, parameter = part.partition(";")
        weights[name.strip()] = _weight(parameter)
    return weights.get(encoding, weights.get("*", 0.0)) > 0


def _weight(parameter: str) -> float:
    key, _, value = parameter.partition("=")
    if key.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
