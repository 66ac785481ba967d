"""The JobSet of a TrainJob while it is built from the runtime's template and changed by policies.

It is a private copy in plain JSON, changed in place until it is complete.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.apps.trainer.kinds import RuntimeSpec, TrainJob
from windlass.apps.trainer.names import INDEX, NODE, PORT, TRAINER, endpoint
from windlass.apps.trainer.templates import containers_of, step_of
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object
from windlass.kube.quantity import Quantity


@dataclass
class Blueprint:
    """The `spec`, `labels` and `annotations` of the JobSet under construction."""

    job: TrainJob
    runtime: RuntimeSpec
    spec: Object
    labels: dict[str, str] = field(default_factory=dict[str, str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    beside: list[Object] = field(default_factory=list[Object])
    """Objects that the job needs in addition to its JobSet."""

    @property
    def replicated_jobs(self) -> list[Object]:
        return [one for one in dig_list(self.spec, "replicatedJobs") if is_object(one)]

    def replicated(self, name: str) -> Object | None:
        return next((one for one in self.replicated_jobs if one.get("name") == name), None)

    def step(self, ancestor: str) -> Object | None:
        """Return the replicated job of one step of the training."""
        return next((one for one in self.replicated_jobs if step_of(one) == ancestor), None)

    @property
    def trainer(self) -> Object | None:
        return self.step(TRAINER)

    @property
    def node(self) -> Object | None:
        """Return the training container."""
        found = self.trainer
        return container(found, NODE) if found is not None else None

    @property
    def num_nodes(self) -> int:
        """The number of nodes that the job requests, or else its runtime."""
        asked = self.job.spec.trainer.num_nodes if self.job.spec.trainer is not None else None
        if asked is not None:
            return asked
        policy = self.runtime.ml_policy
        if policy is not None:
            return policy.num_nodes or 1
        return parallelism(self.trainer) if self.trainer is not None else 1

    @property
    def resources(self) -> Object:
        """The resources of each node."""
        return dig_object(self.node or {}, "resources")

    def endpoint(self, replicated: str, index: int) -> str:
        subdomain = str(dig(self.spec, "network", "subdomain") or self.job.metadata.name)
        return endpoint(self.job.metadata.name, subdomain, replicated, index)

    @property
    def first_node(self) -> str:
        return self.endpoint(NODE, 0)


def pod_spec(replicated: Object) -> Object:
    """Return the pod spec of a replicated job, to be changed in place."""
    spec: Any = replicated
    for name in ("template", "spec", "template", "spec"):
        spec = spec.setdefault(name, {})
    return spec


def pod_metadata(replicated: Object) -> Object:
    template: Object = replicated["template"]["spec"]["template"]
    return template.setdefault("metadata", {})


def container(replicated: Object, name: str) -> Object | None:
    """Return a container of a replicated job, to be changed in place."""
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
    """Replace the entries with the same key, and append the others."""
    items: list[Any] = list(dig_list(owner, part))
    places = {item.get(key): at for at, item in enumerate(items) if is_object(item)}
    for entry in entries:
        at = places.setdefault(entry[key], len(items))
        items[at : at + 1] = [dict(entry)]
    if items:
        owner[part] = items


def put_env(owner: Object, entries: Sequence[Mapping[str, Any]]) -> None:
    put(owner, "env", entries)


def put_port(owner: Object) -> None:
    put(owner, "ports", [{"containerPort": PORT}], "containerPort")


def node_index(name: str) -> Object:
    """An environment variable with the index of the node."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": INDEX}}}


# --- amounts


def gpus(resources: Object) -> int:
    """The number of GPUs of any vendor; limits take precedence over requests."""
    for part in ("limits", "requests"):
        for name, amount in dig_object(resources, part).items():
            if "gpu" in name.lower():
                return whole(amount)
    return 0


def cpus(resources: Object) -> int:
    """The number of CPUs, rounded up; zero if not set."""
    amount = dig(resources, "limits", "cpu")
    return whole(dig(resources, "requests", "cpu") if amount is None else amount)


def whole(amount: Any) -> int:
    return Quantity.parse(amount).value() if amount is not None else 0
