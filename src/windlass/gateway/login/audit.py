"""The gateway's audit log: one JSON line for each sign-in, sign-out, refusal and change of credentials."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

LARGEST, BACKUPS = 10 << 20, 5
LONGEST_VALUE = 500

log = logging.getLogger(__name__)


class AuditLog:
    """Appends to a file of the owner alone. A full disk costs lines, never a request."""

    def __init__(self, path: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._is_failing = False
        self._handler: RotatingFileHandler | None = None
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
        if self._handler is not None:
            self._handler.handle(logging.LogRecord("audit", logging.INFO, "", 0, line, None, None))

    def close(self) -> None:
        if self._handler is not None:
            self._handler.close()

    def _failed(self, record: logging.LogRecord) -> None:
        if not self._is_failing:
            self._is_failing = True
            log.warning("the audit log cannot be written; lines are lost until it can")
