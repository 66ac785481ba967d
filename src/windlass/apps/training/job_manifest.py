"""A training job as the user wrote it, for validation: replicas by canonical type, and the paths of fields."""

from dataclasses import dataclass

from windlass.apps.training.framework import Framework
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS, VERSION
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_object


@dataclass(frozen=True)
class JobManifest:
    """An object in its v1 form (or an MPIJob at v2beta1), whose JSON types may still be wrong."""

    framework: Framework
    obj: Object

    @property
    def spec(self) -> Object:
        return dig_object(self.obj, "spec")

    @property
    def name(self) -> str:
        return str(dig(self.obj, "metadata", "name") or "")

    @property
    def by_ssh(self) -> bool:
        """Whether the object is an MPIJob of v2beta1, read at any version."""
        version = str(self.obj.get("apiVersion")).rpartition("/")[2]
        created = dig(self.obj, "metadata", "annotations", CREATED_AS) or version
        return self.framework.name == "MPIJob" and created == VERSION

    @property
    def specs_path(self) -> str:
        return f"spec.{self.framework.specs_field}"

    @property
    def replicas(self) -> Object:
        """The replicas by the keys that the user wrote."""
        return dig_object(self.spec, self.framework.specs_field)

    def path(self, key: str) -> str:
        return f"{self.specs_path}[{key}]"

    def canonical(self, key: str) -> str:
        """The replica type of a key in any case; empty if unknown."""
        return next((known for known in self.framework.replica_types if known.lower() == key.lower()), "")

    def key(self, replica_type: str) -> str:
        """The key that the user wrote for a type; empty without one."""
        return next((key for key in self.replicas if self.canonical(key) == replica_type), "")

    def has(self, replica_type: str) -> bool:
        return bool(self.key(replica_type))

    def count(self, key: str) -> int:
        """The number of replicas of a key, or its default."""
        given = dig(self.replicas, key, "replicas")
        default = self.framework.default_replicas.get(self.canonical(key), 1)
        return given if isinstance(given, int) else default

    def policy(self, key: str) -> str:
        """The restart policy of a key, or its default."""
        default = self.framework.restart_policies.get(self.canonical(key), self.framework.restart_policy)
        if self.by_ssh:
            default = "OnFailure" if self.canonical(key) == "Launcher" else "Never"
        return str(dig(self.replicas, key, "restartPolicy") or default)

    def pod_name(self, key: str, index: int) -> str:
        """The pod name that the framework assigns; a launcher has no index."""
        if self.framework.name == "MPIJob" and self.canonical(key) == "Launcher":
            return f"{self.name}-launcher"
        return f"{self.name}-{key.lower()}-{index}"


def containers(template: Json) -> list[Object]:
    """Return the containers of a pod template that are objects."""
    return [each for each in dig_list(template, "spec", "containers") if is_object(each)]
