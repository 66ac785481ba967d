"""Binding of all pods of a gang in one transaction: POST of a GangBinding to the namespace.

Each pod goes through the same steps as with a Binding of its own: authorization, admission, checks, managed fields. The
results are passed to the store without an await in between, and so become durable together or not at all.
"""

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from windlass.apiserver.api import Api
from windlass.apiserver.auth.attributes import Attributes, forbidden_error
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.store import Row
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.answers import plain_answer
from windlass.apiserver.verbs.bodies import read_object
from windlass.apiserver.verbs.subresources.admitted import admit
from windlass.apiserver.verbs.subresources.binding import binding_call, bound
from windlass.apiserver.verbs.update import TRIES, Change, changed
from windlass.kube.errors import ApiError, Cause, Conflict, Invalid, duplicate, invalid, required
from windlass.kube.json import Object, dig_list, dig_object

AT_ONCE = 32
"""Number of pods that are processed before other requests get a turn."""

SHOWN = 3
"""Number of reasons in the message; the details have all."""


class _Member(NamedTuple):
    position: int
    call: Call
    change: Change


class _Prepared(NamedTuple):
    row: Row
    pod: Object


async def bind_gang(api: Api, call: Call) -> Response:
    body = read_object(call)
    _name(call, body)
    _check_entries(call, dig_list(body, "bindings"))
    body = await admit(api, call, body, call.resource.api_version, call.resource.kind)
    entries: list[Object] = dig_list(body, "bindings")
    _check_entries(call, entries)
    _authorize(api, call, [entry["metadata"]["name"] for entry in entries])
    members = await _members(api, call, entries)
    prepared = await _prepare(api, call, members)
    if not call.dry_run:
        await _commit(api, members, prepared)
    for member in members:
        pod = prepared[member.position].pod
        entries[member.position]["metadata"]["resourceVersion"] = pod["metadata"]["resourceVersion"]
    return plain_answer(call, body, 201)


def _name(call: Call, body: Object) -> None:
    metadata = write.metadata_of(body)
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = write.generate_name(str(metadata["generateName"]))
    metadata["namespace"] = call.path.namespace


def _check_entries(call: Call, entries: list[Object]) -> None:
    """Check that each entry names one pod of this namespace, without duplicates."""
    causes: list[Cause] = [] if entries else [required("bindings", "must name at least one pod")]
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        field, metadata = f"bindings[{index}].metadata", dig_object(entry, "metadata")
        name, namespace = metadata.get("name"), metadata.get("namespace")
        if not name:
            causes.append(required(f"{field}.name"))
        elif name in seen:
            causes.append(duplicate(f"{field}.name", name))
        else:
            seen.add(name)
        if namespace and namespace != call.path.namespace:
            why = "the namespace of a pod must be that of the request"
            causes.append(invalid(f"{field}.namespace", namespace, why))
    if causes:
        raise Invalid.of(call.resource.kind, call.resource.group, "", causes)


def _authorize(api: Api, call: Call, names: Iterable[str]) -> None:
    """Check that the user may bind each pod."""

    def asked(name: str) -> Attributes:
        return Attributes("create", "", "pods", "binding", call.path.namespace, name)

    if api.rbac.allowed(call.user, asked("")).allowed:
        return
    for name in names:  # a role may be for pods of certain names alone
        decision = api.rbac.allowed(call.user, asked(name))
        if not decision.allowed:
            raise forbidden_error(call.user, asked(name), decision.reason)


async def _members(api: Api, call: Call, entries: list[Object]) -> list[_Member]:
    """Return each pod with the change of its admitted Binding."""
    members: list[_Member] = []
    failed: list[tuple[int, ApiError]] = []
    for index, entry in enumerate(entries):
        own = binding_call(api, call, entry["metadata"]["name"])
        try:
            members.append(_Member(index, own, bound(own, await admit(api, own, entry, "v1", "Binding"))))
        except ApiError as error:
            failed.append((index, error))
    _refuse(call, failed, len(entries))
    return members


async def _prepare(api: Api, call: Call, members: list[_Member]) -> list[_Prepared]:
    """Build every pod from its newest state, as it will be stored. Nothing is awaited after reading it."""
    made: dict[int, _Prepared] = {}
    for _ in range(TRIES):
        stale = [member for member in members if not _is_fresh(api, member, made.get(member.position))]
        if not stale:
            return [made[member.position] for member in members]
        failed: list[tuple[int, ApiError]] = []
        for count, member in enumerate(stale, 1):
            try:
                row, _, pod = await changed(api, member.call, member.change)
                made[member.position] = _Prepared(row, pod)
            except ApiError as error:
                failed.append((member.position, error))
            if count % AT_ONCE == 0:
                await asyncio.sleep(0)
        _refuse(call, failed, len(members))
    raise Conflict(f"the pods of the gang are changing too fast: {write.MODIFIED}", kind=call.resource.plural)


def _is_fresh(api: Api, member: _Member, prepared: _Prepared | None) -> bool:
    return prepared is not None and api.store.newest(member.call.key) is prepared.row


async def _commit(api: Api, members: list[_Member], prepared: list[_Prepared]) -> None:
    stored = [write.store_object(api, member.call.resource, prepared[member.position].pod)[1] for member in members]
    await asyncio.gather(*stored)
    for member in members:
        api.react(member.call.resource, prepared[member.position].pod)


def _refuse(call: Call, failed: list[tuple[int, ApiError]], of: int) -> None:
    """Raise one error for all: of the reasons' type if they have the same, else a conflict."""
    if not failed:
        return
    errors = [error for _, error in failed]
    told = type(errors[0]) if len({error.code for error in errors}) == 1 else Conflict
    resource = call.resource
    more = f"; and {len(errors) - SHOWN} more" if len(errors) > SHOWN else ""
    why = "; ".join(error.message for error in errors[:SHOWN]) + more
    raise told(
        f"{len(errors)} of the {of} pods cannot be bound, so none is: {why}",
        kind=resource.plural,
        group=resource.group,
        causes=[Cause(f"bindings[{index}]", error.message, error.reason) for index, error in failed],
    )
