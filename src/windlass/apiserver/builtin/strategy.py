"""The common strategy of built-in kinds: how status, spec and generation behave on a write.

A kind with special behaviour subclasses `Builtin` in the module of its group; other kinds use it directly.
`strategy.has_status` follows the resource's subresources, so a subclass need not repeat it.
"""

from copy import deepcopy
from typing import ClassVar

from windlass.apiserver.resources import Strategy
from windlass.kube.json import Object


class Builtin(Strategy):
    """A kind whose status, if it is a subresource, belongs to controllers and not to writers of the spec."""

    generation_fields: ClassVar[tuple[str, ...] | None] = ("spec",)

    qualified_finalizers = True

    initial_status: ClassVar[Object] = {}
    """The status of a new object, before any controller sets it."""

    written_with_status: ClassVar[tuple[str, ...]] = ("labels", "annotations", "ownerReferences", "finalizers")
    """Metadata that a write of the status may change too."""

    def __init__(self, *, has_status: bool = False) -> None:
        self.has_status = has_status

    @property
    def has_generation(self) -> bool:
        return bool(self.generation_fields)

    def prepare_create(self, obj: Object) -> None:
        if self.has_status:
            obj["status"] = deepcopy(self.initial_status)

    def prepare_update(self, new: Object, old: Object) -> None:
        if not self.has_status:
            return
        status = old.get("status")
        if status is None:
            new.pop("status", None)
        else:
            new["status"] = status

    def prepare_status(self, new: Object, old: Object) -> None:
        given = new["metadata"]
        super().prepare_status(new, old)
        new.setdefault("status", {})
        metadata = new["metadata"]
        for name in self.written_with_status:
            if name in given:
                metadata[name] = given[name]
            else:
                metadata.pop(name, None)


class Plain(Builtin):
    """A kind without a generation."""

    generation_fields = ()


class Review(Plain):
    """A review: created, answered in its status, and never stored, so it needs no name."""

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {}

    def validate_name(self, name: str) -> list[str]:
        return []
