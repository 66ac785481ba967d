"""A training job as its controller sees it: canonical replica types, and all defaults applied.

The stored spec is never rewritten, which would conflict with `kubectl apply`: each reconcile derives a `Job` from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from windlass.apps.training.kinds.common import ReplicaSpec, RunPolicy, SchedulingPolicy, TrainingJob
from windlass.apps.training.options import DEFAULTS, Options
from windlass.kube.json import Json, Object, dig_list, dig_object

if TYPE_CHECKING:
    from windlass.apps.training.framework import Framework

LABEL = "training.kubeflow.org/"
OPERATOR_NAME, JOB_NAME, JOB_ROLE = f"{LABEL}operator-name", f"{LABEL}job-name", f"{LABEL}job-role"
REPLICA_TYPE, REPLICA_INDEX = f"{LABEL}replica-type", f"{LABEL}replica-index"
OURS = "training.windlass.dev/"
"""Prefix of the annotations that Windlass adds to upstream's API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """One role of a job: `template` is the pod template with the framework's port in its training container."""

    type: str
    count: int
    restart_policy: str
    template: Object
    port: int

    @property
    def label(self) -> str:
        return self.type.lower()


@dataclass(frozen=True, kw_only=True)
class Job:
    """A training job. `replicas` is by canonical type, in the framework's order."""

    framework: "Framework"
    obj: TrainingJob
    replicas: Mapping[str, Replica]
    policy: RunPolicy
    options: Options = DEFAULTS

    @property
    def name(self) -> str:
        return self.obj.metadata.name

    @property
    def namespace(self) -> str:
        return self.obj.metadata.namespace

    @property
    def kind(self) -> str:
        return type(self.obj).__name__

    @property
    def total(self) -> int:
        return sum(replica.count for replica in self.replicas.values())

    @property
    def scheduling(self) -> SchedulingPolicy:
        return self.policy.scheduling_policy or SchedulingPolicy()

    @cached_property
    def annotations(self) -> dict[str, str]:
        return self.obj.metadata.annotations

    def count(self, replica_type: str) -> int:
        replica = self.replicas.get(replica_type)
        return replica.count if replica else 0

    def pod_name(self, replica_type: str, index: int) -> str:
        return f"{self.name}-{replica_type.lower()}-{index}".replace("/", "-")

    def pod_names(self, replica_type: str) -> list[str]:
        return [self.pod_name(replica_type, index) for index in range(self.count(replica_type))]

    def labels(self, replica_type: str) -> dict[str, str]:
        """The labels that select the pods of one role."""
        return {
            OPERATOR_NAME: self.framework.operator_name,
            JOB_NAME: self.name,
            REPLICA_TYPE: replica_type.lower(),
        }


def read(framework: "Framework", obj: TrainingJob, options: Options = DEFAULTS) -> Job:
    """Build the job that a stored object describes."""
    if own := framework.own_container(obj):
        framework = replace(framework, container=own)
    written = framework.replica_specs(obj)
    by_name = {key.lower(): spec for key, spec in written.items()}
    replicas = {
        name: _replica(framework, name, by_name[name.lower()], obj.spec.scheduler_name)
        for name in framework.replica_types
        if name.lower() in by_name
    }
    return Job(framework=framework, obj=obj, replicas=replicas, policy=_policy(obj), options=options)


def _replica(framework: "Framework", name: str, spec: ReplicaSpec, scheduler_name: str) -> Replica:
    template = _with_port(framework, dict(spec.template))
    pod = dig_object(template, "spec")
    if scheduler_name and not pod.get("schedulerName"):
        template["spec"] = {**pod, "schedulerName": scheduler_name}
    count = framework.default_replicas.get(name, 1) if spec.replicas is None else spec.replicas
    policy = spec.restart_policy or framework.restart_policies.get(name, framework.restart_policy)
    return Replica(type=name, count=count, restart_policy=policy, template=template, port=_port(framework, template))


def main_container(framework: "Framework", template: Json) -> int:
    """The index of the training container of a template (or pod): by its name, else the first."""
    names = [container.get("name") for container in dig_list(template, "spec", "containers")]
    return names.index(framework.container) if framework.container in names else 0


def _with_port(framework: "Framework", template: Object) -> Object:
    containers: list[Object] = [*dig_list(template, "spec", "containers")]
    if not framework.port_name or not containers:
        return template
    main = main_container(framework, template)
    ports = dig_list(containers[main], "ports")
    if all(port.get("name") != framework.port_name for port in ports):
        added = {"name": framework.port_name, "containerPort": framework.port}
        containers[main] = {**containers[main], "ports": [*ports, added]}
    return {**template, "spec": {**dig_object(template, "spec"), "containers": containers}}


def _port(framework: "Framework", template: Json) -> int:
    for container in dig_list(template, "spec", "containers"):
        for port in dig_list(container, "ports"):
            if port.get("name") == framework.port_name:
                return int(port["containerPort"])
    return framework.port


def _policy(obj: TrainingJob) -> RunPolicy:
    """The run policy, completed by the fields that older versions had beside the replicas."""
    spec, policy = obj.spec, obj.spec.run_policy
    older = {
        name: getattr(spec, name)
        for name in ("clean_pod_policy", "ttl_seconds_after_finished", "active_deadline_seconds", "backoff_limit")
        if getattr(policy, name) is None and getattr(spec, name) is not None
    }
    return msgspec.structs.replace(policy, **older) if older else policy
