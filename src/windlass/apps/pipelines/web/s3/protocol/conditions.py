"""Conditions and ranges of requests for an object. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


@dataclass(frozen=True)
class ByteRange:
    """Bytes `start` to `end`, of which `end` is not included."""

    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


def range_of(header: str, size: int) -> ByteRange | None:
    """Return the bytes that a header Range asks for; None for the whole object, also if the header is not valid.

    Raises S3Error InvalidRange where the object has none of them.
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None or match[0] == "bytes=-":
        return None
    first, last = match[1], match[2]
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if start >= size or start >= end:
        raise S3Error("InvalidRange", "The requested range is not satisfiable.", {"Content-Range": f"bytes */{size}"})
    return ByteRange(start, end)


def check_conditions(header: Callable[[str], str], etag: str, modified: float, *, prefix: str = "") -> bool:
    """Whether to answer with the object, and not with 304. Raises S3Error PreconditionFailed.

    `prefix` is that of the headers about the source of a copy, for which there is no 304.
    """
    modified = int(modified)
    match, none_match = header(f"{prefix}if-match"), header(f"{prefix}if-none-match")
    if match:
        if not is_listed(etag, match):
            raise precondition_failed("If-Match")
    elif (until := _time(header(f"{prefix}if-unmodified-since"))) is not None and modified > until:
        raise precondition_failed("If-Unmodified-Since")
    since = _time(header(f"{prefix}if-modified-since"))
    is_unchanged = is_listed(etag, none_match) if none_match else since is not None and modified <= since
    if is_unchanged and prefix:
        raise precondition_failed("If-None-Match or If-Modified-Since")
    return not is_unchanged


def check_write(header: Callable[[str], str], current_etag: str | None) -> None:
    """Check the conditions of a write against the present object, if there is one. Raises S3Error."""
    match, none_match = header("if-match"), header("if-none-match")
    if none_match and current_etag is not None and is_listed(current_etag, none_match):
        raise precondition_failed("If-None-Match")
    if match and current_etag is None:
        raise S3Error("NoSuchKey", "The specified key does not exist.")
    if match and current_etag is not None and not is_listed(current_etag, match):
        raise precondition_failed("If-Match")


def is_listed(etag: str, header: str) -> bool:
    names = [name.strip().removeprefix("W/").strip('"') for name in header.split(",")]
    return "*" in names or etag in names


def precondition_failed(condition: str) -> S3Error:
    return S3Error("PreconditionFailed", f"The condition {condition} does not hold.")


def _time(header: str) -> float | None:
    """Return seconds since 1970; None for what is not a time, which is ignored, as in HTTP."""
    try:
        return parsedate_to_datetime(header).timestamp() if header else None
    except (ValueError, OverflowError):
        return None
