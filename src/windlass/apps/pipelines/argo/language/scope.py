"""What tags may refer to at one place of a Workflow: parameters, artifacts, results of earlier nodes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windlass.kube.json import Object


class Unresolved(Exception):
    """A tag or variable that the scope does not know (yet)."""


@dataclass(frozen=True)
class Scope:
    """Values by the name of their tag, such as `inputs.parameters.x`; scopes are never changed."""

    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    artifacts: Mapping[str, Object] = field(default_factory=dict[str, Object])
    empty: tuple[str, ...] = ()
    """Prefixes of names that are empty where they have no value: outputs of nodes that did not run."""

    def with_values(self, values: Mapping[str, Any]) -> "Scope":
        return Scope({**self.values, **values}, self.artifacts, self.empty)

    def merged(self, other: "Scope") -> "Scope":
        return Scope({**self.values, **other.values}, {**self.artifacts, **other.artifacts}, self.empty + other.empty)

    def value(self, name: str) -> Any:
        """The value of a tag. Raises Unresolved."""
        if name in self.values:
            return self.values[name]
        if self.is_empty(name):
            return ""
        raise Unresolved(name)

    def is_empty(self, name: str) -> bool:
        """Whether the name is an output of a node that did not run."""
        return any(name.startswith(prefix) for prefix in self.empty)
