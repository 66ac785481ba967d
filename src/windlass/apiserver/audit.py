"""The audit log: the author, request and outcome of each request, one JSON line each (`--audit-log-path`).

The server calls `verdict` before a request, to know whether to keep the bodies, and `record` after it. `record` only
queues the entry: a thread decodes, redacts, writes and rotates. If the disk cannot keep up, entries are dropped and
counted; requests never wait. Values of Secrets and bearer tokens are never written, whatever the policy says.
"""

import logging
import os
import sys
import threading
from collections import deque
from datetime import UTC, datetime
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import msgspec

from windlass.apis.wellknown import LAST_APPLIED_ANNOTATION
from windlass.apiserver.auth.attributes import Attributes, Decision
from windlass.apiserver.auth.audit_policy import LEVEL_NAMES, Level, Policy, Verdict
from windlass.apiserver.auth.user import User
from windlass.kube.json import Json, Object, decode, dig, encode, is_list, is_object, micro_timestamp
from windlass.kube.log_format import escaped_json

log = logging.getLogger(__name__)

REDACTED = "[redacted]"
QUEUE_LIMIT = 10_000
_SECRET_PARAMETERS = ("token", "access_token", "id_token", "authorization")


class Entry(msgspec.Struct, kw_only=True):
    """One stage of a request, with bodies as they were on the wire."""

    audit_id: str
    uri: str
    user: User
    attributes: Attributes
    version: str = ""
    impersonated: User | None = None
    source_ips: tuple[str, ...] = ()
    user_agent: str = ""
    decision: Decision | None = None
    stage: str = "ResponseComplete"
    code: int = 0
    received: datetime
    request_body: bytes = b""
    response_body: bytes = b""
    annotations: dict[str, str] = {}


class AuditLog:
    """Writes entries to a file that is rotated by size; `-` is standard output, which is not rotated."""

    def __init__(self, path: str, policy: Policy, *, max_bytes: int = 100 << 20, backups: int = 10) -> None:
        self.dropped = 0
        self._policy = policy
        self._path = None if path == "-" else Path(path)
        self._max_bytes, self._backups = max_bytes, backups
        self._file: IO[bytes] = self._open()
        self._waiting: deque[tuple[Entry, Verdict]] = deque()
        self._wake = threading.Event()
        self._closed = False
        self._failing = False
        self._thread = threading.Thread(target=self._run, name="audit", daemon=True)
        self._thread.start()

    def verdict(self, user: User, attributes: Attributes) -> Verdict:
        return self._policy.verdict(user, attributes)

    def record(self, entry: Entry, verdict: Verdict) -> None:
        """Queue an entry. Takes a microsecond and never blocks."""
        if verdict.level is Level.NONE or entry.stage in verdict.omit_stages:
            return
        if len(self._waiting) >= QUEUE_LIMIT:
            self.dropped += 1
            return
        self._waiting.append((entry, verdict))
        self._wake.set()

    def close(self) -> None:
        """Write all queued entries, then stop."""
        self._closed = True
        self._wake.set()
        self._thread.join()
        if self._path is not None:
            self._file.close()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            lines = [self._line(*self._waiting.popleft()) for _ in range(len(self._waiting))]
            if lines:
                self._write(lines)
            elif self._closed:
                return
            if self._closed:
                self._wake.set()

    def _line(self, entry: Entry, verdict: Verdict) -> bytes:
        return escaped_json(encode(event_of(entry, verdict))) + b"\n"

    def _write(self, lines: list[bytes]) -> None:
        try:
            for line in lines:
                if self._path is not None and self._file.tell() + len(line) > self._max_bytes and self._file.tell():
                    self._rotate(self._path)
                self._file.write(line)
            self._file.flush()
            self._failing = False
        except OSError as error:
            self.dropped += len(lines)
            if not self._failing:
                log.warning("the audit log cannot be written: %s", error)
            self._failing = True

    def _open(self) -> IO[bytes]:
        if self._path is None:
            return sys.stdout.buffer
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")

    def _rotate(self, path: Path) -> None:
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S.%f")
        path.rename(path.with_name(f"{path.stem}-{moment}{path.suffix}"))
        full, self._file = self._file, self._open()
        full.close()
        kept = sorted(path.parent.glob(f"{path.stem}-*{path.suffix}"))
        for old in kept[: max(0, len(kept) - self._backups)]:
            old.unlink(missing_ok=True)


