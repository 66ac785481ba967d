"""Validation of HyperNodes, with the messages of Volcano's webhook and of the CEL rules of its schema.

These rules are implemented here instead of in the schema: compiling CEL would delay every start of the server.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from windlass.apps.volcano.wording import aggregated, listed
from windlass.kube.errors import Cause, invalid
from windlass.kube.json import Json, Object, dig, dig_list, dig_object
from windlass.kube.names import label_key_errors

_SELECTOR = "spec.members.selector"

PatternCheck: TypeAlias = Callable[[str], str]
"""Returns what is wrong with a regular expression; empty if it is valid."""


def selector_causes(node: Object) -> list[Cause]:
    """Report members that do not have exactly one selector."""
    found: list[Cause] = []
    for index, member in enumerate(dig_list(node, "spec", "members")):
        count = sum(dig(member, "selector", name) is not None for name in ("exactMatch", "regexMatch", "labelMatch"))
        field = f"spec.members[{index}].selector"
        if count == 0:
            found.append(invalid(field, "object", "Either ExactMatch or RegexMatch or LabelMatch must be specified"))
        elif count > 1:
            found.append(invalid(field, "object", "Only one of ExactMatch, RegexMatch, or LabelMatch can be specified"))
    return found


def hyper_node_problem(node: Object, check_pattern: PatternCheck) -> str:
    """Return all errors of a HyperNode; empty if it is valid."""
    members = dig_list(node, "spec", "members")
    if not members:
        return aggregated([invalid("spec.members", members, "member must have at least one member")])
    return aggregated([cause for member in members for cause in _member(member, check_pattern)])


def _member(member: Json, check_pattern: PatternCheck) -> Iterator[Cause]:
    selector = dig_object(member, "selector")
    if "exactMatch" in selector:
        yield from _exact(str(dig(selector, "exactMatch", "name") or ""))
    if "regexMatch" in selector:
        yield from _regex(str(dig(selector, "regexMatch", "pattern") or ""), check_pattern)
    if "labelMatch" in selector and member["type"] != "Node":
        yield invalid(f"{_SELECTOR}.labelMatch", selector["labelMatch"], "labelMatch selects members of type Node only")


def _exact(name: str) -> Iterator[Cause]:
    field = f"{_SELECTOR}.exactMatch.name"
    if not name:
        yield invalid(field, name, "member exactMatch name is required")
    elif errors := label_key_errors(name):
        yield invalid(field, name, f"member exactMatch validate failed {listed(errors)}")


def _regex(pattern: str, check_pattern: PatternCheck) -> Iterator[Cause]:
    field = f"{_SELECTOR}.regexMatch.pattern"
    if not pattern:
        yield invalid(field, pattern, "member regexMatch pattern is required")
    elif problem := check_pattern(pattern):
        yield invalid(field, pattern, f"member regexMatch pattern is invalid: {problem}")
