"""What a pod's status says about its node."""

from datetime import datetime, timedelta

from windlass.apis.core_v1 import ContainerStatus, Pod
from windlass.apps.pipelines.argo.observation import PodState
from windlass.apps.pipelines.executor.start_problems import GRACE_SECONDS, reason_to_wait
from windlass.apps.pipelines.names import MAIN, RETRIES_ANNOTATION
from windlass.kube.json import dig, dig_object
from windlass.kube.last_line import last_line


def pod_state(pod: Pod) -> PodState:
    main = _deciding(pod)
    ended = dig_object(main.state, "terminated") if main is not None else {}
    code = ended.get("exitCode")
    exit_code = code if isinstance(code, int) else None
    is_failed = pod.status.phase == "Failed"
    return PodState(
        name=pod.metadata.name,
        phase=pod.status.phase or "Pending",
        message=_failure(pod, main, exit_code) if is_failed else reason_to_wait(pod),
        exit_code=exit_code,
        is_system_failure=is_failed and pod.status.reason != "DeadlineExceeded" and not exit_code,
        gives_up_at=_gives_up_at(pod) if pod.status.phase == "Pending" else None,
        is_deleting=pod.metadata.deletion_timestamp is not None,
        retries=pod.metadata.annotations.get(RETRIES_ANNOTATION, ""),
        is_ready=any(condition.type == "Ready" and condition.status == "True" for condition in pod.status.conditions),
        labels=pod.metadata.labels,
        ip=pod.status.pod_ip,
        host=pod.spec.node_name,
        finished_at=str(ended.get("finishedAt") or ""),
    )


def _deciding(pod: Pod) -> ContainerStatus | None:
    """The container that says how the pod ended: the main one, or in a set the first that failed."""
    statuses = pod.status.container_statuses
    main = next((status for status in statuses if status.name == MAIN), None)
    failed = [status for status in statuses if dig(status.state, "terminated", "exitCode")]
    is_decided = main is not None and bool(dig(main.state, "terminated", "exitCode"))
    return main if is_decided or not failed else failed[0]


def _failure(pod: Pod, main: ContainerStatus | None, exit_code: int | None) -> str:
    """Why the pod failed: what ended the pod counts, not how its container ended."""
    if pod.status.reason:
        return f"{pod.status.reason}: {pod.status.message}" if pod.status.message else pod.status.reason
    for status in pod.status.init_container_statuses:
        code = dig(status.state, "terminated", "exitCode")
        if code and status.restart_count == 0 and not exit_code:
            said = last_line(str(dig(status.state, "terminated", "message") or ""))
            return f"init container {status.name}: Error (exit code {code})" + (f": {said}" if said else "")
    ended = dig_object(main.state, "terminated") if main is not None else {}
    reason, detail = str(ended.get("reason") or "Error"), last_line(str(ended.get("message") or ""))
    if exit_code is None:
        return pod.status.message or "the pod failed before its container ran"
    return f"{reason} (exit code {exit_code})" + (f": {detail}" if detail else "")


def _gives_up_at(pod: Pod) -> datetime | None:
    """When the reason for which a container does not start has lasted too long."""
    created = pod.metadata.creation_timestamp
    for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        grace = GRACE_SECONDS.get(str(dig(status.state, "waiting", "reason")))
        if grace is not None and created is not None:
            return datetime.fromisoformat(created) + timedelta(seconds=grace)
    return None
