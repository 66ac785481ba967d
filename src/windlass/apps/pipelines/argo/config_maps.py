"""Values of ConfigMaps that parameters and semaphores of a Workflow name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from windlass.kube.json import Object, dig

TYPE_LABEL, PARAMETER_TYPE = "workflows.argoproj.io/configmap-type", "Parameter"
"""The label by which the owner of a ConfigMap permits Workflows to read it as parameters."""


class Awaited(Exception):
    """A ConfigMap or WorkflowTemplate that has to be read before the turn can continue."""


class BadConfigMap(ValueError):
    """A ConfigMap or a key that does not exist, or that may not be read."""


@dataclass(frozen=True)
class ConfigMaps:
    """The ConfigMaps of the Workflow's namespace, as far as they were read."""

    known: Mapping[str, Object | None] = field(default_factory=dict[str, Object | None])
    """By name; None for one that does not exist."""
    wanted: set[str] = field(default_factory=set[str])
    """Names of those that have to be read."""

    def get(self, name: str) -> Object | None:
        """A ConfigMap; None if it does not exist. Raises Awaited."""
        if name not in self.known:
            self.wanted.add(name)
            raise Awaited(name)
        return self.known[name]

    def value(self, reference: Object, *, is_parameter: bool) -> str | None:
        """The value of a `configMapKeyRef`; None if it does not exist. Raises Awaited and BadConfigMap."""
        name, key = str(reference.get("name") or ""), str(reference.get("key") or "")
        found = self.get(name)
        if found is None:
            return None
        if is_parameter and dig(found, "metadata", "labels", TYPE_LABEL) != PARAMETER_TYPE:
            raise BadConfigMap(f"the ConfigMap {name} needs the label {TYPE_LABEL}: {PARAMETER_TYPE}")
        value = dig(found, "data", key)
        return value if isinstance(value, str) else None


def missing(reference: Object) -> BadConfigMap:
    return BadConfigMap(f"the ConfigMap {reference.get('name')} has no key {reference.get('key')!r}, or does not exist")
