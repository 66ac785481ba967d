"""Validation of the policies of jobs and tasks: which event or exit code triggers which action."""

from collections.abc import Iterable, Iterator

from windlass.apps.volcano.kinds.bus import ANY_EVENT, USER_ACTIONS, USER_EVENTS
from windlass.apps.volcano.wording import listed, occurred
from windlass.kube.errors import invalid
from windlass.kube.json import Json, dig_list

_VALID = f" valid events are {listed(USER_EVENTS)}, valid actions are {listed(USER_ACTIONS)};"


def policy_problems(policies: Iterable[Json], path: str) -> str:
    """Return the errors of the policies at `path`, with the messages of Volcano's webhook; empty if they are valid."""
    events: set[str] = set()
    exit_codes: set[int] = set()
    errors: list[str] = []
    for policy in policies:
        error = next(_faults(policy, path, events, exit_codes), "")
        if error:
            errors.append(error)
            break
        events.update(events_of(policy))
        if policy.get("exitCode") is not None:
            exit_codes.add(policy["exitCode"])
    if ANY_EVENT in events and len(events) > 1:
        errors.append("if there's * here, no other policy should be here")
    return occurred(errors) + _VALID if errors else ""


def events_of(policy: Json) -> list[str]:
    """The distinct events of a policy: `events`, then `event`."""
    return list(dict.fromkeys([*dig_list(policy, "events"), *([policy["event"]] if policy.get("event") else [])]))


def _faults(policy: Json, path: str, earlier_events: set[str], earlier_codes: set[int]) -> Iterator[str]:
    named, code = events_of(policy), policy.get("exitCode")
    if named and code is not None:
        yield "must not specify event and exitCode simultaneously"
    if not named and code is None:
        yield "either event and exitCode should be specified"
    for event in named:
        if event not in USER_EVENTS:
            yield _refused(path, event, "invalid policy event")
    if policy.get("action") not in USER_ACTIONS:
        yield _refused(path, policy.get("action") or "", "invalid policy action")
    yield from (f"duplicate event {event}  across different policy" for event in named if event in earlier_events)
    if code == 0:
        yield "0 is not a valid error code"
    if code in earlier_codes:
        yield f"duplicate exitCode {code}"


def _refused(path: str, value: str, why: str) -> str:
    return f"{path}: {invalid(path, value, why).message}"
