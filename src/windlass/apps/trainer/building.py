"""TrainJob and runtime -> the job's JobSet: the runtime's template, then patches, then what the job itself says."""

from collections.abc import Sequence

import msgspec

from windlass.apis.env_variables import variable
from windlass.apps.jobset import kinds as jobset_v1alpha2
from windlass.apps.trainer.blueprint import Blueprint, container, put_env
from windlass.apps.trainer.kinds import DatasetInitializer, ModelInitializer, RuntimePatch, RuntimeSpec, TrainJob
from windlass.apps.trainer.names import DATASET, MODEL, NODE, STORAGE_URI
from windlass.apps.trainer.policies import policy_for
from windlass.kube.definitions import schema_of
from windlass.kube.json import Object, decode, dig_object, encode
from windlass.kube.patch import strategic
from windlass.kube.quantity import Quantity

JOB_TEMPLATE = "io.k8s.api.batch.v1.JobTemplateSpec"


class CannotBuild(Exception):
    """Nothing can be made of a job now; says why."""


def blueprint(job: TrainJob, runtime: RuntimeSpec) -> Blueprint:
    """All that the job is made of, but for its gang."""
    template: Object = decode(encode(runtime.template))
    metadata = dig_object(template, "metadata")
    plan = Blueprint(
        job,
        runtime,
        spec=template.get("spec") or {},
        labels={**dig_object(metadata, "labels")},
        annotations={**dig_object(metadata, "annotations")},
    )
    _patch(plan, job.spec.runtime_patches)
    _initialize(plan, DATASET, job.spec.initializer.dataset if job.spec.initializer else None)
    _initialize(plan, MODEL, job.spec.initializer.model if job.spec.initializer else None)
    _set_trainer(plan)
    policy_for(runtime).amend(plan)
    return plan


def job_set(plan: Blueprint) -> Object:
    job = plan.job
    metadata: Object = {"name": job.metadata.name, "namespace": job.metadata.namespace}
    if plan.labels:
        metadata["labels"] = plan.labels
    if plan.annotations:
        metadata["annotations"] = plan.annotations
    return {
        "apiVersion": jobset_v1alpha2.GROUP_VERSION,
        "kind": "JobSet",
        "metadata": metadata,
        "spec": {**plan.spec, "suspend": bool(job.spec.suspend)},
    }


def _patch(plan: Blueprint, patches: Sequence[RuntimePatch]) -> None:
    schema = schema_of(JOB_TEMPLATE)
    for patch in patches:
        template = patch.training_runtime_spec.template if patch.training_runtime_spec is not None else None
        if template is None:
            continue
        if template.metadata is not None:
            plan.labels |= template.metadata.labels
            plan.annotations |= template.metadata.annotations
        for change in template.spec.replicated_jobs if template.spec is not None else ():
            replicated = plan.replicated(change.name)
            if replicated is not None and change.template is not None:
                changes: Object = msgspec.to_builtins(change.template)
                replicated["template"] = strategic.apply(dig_object(replicated, "template"), changes, schema)


def _initialize(plan: Blueprint, name: str, asked: DatasetInitializer | ModelInitializer | None) -> None:
    """A step before the training that has a job, and a container, of its own name."""
    replicated = plan.step(name)
    if replicated is None:
        return
    replicated["replicas"] = 1
    found = container(replicated, name)
    if asked is None or found is None:
        return
    if asked.storage_uri is not None:
        put_env(found, [variable(STORAGE_URI, asked.storage_uri)])
    put_env(found, asked.env)
    if asked.secret_ref is not None:
        found["envFrom"] = [*found.get("envFrom", []), {"secretRef": asked.secret_ref}]


def _set_trainer(plan: Blueprint) -> None:
    """What the job says of its nodes. Of MPI's, who only wait for orders, it is the image and the resources."""
    trainer, node = plan.job.spec.trainer, plan.node
    if trainer is None or node is None:
        return
    resources = trainer.resources_per_node or {}
    said: Object = {"image": trainer.image, "command": trainer.command, "args": trainer.args}
    node |= {field: value for field, value in said.items() if value is not None}
    put_env(node, trainer.env)
    _set_resources(node, resources)
    waiting = plan.replicated(NODE)
    follower = container(waiting, NODE) if waiting is not None else None
    if follower is not None and follower is not node:
        follower |= {"image": trainer.image} if trainer.image is not None else {}
        _set_resources(follower, resources)


def _set_resources(node: Object, asked: Object) -> None:
    parts = {part: _plain(asked[part]) for part in ("limits", "requests") if asked.get(part)}
    if parts:
        node["resources"] = parts


def _plain(amounts: Object) -> Object:
    """The SDK says 1.0 for one; a quantity is an integer or text."""
    return {name: str(Quantity.parse(one)) if isinstance(one, float) else one for name, one in amounts.items()}
