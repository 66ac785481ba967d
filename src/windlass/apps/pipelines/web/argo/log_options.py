"""Which log lines a request of Argo's clients asks for. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.formats.patterns import BadPattern, matches
from windlass.kube.errors import BadRequest
from windlass.kube.json import timestamp
from windlass.kube.selector import parse_labels

MAIN = "main"
PREFIX = "logOptions."
SUPPORTED = ("container", "follow", "tailLines", "timestamps", "sinceSeconds", "insecureSkipTLSVerifyBackend")
MAX_NUMBER_LENGTH = 9


@dataclass(frozen=True, kw_only=True)
class LogOptions:
    pod: str = ""
    """The only pod whose log is read; empty for all of the Workflow."""
    selector: str = ""
    container: str = MAIN
    is_followed: bool = False
    tail: int | None = None
    has_timestamps: bool = False
    since: str = ""
    """The time of the first line."""
    pattern: str = ""
    """A regular expression that lines match."""

    def has(self, line: str) -> bool:
        return not self.pattern or matches(self.pattern, line)


def log_options(query: Mapping[str, str], pod: str, now: datetime) -> LogOptions:
    """Read the query of a request; `pod` is that of its path. Raises BadRequest that names the parameter."""
    for name in query:
        if name.startswith(PREFIX) and query[name] and name.removeprefix(PREFIX) not in SUPPORTED:
            raise BadRequest(f"{name}: is not supported: {', '.join(SUPPORTED)} are")
    seconds, pattern = _number(query, "sinceSeconds"), query.get("grep", "")
    try:
        _ = pattern and matches(pattern, "")
    except BadPattern as error:
        raise BadRequest(f"grep: {error}") from None
    checked_selector(query.get("selector", ""), "selector", parse_labels)
    return LogOptions(
        pod=pod or query.get("podName", ""),
        selector=query.get("selector", ""),
        container=query.get(f"{PREFIX}container") or MAIN,
        is_followed=_flag(query, "follow"),
        tail=_number(query, "tailLines"),
        has_timestamps=_flag(query, "timestamps"),
        since="" if seconds is None else timestamp(now - timedelta(seconds=seconds)),
        pattern=pattern,
    )


def _flag(query: Mapping[str, str], name: str) -> bool:
    text = query.get(f"{PREFIX}{name}", "").lower()
    if text not in ("", "true", "false"):
        raise BadRequest(f"{PREFIX}{name}: {text!r} is not true or false")
    return text == "true"


def _number(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(f"{PREFIX}{name}", "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_NUMBER_LENGTH):
        raise BadRequest(f"{PREFIX}{name}: {text!r} is not a number")
    return int(text)


def checked_selector(text: str, name: str, parse: Callable[[str], object]) -> str:
    """The text of a selector. Raises BadRequest that names the parameter."""
    try:
        parse(text)
    except ValueError as error:
        raise BadRequest(f"{name}: {error}") from None
    return text
