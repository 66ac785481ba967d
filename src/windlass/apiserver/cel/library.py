"""The functions that Kubernetes adds to CEL, declared for the runtime in one table.

https://kubernetes.io/docs/reference/using-api/cel/ lists them; strings, sets, optionals, two-variable macros and maths
are the runtime's own extensions.
"""

from collections.abc import Callable
from contextvars import ContextVar
from datetime import timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from windlass.apiserver.cel import opaque
from windlass.apiserver.cel.runtime import EvaluationError, regex_find, regex_find_all, type_of
from windlass.kube.json import Object

Authorize = Callable[[Object], tuple[bool, str]]
"""Checks a permission: attributes (verb, group, resource, …, or path) -> whether it is allowed, and why."""
AUTHORIZE: ContextVar[Authorize | None] = ContextVar("AUTHORIZE", default=None)
AUTHORIZER = "kubernetes.authorizer"


class _Function(NamedTuple):
    name: str
    takes: tuple[str, ...]
    gives: str
    run: Callable[..., Any]
    member: bool = True


def functions(cel: Any) -> list[Any]:
    """Return the runtime's declarations of all functions in the table."""
    by_name: dict[str, list[Any]] = {}
    for number, function in enumerate(_TABLE):
        overload = cel.Overload(
            id=f"kubernetes_{number}_{function.name}",
            return_type=type_of(function.gives),
            parameters=[type_of(spelt) for spelt in function.takes],
            is_member=function.member,
            impl=_guarded(function.run),
        )
        by_name.setdefault(function.name, []).append(overload)
    return [cel.FunctionDecl(name, overloads) for name, overloads in by_name.items()]


def _guarded(run: Callable[..., Any]) -> Callable[..., Any]:
    """Turn any Python error on invalid arguments into an error of the expression."""

    def call(*arguments: Any) -> Any:
        try:
            return run(*arguments)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError("no such overload") from error
        except EvaluationError as error:
            raise ValueError(str(error)) from error

    return call


# lists


def _is_sorted(items: list[Any]) -> bool:
    return all(not after < before for before, after in pairwise(items))


def _sum(items: list[Any]) -> Any:
    if not items:
        return 0
    start: Any = timedelta() if isinstance(items[0], timedelta) else 0
    return sum(items, start)


def _least(items: list[Any]) -> Any:
    if not items:
        raise ValueError("min called on empty list")
    return min(items)


def _greatest(items: list[Any]) -> Any:
    if not items:
        raise ValueError("max called on empty list")
    return max(items)


def _index_of(items: list[Any], wanted: Any) -> int:
    return items.index(wanted) if wanted in items else -1


def _last_index_of(items: list[Any], wanted: Any) -> int:
    return len(items) - 1 - items[::-1].index(wanted) if wanted in items else -1


def _find_some(text: str, pattern: str, limit: int) -> list[str]:
    found = regex_find_all(text, pattern)
    return found if limit < 0 else found[:limit]


# authorizer


def _narrowed(field: str) -> Callable[[Object, str], Object]:
    return lambda asked, value: {AUTHORIZER: {**asked[AUTHORIZER], field: value}}


def _service_account(asked: Object, namespace: str, name: str) -> Object:
    return {AUTHORIZER: {**asked[AUTHORIZER], "serviceAccount": f"system:serviceaccount:{namespace}:{name}"}}


def _check(asked: Object, verb: str) -> Object:
    decide = AUTHORIZE.get()
    if decide is None:
        raise ValueError("no authorizer is available")
    allowed, reason = decide({**asked[AUTHORIZER], "verb": verb})
    return {AUTHORIZER: {"allowed": allowed, "reason": reason, "errored": False, "error": ""}}


def _decision(field: str) -> Callable[[Object], Any]:
    return lambda decided: decided[AUTHORIZER][field]


def _on(kind: str, read: Callable[[Any], Any]) -> Callable[[Object], Any]:
    """Declare a method of an IP address or CIDR: `kind` is the parser."""
    take = opaque.address_of if kind == opaque.IP else opaque.interface_of
    return lambda value: read(take(value))


