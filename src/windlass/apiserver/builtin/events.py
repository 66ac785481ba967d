"""Events in both of their groups: core `v1` and `events.k8s.io/v1` are two views of the same stored object."""

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain

RESOURCES = (
    resource("events.k8s.io", "v1", "Event", "events", "ev", namespaced=True, strategy=Plain, storage_group=""),
)
