"""list: many objects at one revision, complete or in pages.

All pages of a list have the same revision: the continue token contains it, and the store reads from its log as long as
that revision is not compacted (then 410 `Expired`, with a token to continue from the newest state).
"""

import base64
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Answer
from windlass.apiserver.store import Compacted, Row
from windlass.apiserver.verbs.answers import list_answer
from windlass.apiserver.verbs.get import fetch
from windlass.apiserver.verbs.selection import Selection, selection
from windlass.kube.errors import BadRequest, Cause, Expired, Invalid, Timeout, forbidden, not_supported
from windlass.kube.json import Object, encode, parse

_PAGE_SCAN = 500  # rows looked at in one go when a selector leaves few of them


@dataclass(frozen=True, slots=True)
class ContinueToken:
    """The start of the next page, and the revision of all pages."""

    revision: int
    after: tuple[str, str]

    def encode(self) -> str:
        start = f"{self.after[0]}/{self.after[1]}\0"
        raw = encode({"v": "meta.k8s.io/v1", "rv": self.revision, "start": start})
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    @classmethod
    def decode(cls, token: str) -> "ContinueToken":
        try:
            raw = parse(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
            namespace, name = raw["start"].rstrip("\0").split("/", 1)
            return cls(int(raw["rv"]), (namespace, name))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadRequest(f"continue key is not valid: {error}") from error


def list_objects(api: Api, call: Call) -> Answer | Coroutine[Any, Any, Answer]:
    chosen = selection(call)
    limit = max(call.number("limit") or 0, 0)
    token = call.query.get("continue")
    check_version_match(call, watching=False)
    if token:
        if call.query.get("resourceVersion", "0") not in ("", "0"):
            raise BadRequest("specifying resource version is not allowed when using continue")
        return _page(api, call, chosen, ContinueToken.decode(token), limit)
    exact = _exact_revision(api, call, limit)
    if exact is not None and exact != api.store.revision:
        return _page(api, call, chosen, ContinueToken(exact, ("", "")), limit)
    rows = select(api, chosen)
    revision = api.store.revision
    metadata: Object = {"resourceVersion": str(revision)}
    if limit and len(rows) > limit:
        _mark_more(metadata, chosen, revision, rows[limit - 1], len(rows) - limit)
        rows = rows[:limit]
    return _answer(call, rows, metadata)


def _answer(call: Call, rows: Sequence[Row], metadata: Object) -> Answer | Coroutine[Any, Any, Answer]:
    return list_answer(call, rows, metadata) if call.resource.conversion is None else _fetched(call, rows, metadata)


async def _fetched(call: Call, rows: Sequence[Row], metadata: Object) -> Answer:
    await fetch(call, *rows)
    return list_answer(call, rows, metadata)


def select(api: Api, chosen: Selection) -> Sequence[Row]:
    """Return the selected durable rows, in order."""
    key = chosen.resource.store_key
    if chosen.name is not None and (chosen.namespace is not None or not chosen.resource.namespaced):
        row = api.store.get((key, chosen.namespace or "", chosen.name))
        return [row] if row is not None and chosen.matches(row) else []
    rows = api.store.rows(key, chosen.namespace)
    if chosen.everything:
        return rows
    matches = chosen.matches
    return [row for row in rows if matches(row)]


def _page(
    api: Api, call: Call, chosen: Selection, token: ContinueToken, limit: int
) -> Answer | Coroutine[Any, Any, Answer]:
    resource = chosen.resource
    found: list[Row] = []
    after: tuple[str, str] | None = token.after if token.after[1] else None
    more = True
    while more and (not limit or len(found) <= limit):
        wanted = limit + 1 if limit and chosen.everything else _PAGE_SCAN
        try:
            rows = api.store.rows_at(resource.store_key, chosen.namespace, token.revision, after, wanted)
        except Compacted as error:
            raise _too_old(api, token, after) from error
        found += rows if chosen.everything else [row for row in rows if chosen.matches(row)]
        more = len(rows) == wanted
        if rows:
            after = (rows[-1].key[1], rows[-1].key[2])
    metadata: Object = {"resourceVersion": str(token.revision)}
    if limit and len(found) > limit:
        last = found[limit - 1]
        _mark_more(metadata, chosen, token.revision, last, _left_after(api, chosen, token.revision, last))
        found = found[:limit]
    return _answer(call, found, metadata)


def _left_after(api: Api, chosen: Selection, revision: int, last: Row) -> int | None:
    """The number of rows after `last`; not counted with a selector."""
    if not chosen.everything:
        return None
    after = (last.key[1], last.key[2])
    return api.store.count_at(chosen.resource.store_key, chosen.namespace, revision, after)


def _mark_more(metadata: Object, chosen: Selection, revision: int, last: Row, remaining: int | None) -> None:
    metadata["continue"] = ContinueToken(revision, (last.key[1], last.key[2])).encode()
    if remaining is not None and chosen.everything:
        metadata["remainingItemCount"] = remaining


def _too_old(api: Api, token: ContinueToken, after: tuple[str, str] | None) -> Expired:
    error = Expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list."
    )
    status = error.status()
    if after is not None:
        status["metadata"] = {"continue": ContinueToken(api.store.revision, after).encode()}
        return Expired(error.message, status=status)
    return Expired(f"The provided resource version is too old: {token.revision}")


