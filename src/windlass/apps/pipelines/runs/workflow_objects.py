"""The Workflow object that stands for a run: how it is made, what users ask of it, and what its status shows. Pure."""

from datetime import UTC, datetime
from itertools import pairwise

from windlass.apps.pipelines.argo.kfp.cache_key import CACHE_ENABLED_LABEL, STALENESS_ANNOTATION
from windlass.apps.pipelines.model import NOT_YET, Run, RunState
from windlass.apps.pipelines.names import (
    COMPLETED_LABEL,
    FAIL_FAST_ANNOTATION,
    IR_LABEL,
    PHASE_LABEL,
    RETRIES_ANNOTATION,
    RUN_ID_LABEL,
    RUN_NAME_ANNOTATION,
)
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp

API_VERSION, KIND = "argoproj.io/v1alpha1", "Workflow"
PHASES = {
    RunState.PENDING: "Pending",
    RunState.RUNNING: "Running",
    RunState.CANCELING: "Running",
    RunState.PAUSED: "Running",
    RunState.SUCCEEDED: "Succeeded",
    RunState.SKIPPED: "Succeeded",
    RunState.FAILED: "Failed",
    RunState.CANCELED: "Failed",
}
SHOWN_ARTIFACTS = ("mlpipeline-ui-metadata", "mlpipeline-metrics")
"""Output artifacts of v1 tasks that the dashboard shows. Many components declare them and write neither."""
FINAL = frozenset({RunState.SUCCEEDED, RunState.SKIPPED, RunState.FAILED, RunState.CANCELED})


def workflow_of(run: Run, labels: dict[str, str] | None = None) -> Object:
    """The object to create for a run. That of a v1 pipeline is its Workflow, under the run's name."""
    manifest: Object = run.spec if run.is_argo else {}
    metadata = dig_object(manifest, "metadata")
    annotations = {**dig_object(metadata, "annotations"), RUN_NAME_ANNOTATION: run.display_name}
    if not run.is_fail_fast:
        annotations[FAIL_FAST_ANNOTATION] = "false"
    marks = {RUN_ID_LABEL: run.run_id, **(labels or {})} | ({} if run.is_argo else {IR_LABEL: "true"})
    spec: Object = {**dig_object(manifest, "spec"), "serviceAccountName": run.service_account}
    if run.is_argo and spec.get("templates"):
        spec["templates"] = [_with_options(template, run) for template in dig_list(spec, "templates")]
    if not run.is_argo:
        spec |= {"entrypoint": "root", **_lifetime(run)}
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {
            "name": run.resource_name,
            "namespace": run.namespace,
            "labels": {**dig_object(metadata, "labels"), **marks},
            "annotations": annotations,
        },
        "spec": spec,
    }


def _with_options(template: Object, run: Run) -> Object:
    """The template of a v1 run with the run's settings of cache and failures; what it says itself counts more.

    A label says whether outputs may be reused: that of the run, unless the template's own opts out.
    """
    metadata = dig_object(template, "metadata")
    labels = {**dig_object(metadata, "labels"), CACHE_ENABLED_LABEL: "true" if run.is_cache_enabled else "false"}
    metadata = {**metadata, "labels": labels}
    if run.max_cache_staleness:
        own = dig_object(metadata, "annotations")
        metadata["annotations"] = {STALENESS_ANNOTATION: run.max_cache_staleness, **own}
    made = {**template, "metadata": metadata}
    if dig_list(template, "outputs", "artifacts"):
        made["outputs"] = {**dig_object(template, "outputs"), "artifacts": _output_artifacts(template)}
    if template.get("dag") is not None and not run.is_fail_fast:
        made["dag"] = {"failFast": False, **dig_object(template, "dag")}
    return made


def _output_artifacts(template: Object) -> list[Object]:
    """The output artifacts of a template. Those that are only for the dashboard may be missing."""
    return [
        {**artifact, "optional": True} if dig(artifact, "name") in SHOWN_ARTIFACTS else artifact
        for artifact in dig_list(template, "outputs", "artifacts")
    ]