def event_of(entry: Entry, verdict: Verdict) -> Object:
    """Build the `audit.k8s.io/v1` Event of an entry."""
    event: Object = {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": LEVEL_NAMES[verdict.level],
        "auditID": entry.audit_id,
        "stage": entry.stage,
        "requestURI": safe_uri(entry.uri),
        "verb": entry.attributes.verb,
        "user": entry.user.info(),
    }
    if entry.impersonated is not None:
        event["impersonatedUser"] = entry.impersonated.info()
    event["sourceIPs"] = list(entry.source_ips)
    if entry.user_agent:
        event["userAgent"] = entry.user_agent
    if entry.attributes.resource:
        event["objectRef"] = _object_ref(entry)
    if entry.code:
        event["responseStatus"] = {"metadata": {}, "code": entry.code}
    if verdict.level >= Level.REQUEST and entry.request_body:
        event["requestObject"] = _body(entry.request_body, entry.attributes, verdict)
    if verdict.level >= Level.REQUEST_RESPONSE and entry.response_body:
        event["responseObject"] = _body(entry.response_body, entry.attributes, verdict)
    event["requestReceivedTimestamp"] = micro_timestamp(entry.received)
    event["stageTimestamp"] = micro_timestamp()
    if entry.annotations:
        event["annotations"] = dict(entry.annotations)
    if entry.decision is not None:
        event["annotations"] = {
            **entry.annotations,
            "authorization.k8s.io/decision": "allow" if entry.decision.allowed else "forbid",
            "authorization.k8s.io/reason": entry.decision.reason,
        }
    return event


def safe_uri(uri: str) -> str:
    """The request URI without the values of parameters that may hold a credential."""
    parts = urlsplit(uri)
    if not parts.query:
        return uri
    pairs = [pair.partition("=") for pair in parts.query.split("&")]
    shown = [
        f"{key}={REDACTED}" if key.lower() in _SECRET_PARAMETERS else key + sep + value for key, sep, value in pairs
    ]
    return parts._replace(query="&".join(shown)).geturl()


def _object_ref(entry: Entry) -> Object:
    asked = entry.attributes
    fields = {
        "resource": asked.resource,
        "namespace": asked.namespace,
        "name": asked.name,
        "apiGroup": asked.group,
        "apiVersion": entry.version,
        "subresource": asked.subresource,
    }
    return {key: value for key, value in fields.items() if value}


def _body(raw: bytes, asked: Attributes, verdict: Verdict) -> Json:
    try:
        return redacted(decode(raw), asked, omit_managed_fields=verdict.omit_managed_fields)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # YAML, a stream of events, or no JSON at all: nothing can be said about what is a secret in it.
        return {"omitted": "not one JSON document", "bytes": len(raw)}


def redacted(document: Json, asked: Attributes, *, omit_managed_fields: bool = False) -> Json:
    """Return `document` without secret values: of Secrets, of token requests and reviews, and of patches to them."""
    if is_list(document):
        if asked.resource != "secrets":
            return document
        return [{**op, "value": REDACTED} if is_object(op) and "value" in op else op for op in document]
    if not is_object(document):
        return document
    found = dict(document)
    for field in ("items", "rows"):
        if is_list(found.get(field)):
            found[field] = [redacted(item, asked, omit_managed_fields=omit_managed_fields) for item in found[field]]
    if is_object(found.get("object")):  # a row of a Table, or the event of a watch
        found["object"] = redacted(found["object"], asked, omit_managed_fields=omit_managed_fields)
    if _is_secret(found, asked):
        _hide_secret(found)
    if asked.subresource == "token" or asked.resource == "tokenreviews" or found.get("kind") in _TOKEN_KINDS:
        _hide_token(found)
    meta = found.get("metadata")
    if omit_managed_fields and is_object(meta) and "managedFields" in meta:
        found["metadata"] = {key: value for key, value in meta.items() if key != "managedFields"}
    return found


_TOKEN_KINDS = ("TokenRequest", "TokenReview")


def _is_secret(document: Object, asked: Attributes) -> bool:
    """Whether the document holds secret values. A patch of a Secret has no kind, so the URL counts as well."""
    kind = document.get("kind")
    return kind == "Secret" or (asked.resource == "secrets" and kind not in ("Status", "SecretList", "Table"))


def _hide_secret(secret: Object) -> None:
    for field in ("data", "stringData"):
        values = secret.get(field)
        if is_object(values):
            secret[field] = dict.fromkeys(values, REDACTED)
        elif values is not None:
            secret[field] = REDACTED
    if dig(secret, "metadata", "annotations", LAST_APPLIED_ANNOTATION) is not None:
        meta = secret["metadata"]
        secret["metadata"] = {**meta, "annotations": {**meta["annotations"], LAST_APPLIED_ANNOTATION: REDACTED}}


def _hide_token(document: Object) -> None:
    for part in ("spec", "status"):
        holder = document.get(part)
        if is_object(holder) and "token" in holder:
            document[part] = {**holder, "token": REDACTED}
