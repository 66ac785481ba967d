"""The gateway's audit log: one JSON line for each sign-in, sign-out, refusal and change of credentials."""

import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from logging.handlers import RotatingFileHandler
from pathlib import Path

from windlass.kube.log_format import escaped_json

LARGEST, BACKUPS = 10 << 20, 5
LONGEST_VALUE = 500
REPEAT_INTERVAL = timedelta(minutes=1)
MAX_REPEATED = 10_000

log = logging.getLogger(__name__)


class AuditLog:
    """Appends to a file of the owner alone. A full disk costs lines, never a request."""

    def __init__(self, path: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._is_failing = False
        self._handler: RotatingFileHandler | None = None
        self._repeated: OrderedDict[str, tuple[datetime, int]] = OrderedDict()
        """By event and its cause: when it was last recorded, and how often it happened since."""
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._handler = RotatingFileHandler(path, maxBytes=LARGEST, backupCount=BACKUPS, encoding="utf-8")
            self._handler.handleError = self._failed
        except OSError as error:
            log.warning("no audit log: %s", error)

    def record(self, event: str, **facts: str) -> None:
        """`event` such as `login` or `login.failed`; never pass a secret."""
        cut = {name: value[:LONGEST_VALUE] for name, value in facts.items() if value}
        line = json.dumps({"time": self._now().isoformat(timespec="milliseconds"), "event": event, **cut})
        line = escaped_json(line.encode()).decode()
        if self._handler is not None:
            self._handler.handle(logging.LogRecord("audit", logging.INFO, "", 0, line, None, None))

    def record_once(self, event: str, cause: str, **facts: str) -> None:
        """Record an event at most once a minute for each cause, with the number of those left out since.

        For what costs a stranger nothing: the log keeps its newest lines, and a flood would wash others out of it.
        """
        key, now = f"{event} {cause[:LONGEST_VALUE]}", self._now()
        last, left_out = self._repeated.pop(key, (None, 0))
        if last is not None and timedelta(0) <= now - last < REPEAT_INTERVAL:
            self._repeated[key] = (last, left_out + 1)
            return
        self._repeated[key] = (now, 0)
        while len(self._repeated) > MAX_REPEATED:
            self._repeated.popitem(last=False)
        self.record(event, **facts, repeats=str(left_out or ""))

    def close(self) -> None:
        if self._handler is not None:
            self._handler.close()

    def _failed(self, record: logging.LogRecord) -> None:
        if not self._is_failing:
            self._is_failing = True
            log.warning("the audit log cannot be written; lines are lost until it can")