_TABLE: tuple[_Function, ...] = (
    _Function("isSorted", ("list(dyn)",), "bool", _is_sorted),
    _Function("sum", ("list(dyn)",), "dyn", _sum),
    _Function("min", ("list(dyn)",), "dyn", _least),
    _Function("max", ("list(dyn)",), "dyn", _greatest),
    _Function("indexOf", ("list(dyn)", "dyn"), "int", _index_of),
    _Function("lastIndexOf", ("list(dyn)", "dyn"), "int", _last_index_of),
    _Function("find", ("string", "string"), "string", regex_find),
    _Function("findAll", ("string", "string"), "list(string)", regex_find_all),
    _Function("findAll", ("string", "string", "int"), "list(string)", _find_some),
    _Function("quantity", ("string",), "object", opaque.quantity, False),
    _Function("isQuantity", ("string",), "bool", opaque.succeeds(opaque.quantity), False),
    _Function("sign", ("object",), "int", opaque.sign),
    _Function("isInteger", ("object",), "bool", opaque.is_integer),
    _Function("asInteger", ("object",), "int", opaque.as_integer),
    _Function("asApproximateFloat", ("object",), "double", opaque.as_float),
    _Function("add", ("object", "object"), "object", opaque.add),
    _Function("add", ("object", "int"), "object", opaque.add),
    _Function("sub", ("object", "object"), "object", opaque.subtract),
    _Function("sub", ("object", "int"), "object", opaque.subtract),
    _Function("compareTo", ("object", "object"), "int", opaque.compare),
    _Function("isGreaterThan", ("object", "object"), "bool", opaque.is_greater),
    _Function("isLessThan", ("object", "object"), "bool", opaque.is_less),
    _Function("semver", ("string",), "object", opaque.semver, False),
    _Function("isSemver", ("string",), "bool", opaque.succeeds(opaque.semver), False),
    _Function("major", ("object",), "int", opaque.version_part(0)),
    _Function("minor", ("object",), "int", opaque.version_part(1)),
    _Function("patch", ("object",), "int", opaque.version_part(2)),
    _Function("url", ("string",), "object", opaque.url, False),
    _Function("isURL", ("string",), "bool", opaque.succeeds(opaque.url), False),
    _Function("getScheme", ("object",), "string", opaque.scheme),
    _Function("getHost", ("object",), "string", opaque.host),
    _Function("getHostname", ("object",), "string", opaque.hostname),
    _Function("getPort", ("object",), "string", opaque.port),
    _Function("getEscapedPath", ("object",), "string", opaque.path),
    _Function("getQuery", ("object",), "map(list(string))", opaque.query),
    _Function("ip", ("string",), "object", opaque.ip, False),
    _Function("isIP", ("string",), "bool", opaque.succeeds(opaque.ip), False),
    _Function("ip.isCanonical", ("string",), "bool", opaque.is_canonical, False),
    _Function("family", ("object",), "int", _on(opaque.IP, lambda address: address.version)),
    _Function("isUnspecified", ("object",), "bool", _on(opaque.IP, lambda address: address.is_unspecified)),
    _Function("isLoopback", ("object",), "bool", _on(opaque.IP, lambda address: address.is_loopback)),
    _Function("isLinkLocalUnicast", ("object",), "bool", _on(opaque.IP, lambda address: address.is_link_local)),
    _Function("isLinkLocalMulticast", ("object",), "bool", opaque.is_link_local_multicast),
    _Function("isGlobalUnicast", ("object",), "bool", opaque.is_global_unicast),
    _Function("cidr", ("string",), "object", opaque.cidr, False),
    _Function("isCIDR", ("string",), "bool", opaque.succeeds(opaque.cidr), False),
    _Function("containsIP", ("object", "object"), "bool", opaque.contains_ip),
    _Function("containsIP", ("object", "string"), "bool", opaque.contains_ip),
    _Function("containsCIDR", ("object", "object"), "bool", opaque.contains_cidr),
    _Function("containsCIDR", ("object", "string"), "bool", opaque.contains_cidr),
    _Function("ip", ("object",), "object", _on(opaque.CIDR, lambda it: {opaque.IP: str(it.ip)})),
    _Function("masked", ("object",), "object", _on(opaque.CIDR, lambda it: {opaque.CIDR: str(it.network)})),
    _Function("prefixLength", ("object",), "int", _on(opaque.CIDR, lambda it: it.network.prefixlen)),
    _Function("string", ("object",), "string", opaque.describe, False),
    _Function("path", ("object", "string"), "object", _narrowed("path")),
    _Function("group", ("object", "string"), "object", _narrowed("group")),
    _Function("resource", ("object", "string"), "object", _narrowed("resource")),
    _Function("subresource", ("object", "string"), "object", _narrowed("subresource")),
    _Function("namespace", ("object", "string"), "object", _narrowed("namespace")),
    _Function("name", ("object", "string"), "object", _narrowed("name")),
    _Function("fieldSelector", ("object", "string"), "object", _narrowed("fieldSelector")),
    _Function("labelSelector", ("object", "string"), "object", _narrowed("labelSelector")),
    _Function("serviceAccount", ("object", "string", "string"), "object", _service_account),
    _Function("check", ("object", "string"), "object", _check),
    _Function("allowed", ("object",), "bool", _decision("allowed")),
    _Function("reason", ("object",), "string", _decision("reason")),
    _Function("errored", ("object",), "bool", _decision("errored")),
    _Function("error", ("object",), "string", _decision("error")),
)
