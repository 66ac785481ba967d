"""Normalise request paths, so that every decision is made on the path that the backend will see.

A path is decoded once for deciding, and what is sent on is that path encoded again. What has more than one reading (an
encoded slash or backslash, a control character, bytes that are not UTF-8) is refused rather than interpreted.
"""

import re
from urllib.parse import quote, unquote_to_bytes

MAX_PATH_CHARACTERS = 8192

_AMBIGUOUS = re.compile(r"%(2f|5c|[01][0-9a-f]|7f)", re.IGNORECASE)
_INCOMPLETE_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")


class BadPath(ValueError):
    """A path that cannot be decided on. The message is for the client."""


def normalise(raw: str) -> str:
    """The decoded path with `.`, `..` and empty segments resolved; a trailing slash stays. Raises BadPath.

    `raw` is the request target without its query, as received.
    """
    if not raw.startswith("/"):
        raise BadPath("the path does not start with a slash")
    if len(raw) > MAX_PATH_CHARACTERS:
        raise BadPath(f"the path is longer than {MAX_PATH_CHARACTERS} characters")
    if _INCOMPLETE_ESCAPE.search(raw):
        raise BadPath("the path has an incomplete percent escape")
    if _AMBIGUOUS.search(raw):
        raise BadPath("the path has an encoded slash, backslash or control character")
    try:
        decoded = unquote_to_bytes(raw).decode()
    except UnicodeDecodeError as error:
        raise BadPath("the path is not UTF-8") from error
    if _CONTROL.search(decoded):
        raise BadPath("the path has a backslash or a control character")
    return _resolved(decoded)


def _resolved(path: str) -> str:
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if segments:
                segments.pop()
        elif segment not in ("", "."):
            segments.append(segment)
    ends_in_folder = path.endswith(("/", "/.", "/.."))
    return "/" + "/".join(segments) + ("/" if ends_in_folder and segments else "")


def encoded(path: str) -> str:
    """A normalised path as a request target; `normalise` gives the same path again."""
    return quote(path, safe="/!$&'()*+,;=:@-._~")


def is_below(path: str, prefix: str) -> bool:
    """Whether a normalised path is the prefix itself or a path within it."""
    folder = prefix.rstrip("/")
    return path == folder or path.startswith(f"{folder}/")
