"""The runtime of a job: as it was when the job was first seen, whatever has become of it since.

It is kept in a ConfigMap of the job's, `<job>-runtime-snapshot`.
"""

import msgspec

from windlass.apis.core_v1 import ConfigMap
from windlass.apps.trainer.building import CannotBuild
from windlass.apps.trainer.kinds import GROUP, ClusterTrainingRuntime, Runtime, TrainingRuntime, TrainJob
from windlass.apps.trainer.snapshots import DATA, snapshot_name, snapshot_runtime
from windlass.formats import yaml_writer
from windlass.kube.controller import Observed
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta
from windlass.kube.view import typed, untyped

IS_SNAPSHOT = "trainer.windlass.dev/runtime-snapshot"
"""Label of such a ConfigMap, which distinguishes it from all others."""
SNAPSHOTS = typed(ConfigMap).narrowed(labels=IS_SNAPSHOT)
VIEWS = {kind.__name__: untyped(KINDS.of(kind)) for kind in (TrainingRuntime, ClusterTrainingRuntime)}
STRUCTS: dict[str, type[Runtime]] = {kind.__name__: kind for kind in (TrainingRuntime, ClusterTrainingRuntime)}


class NoRuntime(CannotBuild):
    """There is none to run the job by."""


def is_supported(job: TrainJob) -> bool:
    return job.spec.runtime_ref.api_group == GROUP and job.spec.runtime_ref.kind in STRUCTS


def runtime_of(job: TrainJob, observed: Observed) -> tuple[Runtime, ConfigMap | None]:
    """The runtime, and the snapshot that is still to be made of it. Raises NoRuntime."""
    kept = observed.one(SNAPSHOTS, snapshot_name(job.metadata.name))
    if kept is not None:
        return _kept(job, kept), None
    ref = job.spec.runtime_ref
    found = observed.one(VIEWS[ref.kind], ref.name)
    if found is None:
        raise NoRuntime(f'{ref.kind} specified in TrainJob is not found: {ref.kind} "{ref.name}" not found')
    return msgspec.convert(found, STRUCTS[ref.kind]), _snapshot(job, found)


def _snapshot(job: TrainJob, runtime: Object) -> ConfigMap:
    metadata: Object = {"name": runtime["metadata"]["name"]}
    if dig(runtime, "metadata", "namespace"):
        metadata["namespace"] = runtime["metadata"]["namespace"]
    kept: Object = {
        "apiVersion": runtime["apiVersion"],
        "kind": runtime["kind"],
        "metadata": metadata,
        "spec": runtime.get("spec") or {},
    }
    return ConfigMap(
        metadata=ObjectMeta(name=snapshot_name(job.metadata.name), labels={IS_SNAPSHOT: ""}),
        data={DATA: yaml_writer.write(kept, ascii_only=True)},
    )


def _kept(job: TrainJob, snapshot: ConfigMap) -> Runtime:
    ref, kept = job.spec.runtime_ref, snapshot_runtime({"data": snapshot.data})
    if kept is None or (kept.get("kind"), dig(kept, "metadata", "name")) != (ref.kind, ref.name):
        raise NoRuntime(f"invalid runtime snapshot: it is not of {ref.kind} {ref.name}")
    try:
        return msgspec.convert(kept, STRUCTS[ref.kind])
    except msgspec.ValidationError as error:
        raise NoRuntime(f"invalid runtime snapshot: {error}") from error