def _lifetime(run: Run) -> Object:
    """The deadline and the times to live that the platform document of a pipeline asks for."""
    config = dig_object(run.platform_spec, "platforms", "kubernetes", "pipelineConfig")
    names = {
        "resourceTtlOnCompletion": "secondsAfterCompletion",
        "resourceTtlOnSuccess": "secondsAfterSuccess",
        "resourceTtlOnFailure": "secondsAfterFailure",
    }
    strategy = {
        ours: int(config[theirs]) for theirs, ours in names.items() if isinstance(config.get(theirs), int | float)
    }
    deadline = config.get("activeDeadlineSeconds")
    return ({"ttlStrategy": strategy} if strategy else {}) | (
        {"activeDeadlineSeconds": int(deadline)} if isinstance(deadline, int | float) and deadline > 0 else {}
    )


def is_ir(workflow: Object) -> bool:
    return dig(workflow, "metadata", "labels", IR_LABEL) == "true"


def run_id_of(workflow: Object) -> str:
    return str(dig(workflow, "metadata", "labels", RUN_ID_LABEL) or "")


def is_completed(workflow: Object) -> bool:
    return dig(workflow, "metadata", "labels", COMPLETED_LABEL) == "true"


def is_shut_down(workflow: Object) -> bool:
    """Whether a user ended the run: by `spec.shutdown`, or as Kubeflow does, by a deadline that has passed."""
    return (
        dig(workflow, "spec", "shutdown") in ("Stop", "Terminate")
        or dig(workflow, "spec", "activeDeadlineSeconds") == 0
    )


def is_suspended(workflow: Object) -> bool:
    """Whether the run is held: by its user, or because its profile is in the recycle bin."""
    return dig(workflow, "spec", "suspend") is True and not is_shut_down(workflow)


def retries_of(workflow: Object) -> str:
    return str(dig(workflow, "metadata", "annotations", RETRIES_ANNOTATION) or "")


def owner_reference(workflow: Object) -> Object:
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "name": dig(workflow, "metadata", "name"),
        "uid": dig(workflow, "metadata", "uid"),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def deadline_of(workflow: Object, run: Run) -> float | None:
    """When the run is ended if it still runs. A retry has as much time as the first attempt had."""
    seconds = dig(workflow, "spec", "activeDeadlineSeconds")
    if not isinstance(seconds, int) or seconds <= 0:
        return None
    retries = [after.update_time for before, after in pairwise(run.state_history) if before.state in FINAL]
    return max([run.created_at, *retries]) + seconds


def expiry_of(workflow: Object, default_seconds: float) -> float:
    """When the Workflow of a finished run is deleted."""
    finished = dig(workflow, "status", "finishedAt")
    ended = datetime.fromisoformat(finished).timestamp() if isinstance(finished, str) else 0.0
    strategy = dig_object(workflow, "spec", "ttlStrategy")
    is_success = dig(workflow, "status", "phase") == "Succeeded"
    for name in ("secondsAfterSuccess" if is_success else "secondsAfterFailure", "secondsAfterCompletion"):
        seconds = strategy.get(name)
        if isinstance(seconds, int):
            return ended + seconds
    return ended + default_seconds


def status_of(run: Run, ended: int, counted: int, *, waiting: str = "") -> Object:
    """`ended` of `counted` tasks are done; `waiting` is why a pod does not start."""
    status: Object = {
        "phase": PHASES[run.state],
        "startedAt": _time(run.created_at),
        "progress": f"{ended}/{counted}",
        "message": run.error.message if run.error is not None else waiting,
    }
    return status | ({"finishedAt": _time(run.finished_at)} if run.finished_at != NOT_YET else {})


def completion_labels(run: Run) -> dict[str, str]:
    return {PHASE_LABEL: PHASES[run.state], COMPLETED_LABEL: "true" if run.state in FINAL else "false"}


def _time(seconds: float) -> str:
    return timestamp(datetime.fromtimestamp(seconds, UTC))
