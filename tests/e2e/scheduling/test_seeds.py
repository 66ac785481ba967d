"""What the documents that Windlass began with tell of gangs: their manifests and commands, and what these print."""

import re
from pathlib import Path

import pytest
import yaml

from tests.e2e.node.pods import Object
from tests.e2e.scheduling.cluster import GPU, Cluster, gang, members
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]

SEEDS = Path(__file__).parents[1] / "training" / "seeds"
JOB = "dist-mnist-for-e2e-test"
PODS = [f"{JOB}-{role}" for role in ("ps-0", "ps-1", "worker-0", "worker-1", "worker-2", "worker-3")]
OLD_GROUPS = "podgroups.scheduling.incubator.k8s.io"
OVERUSED = f"resource in cluster is overused: overused {GPU}"


def manifest(name: str) -> str:
    return (SEEDS / f"{name}.yaml").read_text()


def shows_the_group_that_waits(kubectl: Cluster) -> None:
    """As the document prints it: not one pod is made."""
    header, *rows = kubectl("get podGroup").splitlines()
    assert header == "NAME                      STATUS    MINMEMBER   RUNNINGS   AGE"
    assert [bool(re.fullmatch(rf"{JOB}   Pending   6                      \S+", row)) for row in rows] == [True], rows
    assert "mnist" not in kubectl.run("get pod -A").stdout


def starts_whole_with_more_gpus(kubectl: Cluster) -> None:
    with kubectl.watching("get podGroup -w") as watched:
        watched.until("Pending")
        kubectl.add_node("three-gpus", gpus=3)
        assert sorted(kubectl.all_or_none(6)) == PODS
        kubectl.phase_of_group(JOB, "Running")
        printed = watched.until("Running")
    phases = [line.split()[1] for line in printed.splitlines()[1:]]
    assert list(dict.fromkeys(phases)) == ["Pending", "Inqueue", "Running"]

    kubectl.hears(JOB, "volcano", "Scheduled", "pod group is ready")
    for name, node in kubectl.bound().items():
        assigned = f"Successfully assigned {kubectl.namespace}/{name} to {node}"
        kubectl.hears(name, "volcano", "Scheduled", assigned)
    kubectl.nodes_run_their_pods()
    kubectl.until(f"podgroups/{JOB}", lambda group: group["status"].get("running") == 6)
    assert kubectl.rows("get podgroup")[1][:4] == [JOB, "Running", "6", "6"]


def test_with_gangs_a_job_that_lacks_gpus_has_no_pods_and_starts_whole_when_there_are_more(
    kubectl_with_gangs: Cluster,
) -> None:
    kubectl = kubectl_with_gangs
    kubectl.add_node("one-gpu", gpus=1)

    kubectl("apply -f -", manifest("gpu_workers"))

    told = kubectl.told(JOB, f"{OVERUSED} ({GPU}: 4 asked, 1 free)")
    assert (told["type"], told["status"], told["reason"]) == ("Unschedulable", "True", "NotEnqueueable")
    waits = "0/0 tasks in gang unschedulable: pod group is not ready, 6 minAvailable"
    means = f"Queue default does not admit it, no pods exist yet, the gang needs 6: {OVERUSED}"
    assert kubectl.warned(JOB, "volcano", "Unschedulable", waits) == f"{waits}. {means}"
    kubectl.hears(JOB, "volcano", "Unschedulable", OVERUSED)
    assert kubectl.group(JOB)["spec"]["minResources"] == {GPU: "4"}
    shows_the_group_that_waits(kubectl)

    starts_whole_with_more_gpus(kubectl)


def test_without_gangs_one_worker_runs_and_three_say_what_they_wait_for(kubectl: Cluster) -> None:
    kubectl.add_node("one-gpu", gpus=1)

    kubectl("apply -f -", manifest("gpu_workers"))

    for name in PODS[:2]:
        kubectl.until(f"pods/{name}", lambda pod: pod["spec"].get("nodeName") == "one-gpu")
    waiting = kubectl.until("pods", lambda pods: len(pending(pods["items"])) == 3)
    eventually(lambda: len(kubectl.bound(f"{JOB}-worker")) == 1, 60, "the fourth has the GPU")
    for name in pending(waiting["items"]):
        missing = f"0/1 nodes are available: 1 Insufficient {GPU}."
        assert kubectl.warned(name, "default-scheduler", "FailedScheduling", missing).startswith(missing)
    assert kubectl.rows("get podgroups") == []


def pending(pods: list[dict[str, object]]) -> list[str]:
    """The names of those that were told that there is no room."""
    return [str(pod["metadata"]["name"]) for pod in pods if "Unschedulable" in str(pod["status"])]  # type: ignore[index]


def test_a_group_that_a_person_made_first_is_filled_in_and_keeps_its_queue(kubectl_with_gangs: Cluster) -> None:
    kubectl = kubectl_with_gangs
    kubectl.add_node("one-gpu", gpus=1)
    kubectl("apply -f -", manifest("volcano_group").partition("\n---\n")[0])
    kubectl.phase_of_group(JOB, "Inqueue")

    kubectl("apply -f -", manifest("gpu_workers"))

    kubectl.told(JOB, OVERUSED)
    spec = kubectl.group(JOB)["spec"]
    assert spec == {"minMember": 6, "minResources": {GPU: "4"}, "queue": "default"}
    shows_the_group_that_waits(kubectl)

    starts_whole_with_more_gpus(kubectl)


