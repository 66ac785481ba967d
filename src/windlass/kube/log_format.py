"""The format of every process's log: one line for each record, whatever text of users is in it.

    2026-01-02 03:04:05,678 WARNING windlass.gateway: sign-in refused name=a\\nb
    2026-01-02 03:04:06,789 ERROR   windlass.gateway: request failed
        Traceback (most recent call last):
          …

A control character is shown as Python writes it, so that nobody forges a line or commands the terminal of a reader.
The lines of a traceback are indented: the message of an exception may have line breaks, too.
"""

import logging
import re

FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
INDENT = "    "

_UNSAFE = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""Controls but tab and line feed, separators of lines, marks that reverse text, and halves of pairs."""
_UNSAFE_IN_JSON = re.compile(b"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]")
_UNSAFE_IN_LINE = re.compile(f"[\t\n{_UNSAFE}]")
_UNSAFE_IN_TRACEBACK = re.compile(f"[{_UNSAFE}]")


class LineFormatter(logging.Formatter):
    """Formats a record as one line, and its traceback as indented ones."""

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def formatMessage(self, record: logging.LogRecord) -> str:
        return escaped(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        first, *rest = super().format(record).split("\n")
        return "\n".join([first, *(f"{INDENT}{_UNSAFE_IN_TRACEBACK.sub(_escape, line)}" for line in rest)])


def escaped(text: str) -> str:
    """Text that stays on its line and has no control characters. Pure."""
    return _UNSAFE_IN_LINE.sub(_escape, text)


def escaped_json(line: bytes) -> bytes:
    """JSON whose texts have no controls either: its encoders escape only those below U+0020. Pure."""
    return _UNSAFE_IN_JSON.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), line)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def set_up_logging(level: int) -> None:
    """Log to standard error in this format."""
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=level, handlers=[handler])
