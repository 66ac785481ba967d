"""A training job as it was written, for those who check it: replicas by canonical type, and the paths of fields."""

from dataclasses import dataclass

from windlass.apis.kubeflow_v2beta1 import CREATED_AS, VERSION
from windlass.apis.training.framework import Framework
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_object


@dataclass(frozen=True)
class Written:
    """One object in its v1 form (or an MPIJob at v2beta1), whose JSON types may still be wrong."""

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
        """Whether it is an MPIJob of v2beta1, at whichever version it is read."""
        version = str(self.obj.get("apiVersion")).rpartition("/")[2]
        created = dig(self.obj, "metadata", "annotations", CREATED_AS) or version
        return self.framework.name == "MPIJob" and created == VERSION

    @property
    def specs_path(self) -> str:
        return f"spec.{self.framework.specs_field}"

    @property
    def replicas(self) -> Object:
        """By the keys that were written."""
        return dig_object(self.spec, self.framework.specs_field)

    def path(self, key: str) -> str:
        return f"{self.specs_path}[{key}]"

    def canonical(self, key: str) -> str:
        """The replica type that a key means in whatever case it is written; empty where it is none."""
        return next((known for known in self.framework.replica_types if known.lower() == key.lower()), "")

    def key(self, replica_type: str) -> str:
        """The key under which a type was written; empty where it was not."""
        return next((key for key in self.replicas if self.canonical(key) == replica_type), "")

    def has(self, replica_type: str) -> bool:
        return bool(self.key(replica_type))

    def count(self, key: str) -> int:
        """How many replicas a key asks for, or gets where it does not say."""
        given = dig(self.replicas, key, "replicas")
        default = self.framework.default_replicas.get(self.canonical(key), 1)
        return given if isinstance(given, int) else default

    def policy(self, key: str) -> str:
        """The restart policy that a key asks for, or gets where it does not say."""
        default = self.framework.restart_policies.get(self.canonical(key), self.framework.restart_policy)
        if self.by_ssh:
            default = "OnFailure" if self.canonical(key) == "Launcher" else "Never"
        return str(dig(self.replicas, key, "restartPolicy") or default)

    def pod_name(self, key: str, index: int) -> str:
        """As the framework names its pods; a launcher is the only one of its kind."""
        if self.framework.name == "MPIJob" and self.canonical(key) == "Launcher":
            return f"{self.name}-launcher"
        return f"{self.name}-{key.lower()}-{index}"


def containers(template: Json) -> list[Object]:
    """Those of a pod template, as far as they are objects at all."""
    return [each for each in dig_list(template, "spec", "containers") if is_object(each)]
