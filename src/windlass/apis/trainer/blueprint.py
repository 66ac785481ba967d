"""A JobSet in the making: what a runtime has for a job, and how policies find their way in it.

It is plain JSON, a copy of its own, and is changed in place until it is done.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.apis.trainer.names import INDEX, NODE, PORT, TRAINER, endpoint
from windlass.apis.trainer.templates import containers_of, step_of
from windlass.apis.trainer_v1alpha1 import RuntimeSpec, TrainJob
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object
from windlass.kube.quantity import Quantity


@dataclass
class Blueprint:
    """`spec` is that of the JobSet, `labels` and `annotations` are the JobSet's own."""

    job: TrainJob
    runtime: RuntimeSpec
    spec: Object
    labels: dict[str, str] = field(default_factory=dict[str, str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    beside: list[Object] = field(default_factory=list[Object])
    """What the job needs besides its JobSet."""

    @property
    def replicated_jobs(self) -> list[Object]:
        return [one for one in dig_list(self.spec, "replicatedJobs") if is_object(one)]

    def replicated(self, name: str) -> Object | None:
        return next((one for one in self.replicated_jobs if one.get("name") == name), None)

    def step(self, ancestor: str) -> Object | None:
        """The replicated job that is one step of the training."""
        return next((one for one in self.replicated_jobs if step_of(one) == ancestor), None)

    @property
    def trainer(self) -> Object | None:
        return self.step(TRAINER)

    @property
    def node(self) -> Object | None:
        """The container that trains."""
        found = self.trainer
        return container(found, NODE) if found is not None else None

    @property
    def num_nodes(self) -> int:
        """How many nodes the job asks for, or else the runtime."""
        asked = self.job.spec.trainer.num_nodes if self.job.spec.trainer is not None else None
        if asked is not None:
            return asked
        policy = self.runtime.ml_policy
        if policy is not None:
            return policy.num_nodes or 1
        return parallelism(self.trainer) if self.trainer is not None else 1

    @property
    def resources(self) -> Object:
        """What each node has."""
        return dig_object(self.node or {}, "resources")

    def endpoint(self, replicated: str, index: int) -> str:
        subdomain = str(dig(self.spec, "network", "subdomain") or self.job.metadata.name)
        return endpoint(self.job.metadata.name, subdomain, replicated, index)

    @property
    def first_node(self) -> str:
        return self.endpoint(NODE, 0)


def pod_spec(replicated: Object) -> Object:
    """The spec of a replicated job's pods, to be changed in place."""
    found: Any = replicated
    for name in ("template", "spec", "template", "spec"):
        found = found.setdefault(name, {})
    return found


def pod_metadata(replicated: Object) -> Object:
    template: Object = replicated["template"]["spec"]["template"]
    return template.setdefault("metadata", {})


def container(replicated: Object, name: str) -> Object | None:
    """To be changed in place."""
    return containers_of(replicated).get(name)


def parallelism(replicated: Object) -> int:
    return int(dig(replicated, "template", "spec", "parallelism") or 1)


def set_count(replicated: Object, count: int) -> None:
    job: Object = replicated["template"].setdefault("spec", {})
    job["parallelism"] = job["completions"] = count


def pods(replicated: Object) -> int:
    replicas = replicated.get("replicas")
    return parallelism(replicated) * (1 if replicas is None else int(replicas))


# --- lists whose entries have a key


def put(owner: Object, part: str, entries: Iterable[Mapping[str, Any]], key: str = "name") -> None:
    """Entries in the place of those with the same key, or at the end."""
    found: list[Any] = list(dig_list(owner, part))
    places = {one.get(key): at for at, one in enumerate(found) if is_object(one)}
    for entry in entries:
        at = places.setdefault(entry[key], len(found))
        found[at : at + 1] = [dict(entry)]
    if found:
        owner[part] = found


def put_env(owner: Object, entries: Sequence[Mapping[str, Any]]) -> None:
    put(owner, "env", entries)


def put_port(owner: Object) -> None:
    put(owner, "ports", [{"containerPort": PORT}], "containerPort")


def node_index(name: str) -> Object:
    """A variable that is the number of the node."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": INDEX}}}


# --- amounts


def gpus(resources: Object) -> int:
    """How many of whatever calls itself a GPU; limits count before requests."""
    for part in ("limits", "requests"):
        for name, amount in dig_object(resources, part).items():
            if "gpu" in name.lower():
                return whole(amount)
    return 0


def cpus(resources: Object) -> int:
    """Whole processors, rounded up; zero where nothing is said."""
    amount = dig(resources, "limits", "cpu")
    return whole(dig(resources, "requests", "cpu") if amount is None else amount)


def whole(amount: Any) -> int:
    return Quantity.parse(amount).value() if amount is not None else 0
