"""Admission: changes or refuses a write after its author was authorized.

Built-in plugins are plain objects in `PLUGINS` order, each for the kinds that it names. They see the newest state,
including writes that wait for their commit, so a decision such as a quota holds under concurrency. Webhooks and
admission policies run after them, and cost something only where they are configured.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from windlass.apiserver.auth.user import User
from windlass.apiserver.resources import Resource
from windlass.kube.errors import Forbidden
from windlass.kube.json import Object


@dataclass(slots=True)
class Attributes:
    """A write as admission sees it. Mutating plugins may change `obj`, never `old`."""

    operation: str  # CREATE, UPDATE, DELETE or CONNECT
    resource: Resource
    subresource: str
    namespace: str
    name: str
    obj: Object | None
    old: Object | None
    user: User
    dry_run: bool = False
    options: Object = field(default_factory=dict[str, Any])
    warnings: list[str] = field(default_factory=list[str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    """Annotations of the request's audit event."""

    @property
    def kind(self) -> Object:
        """The kind that is written: the resource's kind, or that of its subresource (a Binding, an Eviction)."""
        group, version, kind = self.resource.group, self.resource.version, self.resource.kind
        if self.subresource and self.obj is not None and self.obj.get("kind", kind) != kind:
            group, _, version = str(self.obj.get("apiVersion", "")).rpartition("/")
            kind = str(self.obj["kind"])
        return {"group": group, "version": version, "kind": kind}

    def forbid(self, why: str, **details: Any) -> Forbidden:
        """Return the error `pods "x" is forbidden: why`."""
        resource = self.resource
        return Forbidden(
            f'{resource.group_resource} "{self.name}" is forbidden: {why}',
            kind=resource.plural,
            group=resource.group,
            name=self.name,
            **details,
        )


class Plugin:
    """A built-in admission plugin. `kinds` holds store keys such as `/pods`; empty means every kind."""

    kinds: ClassVar[frozenset[str]] = frozenset()
    operations: ClassVar[frozenset[str]] = frozenset({"CREATE"})
    subresources: ClassVar[frozenset[str]] = frozenset({""})

    def mutate(self, attributes: Attributes) -> None:
        """Change `attributes.obj` in place."""

    def validate(self, attributes: Attributes) -> None:
        """Raise an ApiError to refuse the write."""

    def applies(self, operation: str, store_key: str, subresource: str) -> bool:
        return (
            operation in self.operations
            and (not self.kinds or store_key in self.kinds)
            and subresource in self.subresources
        )


Step = Callable[[Attributes], None]


class Chain:
    """The built-in plugins in order."""

    def __init__(self, plugins: Sequence[Plugin]) -> None:
        self._plugins = plugins
        self._steps: dict[tuple[str, str, str], tuple[list[Step], list[Step]]] = {}

    def mutate(self, attributes: Attributes) -> None:
        for step in self._for(attributes)[0]:
            step(attributes)

    def validate(self, attributes: Attributes) -> None:
        for step in self._for(attributes)[1]:
            step(attributes)

    def _for(self, attributes: Attributes) -> tuple[list[Step], list[Step]]:
        key = (attributes.operation, attributes.resource.store_key, attributes.subresource)
        steps = self._steps.get(key)
        if steps is None:
            chosen = [plugin for plugin in self._plugins if plugin.applies(*key)]
            mutating = [p.mutate for p in chosen if type(p).mutate is not Plugin.mutate]
            validating = [p.validate for p in chosen if type(p).validate is not Plugin.validate]
            steps = self._steps[key] = (mutating, validating)
        return steps


class Remote(Protocol):
    """The admission that users configure: webhooks and admission policies."""

    @property
    def configured(self) -> bool:
        """Whether any webhook or policy is configured; called on every write, so it must be cheap."""
        ...

    async def mutate(self, attributes: Attributes) -> bool:
        """Call mutating webhooks, which may change or replace `attributes.obj`; return whether one did."""
        ...

    async def validate(self, attributes: Attributes) -> None:
        """Evaluate policies and validating webhooks. Raises the ApiError of a refusal."""
        ...


class Admission:
    """The whole admission chain: built-in plugins, then webhooks and policies."""

    def __init__(self, chain: Chain, remote: Remote) -> None:
        self.chain = chain
        self._remote = remote

    @property
    def remote(self) -> Remote | None:
        """The configured webhooks and policies; None without any, so that a write need not await them."""
        return self._remote if self._remote.configured else None