def test_a_gang_of_kube_batch_with_room_for_five_has_six_pods_that_wait(kubectl: Cluster) -> None:
    kubectl.add_node("small", cpu="5")
    kubectl("apply -f -", kube_batch_with_a_cpu_each())

    told = kubectl.told("tfjob-group", "6/6 tasks in gang unschedulable: ", OLD_GROUPS)

    assert (told["type"], told["reason"]) == ("Unschedulable", "NotEnoughResources")
    assert told["message"] == "6/6 tasks in gang unschedulable: 0/1 nodes are available, 1 insufficient cpu."
    assert kubectl.group("tfjob-group", OLD_GROUPS)["status"]["phase"] == "Pending"
    assert sorted(pod["metadata"]["name"] for pod in kubectl.pods()) == PODS
    assert kubectl.bound() == {}
    assert kubectl.warned("tfjob-group", "kube-batch", "Unschedulable", told["message"]) == told["message"]

    kubectl.add_node("more", cpu="1")

    assert sorted(kubectl.all_or_none(6)) == PODS
    kubectl.phase_of_group("tfjob-group", "Running", OLD_GROUPS)


def kube_batch_with_a_cpu_each() -> str:
    """The document's manifest, whose pods ask for nothing there."""
    found = list(yaml.safe_load_all(manifest("kube_batch")))
    for replica in found[1]["spec"]["tfReplicaSpecs"].values():
        replica["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    return yaml.safe_dump_all(found)


def test_five_pods_of_six_wait_for_the_sixth(kubectl: Cluster) -> None:
    kubectl.add_node("large")
    kubectl.apply(gang("tfjob-group", 6, "kube-batch"), *members("tfjob-group", 5, "kube-batch", asked={"cpu": "1"}))

    told = kubectl.told("tfjob-group", "Not enough valid tasks for gang-scheduling, valid: 5, min: 6", OLD_GROUPS)

    assert told["reason"] == "NotEnoughTasks"
    assert kubectl.bound() == {}
    kubectl.apply(*members("tfjob-group", 1, "kube-batch", first=5, asked={"cpu": "1"}))
    kubectl.all_or_none(6)


def test_a_gang_that_is_let_in_and_finds_the_gpus_in_pieces_waits_with_its_pods(kubectl: Cluster) -> None:
    for name in ("left", "right"):
        kubectl.add_node(name, gpus=2)
    kubectl.apply(gang("wide", 2, minResources={"cpu": "2"}), *members("wide", 2, asked={GPU: "3"}))

    told = kubectl.told("wide", "2/2 tasks in gang unschedulable: ")

    missing = f"0/2 nodes are unavailable: 2 Insufficient {GPU}."
    head = "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable; "
    head += f"Pending: 0 Schedulable, 2 Unschedulable. Origin reason is {kubectl.namespace}/wide-"
    assert told["message"] in [f"{head}{number}: {missing}" for number in (0, 1)]
    assert (told["reason"], kubectl.group("wide")["status"]["phase"]) == ("NotEnoughResources", "Inqueue")
    for name in ("wide-0", "wide-1"):
        assert kubectl.warned(name, "volcano", "FailedScheduling", missing) == missing
        condition = kubectl.unschedulable(name, missing)
        del condition["lastTransitionTime"]
        scheduled = {"type": "PodScheduled", "status": "False"}
        assert condition == scheduled | {"reason": "Unschedulable", "message": missing}
    assert kubectl.warned("wide", "volcano", "Unschedulable", told["message"]) == told["message"]
    assert kubectl.bound() == {}
    assert "2 Insufficient" in kubectl("describe podgroup wide")


def test_pods_that_would_fit_are_told_where_and_that_they_wait_for_the_others(kubectl: Cluster) -> None:
    kubectl.add_node("one-gpu", gpus=1)
    kubectl.apply(gang("six", 6), *members("six", 6))

    told = kubectl.told("six", "6/6 tasks in gang unschedulable: ")

    states = "pod group is not ready, 6 Pending, 6 minAvailable; Pending: 1 Schedulable, 5 Unschedulable"
    assert told["message"].startswith(f"6/6 tasks in gang unschedulable: {states}. Origin reason is ")
    hint = rf"Pod {kubectl.namespace}/six-\d can possibly be assigned to one-gpu, once minAvailable is satisfied"
    missing = re.escape(f"0/1 nodes are unavailable: 1 Insufficient {GPU}.")

    def conditions(found: Object) -> list[Object]:
        return [each for pod in found["items"] for each in pod["status"].get("conditions", [])]

    def are_told(found: Object) -> bool:
        words = [each["message"] for each in conditions(found)]
        return [sum(bool(re.fullmatch(one, text)) for text in words) for one in (hint, missing)] == [1, 5]

    found = kubectl.until("pods", are_told)
    assert {each["reason"] for each in conditions(found)} == {"Unschedulable"}, "so that autoscalers see all of them"
    for pod, condition in zip(found["items"], conditions(found), strict=True):
        assert kubectl.warned(pod["metadata"]["name"], "volcano", "FailedScheduling", condition["message"])
