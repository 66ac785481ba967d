"""What every built-in kind has in common: how status, spec and generation behave on a write.

A kind with something special subclasses `Builtin` in the module of its group; a kind with nothing special uses it as
it is. `strategy.has_status` follows the resource's subresources, so a subclass never repeats it.
"""

from copy import deepcopy
from typing import ClassVar

from windlass.apiserver.resources import Strategy
from windlass.kube.json import Object


def keep_old(new: Object, old: Object) -> None:
    """Undo every change but the server's own book-keeping, before the one part that may change is put in again."""
    metadata = new["metadata"]
    new.clear()
    new.update(old)
    kept = {name: metadata[name] for name in ("managedFields", "resourceVersion") if name in metadata}
    new["metadata"] = {**old["metadata"], **kept}


class Builtin(Strategy):
    """A kind whose status, where it is a subresource, belongs to controllers and not to who writes the spec."""

    generation_fields: ClassVar[tuple[str, ...] | None] = ("spec",)

    qualified_finalizers = True

    initial_status: ClassVar[Object] = {}
    """What a new object's status says before any controller has seen it."""

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


class Plain(Builtin):
    """A kind that Kubernetes gives no generation."""

    generation_fields = ()


class Review(Plain):
    """A question put to the server: created, answered in its status, and never stored, so it needs no name."""

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {}

    def validate_name(self, name: str) -> list[str]:
        return []
