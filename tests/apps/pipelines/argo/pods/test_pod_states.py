"""What a pod that does not start means for its node."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.apps.pipelines.argo.simulation import START, Simulation
from tests.apps.pipelines.workflows import a_container, a_workflow
from windlass.apis.core_v1 import ContainerStatus, Pod, PodStatus
from windlass.apps.pipelines.argo.kfp import run_records
from windlass.apps.pipelines.argo.pods.pod_states import pod_state
from windlass.apps.pipelines.model import Error
from windlass.kube.meta import ObjectMeta


def waiting_pod(reason: str, phase: str = "Pending", *, init: bool = False) -> Pod:
    statuses = [ContainerStatus(name="main", state={"waiting": {"reason": reason, "message": "no such image"}})]
    metadata = ObjectMeta(name="p", namespace="n", creation_timestamp=START.strftime("%Y-%m-%dT%H:%M:%SZ"))
    if init:
        return Pod(metadata=metadata, status=PodStatus(phase=phase, init_container_statuses=statuses))
    return Pod(metadata=metadata, status=PodStatus(phase=phase, container_statuses=statuses))


@pytest.mark.parametrize(
    ("pod", "seconds"),
    [
        (waiting_pod("InvalidImageName"), 0),
        (waiting_pod("ImagePullBackOff"), 10),
        (waiting_pod("CreateContainerError", init=True), 10),
        (waiting_pod("CreateContainerConfigError"), 60),
        (waiting_pod("ContainerCreating"), None),
        (waiting_pod("ImagePullBackOff", "Running"), None),
        (Pod(status=PodStatus(phase="Pending")), None),
    ],
)
def test_a_container_that_cannot_start_is_given_some_time(pod: Pod, seconds: int | None) -> None:
    expected = None if seconds is None else START + timedelta(seconds=seconds)

    assert pod_state(pod).gives_up_at == expected


def test_a_workflow_says_why_a_pod_waits_until_it_runs() -> None:
    run = Simulation(a_workflow(a_container("main")))
    run.turn()
    (name,) = run.pods
    run.pods[name] = replace(run.pods[name], message="Unschedulable: the claim x is not bound: no volume fits")
    run.turn()

    said = "Unschedulable: the claim x is not bound: no volume fits"
    assert (run.node("")["message"], run.status["message"]) == (said, f"w: {said}")
    (recorded,) = run_records.tasks(run.workflow)
    assert recorded.error == Error(code=14, message=said)

    run.pods[name] = replace(run.pods[name], phase="Running", message="")
    run.turn()
    assert "message" not in run.status
    assert "message" not in run.node("")
    (recorded,) = run_records.tasks(run.workflow)
    assert recorded.error is None


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("", "Error (exit code 1)"),
        ("Traceback:\n  File x\n\x1b[31mValueError: no\x1b[0m\n\n", "Error (exit code 1): ValueError: no"),
        ("x" * 5000, f"Error (exit code 1): {'x' * 299}…"),
    ],
)
def test_the_message_of_a_failed_container_has_the_last_line_of_its_log(said: str, message: str) -> None:
    ended = {"terminated": {"exitCode": 1, "reason": "Error", "message": said}}
    status = PodStatus(phase="Failed", container_statuses=[ContainerStatus(name="main", state=ended)])

    assert pod_state(Pod(status=status)).message == message


@pytest.mark.parametrize(("given", "policy"), [(None, "FallbackToLogsOnError"), ("File", "File")])
def test_pods_report_the_end_of_their_log_unless_the_template_says_otherwise(given: str | None, policy: str) -> None:
    template = a_container("main")
    if given:
        template["container"]["terminationMessagePolicy"] = given
    own = {"terminationMessagePolicy": given} if given else {}
    template["initContainers"] = [{"name": "mine", "image": "i", **own}]
    template["sidecars"] = [{"name": "beside", "image": "i", **own}]
    run = Simulation(a_workflow(template))
    run.turn()

    spec = run.pod_of("")["spec"]
    policies = {each["name"]: each["terminationMessagePolicy"] for each in spec["initContainers"] + spec["containers"]}
    assert policies == {"main": policy, "mine": policy, "beside": policy}


def test_a_node_whose_container_cannot_start_ends_in_error_with_the_reason() -> None:
    run = Simulation(a_workflow(a_container("main")))
    run.turn()
    (name,) = run.pods
    run.pods[name] = replace(
        run.pods[name], message="ErrImagePull: no such image", gives_up_at=run.now + timedelta(seconds=10)
    )

    made = run.turn()
    assert (run.phase, made.wake_at) == ("Running", run.now + timedelta(seconds=10))
    run.now += timedelta(seconds=10)
    run.turn()

    assert (run.phase, run.node("")["message"]) == ("Error", "ErrImagePull: no such image")
    assert run.pods == {}