def _exact_revision(api: Api, call: Call, limit: int) -> int | None:
    """The exact revision of the list, if the client requests one; a future revision is refused."""
    version = requested_version(call)
    if not version:
        return None
    check_not_future(api, version)
    match = call.query.get("resourceVersionMatch") or None
    if match == "Exact" or (match is None and limit):
        return version
    return None


def requested_version(call: Call) -> int | None:
    """The client's resourceVersion: None for "most recent", 0 for "any"."""
    raw = call.query.get("resourceVersion", "")
    if not raw:
        return None
    if not raw.isascii() or not raw.isdigit() or len(raw) > 18:
        causes = [
            Cause("resourceVersion", f'Invalid value: "{raw}": strconv.ParseUint: parsing "{raw}": invalid syntax')
        ]
        raise Invalid.of("ListOptions", "meta.k8s.io", "", causes)
    return int(raw)


def check_not_future(api: Api, version: int) -> None:
    if version > api.store.revision:
        raise Timeout(
            f"Too large resource version: {version}, current: {api.store.revision}",
            causes=[Cause("", "Too large resource version", "ResourceVersionTooLarge")],
            retry_after=1,
        )


def check_version_match(call: Call, *, watching: bool) -> None:
    """Check Kubernetes' rules for resourceVersionMatch and sendInitialEvents."""
    match, version = call.query.get("resourceVersionMatch") or None, call.query.get("resourceVersion", "")
    initial = "sendInitialEvents" in call.query
    causes: list[Cause] = []
    if initial and not watching:
        causes.append(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    elif initial and match != "NotOlderThan":
        why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        causes.append(forbidden("resourceVersionMatch", why))
    elif match is not None and watching and not initial:
        why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        causes.append(forbidden("resourceVersionMatch", why))
    elif match is not None and not watching:
        if not version:
            why = "resourceVersionMatch is forbidden unless resourceVersion is provided"
            causes.append(forbidden("resourceVersionMatch", why))
        elif call.query.get("continue"):
            causes.append(
                forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")
            )
        elif match not in ("Exact", "NotOlderThan"):
            causes.append(not_supported("resourceVersionMatch", match, ("Exact", "NotOlderThan")))
        elif match == "Exact" and version == "0":
            why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
            causes.append(forbidden("resourceVersionMatch", why))
    if causes:
        raise Invalid.of("ListOptions", "meta.k8s.io", "", causes)
