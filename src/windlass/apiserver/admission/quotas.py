"""ResourceQuota: refuses writes that exceed a quota of their namespace.

Usage is counted on the newest state, never read from a quota's status, and nothing is awaited between the decision and
the write: concurrent clients cannot exceed a quota together.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from windlass.apis.core_v1 import PersistentVolumeClaim, Pod, ResourceQuota, Service
from windlass.apis.quota_usage import (
    ONE,
    ZERO,
    Usage,
    claim_usage,
    count_names,
    in_scope,
    is_scoped,
    pod_usage,
    requirements,
    service_usage,
    subtract,
    unspecified_resources,
)
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.admission.tally import Measure, Tally
from windlass.apiserver.api import Api
from windlass.apiserver.store import Key, Row
from windlass.kube.quantity import Quantity

_QUOTAS = "/resourcequotas"
_PODS = "/pods"
_GROWING = {("/services", ""), ("/persistentvolumeclaims", ""), (_PODS, "resize")}
"""Updates that may increase usage: a service by its type, a claim by its size, a pod that is resized."""

Measured: TypeAlias = tuple[type[Any], Callable[[Any], Usage]]
_MEASURED: dict[str, Measured] = {
    _PODS: (Pod, pod_usage),
    "/services": (Service, service_usage),
    "/persistentvolumeclaims": (PersistentVolumeClaim, claim_usage),
}
"""Kinds whose usage is more than their count; a quota can only count objects of other kinds."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A quota, compiled for checking writes."""

    quota: ResourceQuota
    hard: Usage
    scope: str  # the same for quotas about the same objects

    @property
    def name(self) -> str:
        return self.quota.metadata.name


class Quotas(Plugin):
    """Enforces quotas. Must be the last plugin: what it accepts counts as used once it is written."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._limits: dict[Key, tuple[Row, Limit]] = {}
        self._tallies: dict[tuple[str, str, str], Tally] = {}  # by namespace, resource and scope

    def applies(self, operation: str, store_key: str, subresource: str) -> bool:
        if operation == "UPDATE":
            return (store_key, subresource) in _GROWING
        return operation == "CREATE" and not subresource

    def validate(self, attributes: Attributes) -> None:
        namespace = attributes.namespace
        if not self._api.store.count(_QUOTAS, namespace) or not attributes.resource.namespaced:
            return
        resource = attributes.resource
        measured = _MEASURED.get(resource.store_key)
        obj = msgspec.convert(attributes.obj, measured[0]) if measured else None
        limits = self._limits_on(attributes, obj)
        if not limits:
            return
        wanted = measured[1](obj) if measured else dict.fromkeys(count_names(resource.group_resource), ONE)
        if measured and attributes.old is not None:
            subtract(wanted, measured[1](msgspec.convert(attributes.old, measured[0])))
        for limit in limits:
            self._check(limit, wanted, attributes)

    def _limits_on(self, attributes: Attributes, obj: Any) -> list[Limit]:
        """Return the quotas whose scope includes the object."""
        limits = map(self._limit, self._api.store.rows(_QUOTAS, attributes.namespace))
        if not isinstance(obj, Pod):
            return [limit for limit in limits if not limit.scope]
        chosen = [limit for limit in limits if not limit.scope or in_scope(limit.quota, obj)]
        for limit in chosen:
            if missing := unspecified_resources(obj, limit.hard):
                raise attributes.forbid(f"failed quota: {limit.name}: {missing}")
        return chosen

    def _limit(self, row: Row) -> Limit:
        known = self._limits.get(row.key)
        if known is not None and known[0] is row:
            return known[1]
        quota = msgspec.json.decode(row.value, type=ResourceQuota)
        hard = {name: Quantity.parse(amount) for name, amount in quota.spec.hard.items()}
        limit = Limit(quota, hard, repr(requirements(quota)) if is_scoped(quota) else "")
        self._limits[row.key] = (row, limit)
        return limit

    def _check(self, limit: Limit, wanted: Usage, attributes: Attributes) -> None:
        limited = {name: amount for name, amount in wanted.items() if name in limit.hard and amount > ZERO}
        if not limited:
            return
        used = self._used(limit, limited, attributes)
        exceeded = sorted(name for name, amount in limited.items() if used[name] + amount > limit.hard[name])
        if exceeded:
            requested, now, most = (_listed(exceeded, amounts) for amounts in (limited, used, limit.hard))
            raise attributes.forbid(
                f"exceeded quota: {limit.name}, requested: {requested}, used: {now}, limited: {most}"
            )

    def _used(self, limit: Limit, names: Iterable[str], attributes: Attributes) -> Usage:
        key, namespace = attributes.resource.store_key, attributes.namespace
        measured = _MEASURED.get(key)
        if measured is None:
            return dict.fromkeys(names, Quantity.parse(self._count(key, namespace)))
        totals = self._tally(limit, key, namespace, measured).totals()
        return {name: totals.get(name, ZERO) for name in names}

    def _count(self, key: str, namespace: str) -> int:
        store = self._api.store
        count = store.count(key, namespace)
        for name in store.waiting(key, namespace):
            place = (key, namespace, name)
            count += (store.newest(place) is not None) - (store.get(place) is not None)
        return count

    def _tally(self, limit: Limit, key: str, namespace: str, measured: Measured) -> Tally:
        tally = self._tallies.get((namespace, key, limit.scope))
        if tally is None:
            self._forget_idle()
            tally = Tally(self._api.store, key, namespace, _measure(limit, measured))
            self._tallies[namespace, key, limit.scope] = tally
        return tally

    def _forget_idle(self) -> None:
        """Drop the tallies of namespaces without a quota."""
        count = self._api.store.count
        for place in [place for place in self._tallies if not count(_QUOTAS, place[0])]:
            self._tallies.pop(place).close()
        for key in [key for key in self._limits if not count(_QUOTAS, key[1])]:
            del self._limits[key]


def _measure(limit: Limit, measured: Measured) -> Measure:
    kind, usage = measured
    decode, quota = msgspec.json.Decoder(kind).decode, limit.quota
    if not limit.scope:
        return lambda value: usage(decode(value))

    def measure(value: bytes) -> Usage:
        pod = decode(value)
        return usage(pod) if in_scope(quota, pod) else {}

    return measure


def _listed(names: Sequence[str], amounts: Usage) -> str:
    return ",".join(f"{name}={amounts[name]}" for name in names)
