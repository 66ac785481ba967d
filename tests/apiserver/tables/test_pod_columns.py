from typing import Any

import pytest

from tests.apiserver.tables.builders import NOW, an_object, row
from windlass.apiserver.tables import columns_for
from windlass.kube.json import Object

RUNNING = {"running": {"startedAt": "2026-03-01T11:00:00Z"}}


def a_container(state: Object, *, name: str = "main", ready: bool = False, **fields: Any) -> Object:
    return {"name": name, "ready": ready, "restartCount": 0, "state": state, **fields}


def a_pod(
    *containers: Object, phase: str = "Running", inits: list[Object] | None = None, spec: Any = None, **status: Any
) -> Object:
    all_spec = {"containers": [{"name": c["name"]} for c in containers] or [{"name": "main"}], **(spec or {})}
    all_status = {"phase": phase, "containerStatuses": list(containers), **status}
    if inits is not None:
        all_status["initContainerStatuses"] = inits
        all_spec.setdefault("initContainers", [{"name": c["name"]} for c in inits])
    return an_object("pod", apiVersion="v1", kind="Pod", spec=all_spec, status=all_status)


def waiting(reason: str) -> Object:
    return {"waiting": {"reason": reason}}


def dead(exit_code: int, reason: str = "", **fields: Any) -> Object:
    return {"terminated": {"exitCode": exit_code, "reason": reason, **fields}}


@pytest.mark.parametrize(
    ("pod", "ready", "status"),
    [
        (a_pod(phase="Pending"), "0/1", "Pending"),
        (a_pod(a_container(RUNNING, ready=True)), "1/1", "Running"),
        (a_pod(a_container(waiting("ContainerCreating")), phase="Pending"), "0/1", "ContainerCreating"),
        (a_pod(a_container(waiting("CrashLoopBackOff"))), "0/1", "CrashLoopBackOff"),
        (a_pod(a_container(waiting("ErrImagePull")), phase="Pending"), "0/1", "ErrImagePull"),
        (a_pod(a_container(dead(0, "Completed")), phase="Succeeded"), "0/1", "Completed"),
        (a_pod(a_container(dead(1, "Error")), phase="Failed"), "0/1", "Error"),
        (a_pod(a_container(dead(3))), "0/1", "ExitCode:3"),
        (a_pod(a_container(dead(137, signal=9))), "0/1", "Signal:9"),
        (a_pod(phase="Failed", reason="Evicted"), "0/1", "Evicted"),
        (
            a_pod(a_container(RUNNING, ready=True), a_container(dead(0, "Completed"), name="b")),
            "1/2",
            "NotReady",
        ),
        (
            a_pod(
                a_container(RUNNING, ready=True),
                a_container(dead(0, "Completed"), name="b"),
                conditions=[{"type": "Ready", "status": "True"}],
            ),
            "1/2",
            "Running",
        ),
        (
            a_pod(
                phase="Pending",
                conditions=[{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}],
            ),
            "0/1",
            "SchedulingGated",
        ),
        (a_pod(phase="Pending", inits=[a_container(waiting("PodInitializing"), name="i")]), "0/1", "Init:0/1"),
        (
            a_pod(
                phase="Pending",
                inits=[a_container(dead(0, "Completed"), name="i"), a_container(RUNNING, name="j")],
            ),
            "0/1",
            "Init:1/2",
        ),
        (a_pod(phase="Pending", inits=[a_container(dead(1, "Error"), name="i")]), "0/1", "Init:Error"),
        (a_pod(phase="Pending", inits=[a_container(dead(2), name="i")]), "0/1", "Init:ExitCode:2"),
        (
            a_pod(phase="Pending", inits=[a_container(waiting("CrashLoopBackOff"), name="i")]),
            "0/1",
            "Init:CrashLoopBackOff",
        ),
        (
            a_pod(a_container(RUNNING, ready=True), inits=[a_container(dead(0, "Completed"), name="i")]),
            "1/1",
            "Running",
        ),
        (
            a_pod(
                a_container(RUNNING, ready=True),
                inits=[a_container(RUNNING, name="side", ready=True, started=True)],
                spec={"initContainers": [{"name": "side", "restartPolicy": "Always"}]},
            ),
            "2/2",
            "Running",
        ),
    ],
)
def test_a_pods_state_is_told_in_one_word(pod: Object, ready: str, status: str) -> None:
    shown = row("", "Pod", pod)

    assert (shown["READY"], shown["STATUS"]) == (ready, status)


def test_a_pod_that_is_being_deleted_is_terminating_unless_it_has_ended_or_its_node_is_lost() -> None:
    deleted = {"deletionTimestamp": "2026-03-01T11:00:00Z"}
    running, ended, lost = a_pod(), a_pod(phase="Succeeded"), a_pod(reason="NodeLost")
    for pod in (running, ended, lost):
        pod["metadata"].update(deleted)

    assert [row("", "Pod", pod)["STATUS"] for pod in (running, ended, lost)] == ["Terminating", "Succeeded", "Unknown"]


def test_restarts_say_when_the_last_was() -> None:
    ended = {"terminated": {"exitCode": 1, "finishedAt": "2026-03-01T11:55:00Z"}}
    older = {"terminated": {"exitCode": 1, "finishedAt": "2026-03-01T10:55:00Z"}}
    pod = a_pod(
        a_container(RUNNING, restartCount=2, lastState=ended),
        a_container(RUNNING, name="b", restartCount=1, lastState=older),
    )

    assert row("", "Pod", pod)["RESTARTS"] == "3 (5m ago)"
    assert row("", "Pod", a_pod(a_container(RUNNING, restartCount=2)))["RESTARTS"] == "2"
    assert row("", "Pod", a_pod())["RESTARTS"] == "0"


def test_restarts_of_init_containers_count_only_while_the_pod_initializes() -> None:
    init = a_container(waiting("CrashLoopBackOff"), name="i", restartCount=4)
    finished = a_container(dead(0, "Completed"), name="i", restartCount=4)

    assert row("", "Pod", a_pod(phase="Pending", inits=[init]))["RESTARTS"] == "4"
    assert row("", "Pod", a_pod(a_container(RUNNING), inits=[finished]))["RESTARTS"] == "0"


def test_wide_output_tells_where_the_pod_is() -> None:
    pod = a_pod(spec={"nodeName": "n1", "readinessGates": [{"conditionType": "a"}, {"conditionType": "b"}]})
    pod["status"].update(podIPs=[{"ip": "10.0.0.7"}], conditions=[{"type": "b", "status": "True"}])
    shown = row("", "Pod", pod)

    assert [shown[title] for title in ("IP", "NODE", "NOMINATED NODE", "READINESS GATES")] == [
        "10.0.0.7",
        "n1",
        "<none>",
        "1/2",
    ]
    assert row("", "Pod", a_pod())["IP"] == "<none>"


def test_a_pod_without_any_status_can_be_shown() -> None:
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"}, "spec": {"containers": [{"name": "c"}]}}

    assert [column.cell(bare, NOW) for column in columns_for("", "Pod")][:5] == ["bare", "0/1", "", "0", "<unknown>"]
