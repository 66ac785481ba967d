"""Restarts, limits, clean-up and rest of training jobs, with pods that really run and really fail."""

import json
from collections import Counter

import pytest

from tests.e2e.node.pods import PYTHON, Object
from tests.e2e.training.jobs import JobShell, conditions, is_over, job, template
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(300)]
FOREVER = "exec sleep infinity"


def shell(script: str) -> Object:
    return template("TFJob", PYTHON, ["sh", "-c", script])


def tfjob(name: str, script: str, workers: int = 1, restart: str = "", **policy: object) -> Object:
    return job("TFJob", name, {"Worker": workers}, shell(script), restart, runPolicy=policy)


def failure(obj: Object) -> str:
    return next(each["message"] for each in obj["status"]["conditions"] if each["type"] == "Failed")


def test_an_exit_code_that_says_mistake_fails_the_job(kubectl: JobShell) -> None:
    kubectl.apply(tfjob("wrong", "echo no data >&2; exit 1", restart="ExitCode"))
    ended = kubectl.ends("tfjobs/wrong")
    assert ("Failed", "True") in conditions(ended)
    assert ended["status"]["completionTime"]
    assert failure(ended).endswith("Pod wrong-worker-0, container tensorflow, exit code 1: no data")


def test_an_exit_code_that_says_interrupted_makes_the_pod_anew(kubectl: JobShell) -> None:
    """The second pod has the same name, another uid, and finds the first one's mark that it left with the job."""
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "marks"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}},
    }
    script = "test -e /marks/seen && exit 0; until test -e /marks/go; do sleep 0.1; done; touch /marks/seen; exit 130"
    made = tfjob("again", script, restart="ExitCode")
    pod = made["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    pod["containers"][0]["volumeMounts"] = [{"name": "marks", "mountPath": "/marks"}]
    pod["volumes"] = [{"name": "marks", "persistentVolumeClaim": {"claimName": "marks"}}]
    kubectl.apply(claim, made)
    first = kubectl.phase("again-worker-0", "Running")["metadata"]["uid"]
    kubectl("exec again-worker-0 -- touch /marks/go")
    ended = kubectl.ends("tfjobs/again")
    assert ("Succeeded", "True") in conditions(ended)
    assert kubectl.get("pods/again-worker-0")["metadata"]["uid"] != first
    assert "exited with code 130" in kubectl.event("tfjobs/again", "ExitedWithCode")
    assert "is restarting because 1 Worker replica(s) failed" in kubectl.event("tfjobs/again", "TFJobRestarting")


def test_a_job_that_is_killed_again_and_again_runs_one_pod_more_than_its_limit(kubectl: JobShell) -> None:
    kubectl.apply(tfjob("doomed", "exit 137", restart="ExitCode", backoffLimit=2))
    seen: set[str] = set()

    def over() -> bool:
        seen.update(pod["metadata"]["uid"] for pod in kubectl.pods("training.kubeflow.org/job-name=doomed"))
        return is_over(kubectl.get("tfjobs/doomed"))

    eventually(over, 120, "the job gives up")
    ended = kubectl.get("tfjobs/doomed")
    assert "reached the specified backoff limit" in failure(ended)
    assert "exit code 137" in failure(ended)
    kubectl.event("tfjobs/doomed", "SuccessfulCreatePod")
    made = [message for reason, message in kubectl.events("tfjobs/doomed") if reason == "SuccessfulCreatePod"]
    assert made == ["Created pod: doomed-worker-0"], "one event, counted"
    assert len(seen) <= 3


def test_on_failure_restarts_in_place_and_never_fails_at_once(kubectl: JobShell) -> None:
    kubectl.apply(
        tfjob("patient", "test -e /tmp/x || true; sleep 0.2; exit 1", restart="OnFailure"),
        tfjob("strict", "exit 3", workers=2, restart="Never", cleanPodPolicy="Running"),
    )
    pod = kubectl.until("pods/patient-worker-0", lambda pod: restarts(pod) >= 1)
    uid = pod["metadata"]["uid"]
    ended = kubectl.ends("tfjobs/strict")
    assert ("Failed", "True") in conditions(ended)
    assert kubectl.until("pods/patient-worker-0", lambda pod: restarts(pod) >= 2)["metadata"]["uid"] == uid
    assert not is_over(kubectl.get("tfjobs/patient"))


def restarts(pod: Object) -> int:
    return sum(each["restartCount"] for each in pod["status"].get("containerStatuses", []))


@pytest.mark.parametrize("limit", [0, 1])
def test_the_backoff_limit_counts_restarts_in_place(kubectl: JobShell, limit: int) -> None:
    kubectl.apply(tfjob("limited", "sleep 0.1; exit 1", restart="OnFailure", backoffLimit=limit))
    ended = kubectl.ends("tfjobs/limited")
    assert "reached the specified backoff limit. Pod limited-worker-0, container tensorflow" in failure(ended)


def test_a_silent_sleeper_is_ended_by_its_deadline(kubectl: JobShell) -> None:
    kubectl.apply(tfjob("sleeper", FOREVER, activeDeadlineSeconds=3, cleanPodPolicy="Running"))
    ended = kubectl.ends("tfjobs/sleeper")
    assert "active longer than specified deadline" in failure(ended)
    assert took(ended["status"]) >= 3
    kubectl.gone("pods/sleeper-worker-0")
    kubectl.gone("services/sleeper-worker-0")


def took(status: Object) -> float:
    from datetime import datetime

    start, end = (datetime.fromisoformat(status[each]) for each in ("startTime", "completionTime"))
    return (end - start).total_seconds()


def test_a_finished_job_goes_with_all_it_has_when_its_time_is_over(kubectl: JobShell) -> None:
    kubectl.apply(tfjob("brief", "true", ttlSecondsAfterFinished=2))
    kubectl.event("tfjobs/brief", "TFJobSucceeded")  # which outlives the job
    for path in ("tfjobs/brief", "pods/brief-worker-0", "services/brief-worker-0"):
        kubectl.gone(path)


@pytest.mark.parametrize(
    ("policy", "left"),
    [
        ("None", ["clean-ps-0", "clean-worker-0"]),
        ("Running", ["clean-worker-0"]),
        ("All", []),
    ],
)
def test_the_clean_pod_policy_decides_what_stays(kubectl: JobShell, policy: str, left: list[str]) -> None:
    made = tfjob("clean", "sleep 0.5", cleanPodPolicy=policy)
    made["spec"]["tfReplicaSpecs"]["PS"] = {"replicas": 1, "template": shell(FOREVER)}
    kubectl.apply(made)
    kubectl.has("tfjobs/clean", "Succeeded")

    def names(kind: str) -> list[str]:
        return sorted(each["metadata"]["name"] for each in kubectl.server.get(kubectl.path(kind))["items"])

    eventually(lambda: names("pods") == names("services") == left, 90, f"{left} stay")


def test_a_job_is_put_to_rest_and_resumed(kubectl: JobShell) -> None:
    kubectl.apply(tfjob("rest", FOREVER, workers=2, suspend=True))
    kubectl.has("tfjobs/rest", "Suspended")
    assert not kubectl.pods()
    assert "startTime" not in kubectl.get("tfjobs/rest")["status"]

    kubectl("""patch tfjob rest --type=merge -p '{"spec":{"runPolicy":{"suspend":false}}}'""")
    running = kubectl.has("tfjobs/rest", "Running")
    assert ("Suspended", "False") in conditions(running)
    started = running["status"]["startTime"]

    kubectl("""patch tfjob rest --type=merge -p '{"spec":{"runPolicy":{"suspend":true}}}'""")
    resting = kubectl.has("tfjobs/rest", "Suspended")
    assert conditions(resting)[-2:] == [("Running", "False"), ("Suspended", "True")]
    for index in (0, 1):
        kubectl.gone(f"pods/rest-worker-{index}")
        kubectl.gone(f"services/rest-worker-{index}")
    assert "active" not in kubectl.get("tfjobs/rest")["status"]["replicaStatuses"]["Worker"]

    kubectl("""patch tfjob rest --type=merge -p '{"spec":{"runPolicy":{"suspend":false}}}'""")
    assert kubectl.has("tfjobs/rest", "Running")["status"]["startTime"] >= started


def test_a_pod_that_somebody_deletes_is_made_again_unless_the_policy_is_never(kubectl: JobShell) -> None:
    lost = tfjob("lost", FOREVER, restart="Never")  # which takes so long to end that it is seen to be deleted
    lost["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["terminationGracePeriodSeconds"] = 20
    kubectl.apply(tfjob("kept", FOREVER, restart="OnFailure"), lost)
    for name in ("kept", "lost"):
        kubectl.has(f"tfjobs/{name}", "Running")
    uid = kubectl.get("pods/kept-worker-0")["metadata"]["uid"]
    kubectl("delete pod kept-worker-0 lost-worker-0 --wait=false")
    kubectl.until(
        "pods/kept-worker-0", lambda pod: pod["metadata"]["uid"] != uid and pod["status"]["phase"] == "Running"
    )
    assert failure(kubectl.ends("tfjobs/lost")).endswith("Pod lost-worker-0 was deleted")


def test_a_job_that_restarts_as_a_whole_replaces_every_pod(kubectl: JobShell) -> None:
    made = tfjob("whole", "until test -e /tmp/die; do sleep 0.1; done; exit 1", 2, "OnFailure", backoffLimit=1)
    made["metadata"]["annotations"] = {"training.windlass.dev/restart-whole-job": "true"}
    kubectl.apply(made)
    names = ("whole-worker-0", "whole-worker-1")
    before = {kubectl.phase(name, "Running")["metadata"]["uid"] for name in names}
    kubectl("exec whole-worker-1 -- touch /tmp/die")
    for name in names:
        kubectl.until(
            f"pods/{name}", lambda pod: pod["metadata"]["uid"] not in before and pod["status"]["phase"] == "Running"
        )
    kubectl("exec whole-worker-1 -- touch /tmp/die")
    ended = kubectl.ends("tfjobs/whole")
    assert "reached the specified backoff limit" in failure(ended)


def test_a_job_whose_image_nobody_has_says_so_and_gives_up_at_its_start_deadline(kubectl: JobShell) -> None:
    made = tfjob("nowhere", FOREVER)
    made["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["image"] = "nobody/knows:1"
    kubectl.apply(made)
    assert "nowhere-worker-0" in kubectl.event("tfjobs/nowhere", "ImagePullBackOff")
    kubectl("annotate tfjob nowhere training.windlass.dev/start-deadline-seconds=4")
    ended = kubectl.ends("tfjobs/nowhere")
    assert "not all of its pods started within 4 s. Pod nowhere-worker-0 waits: ImagePullBackOff" in failure(ended)
    kubectl.gone("pods/nowhere-worker-0")


def test_a_sidecar_does_not_keep_a_job_from_ending(kubectl: JobShell) -> None:
    made = tfjob("beside", "sleep 1")
    sidecar = {"name": "proxy", "image": PYTHON, "command": ["sh", "-c", FOREVER]}
    made["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"].append(sidecar)
    kubectl.apply(made)
    kubectl.succeeds("tfjobs/beside")
    pod = kubectl.phase("beside-worker-0", "Succeeded")
    assert pod["metadata"]["annotations"]["training.windlass.dev/main-container"] == "tensorflow"


def test_fifty_jobs_at_once_all_finish_with_few_writes(kubectl: JobShell) -> None:
    pod = shell("true")
    before = kubectl.server.get(kubectl.path("tfjobs"))["metadata"]["resourceVersion"]
    kubectl.apply(*(job("TFJob", f"many-{n}", {"Worker": 4}, pod, successPolicy="AllWorkers") for n in range(50)))

    def all_done() -> bool:
        listed = kubectl.server.get(kubectl.path("tfjobs"))["items"]
        return len(listed) == 50 and all(("Succeeded", "True") in conditions(each) for each in listed)

    eventually(all_done, 240, "fifty jobs succeed")
    replayed = kubectl.server.request("GET", kubectl.path(f"tfjobs?watch=1&resourceVersion={before}&timeoutSeconds=2"))
    changes = [json.loads(line) for line in replayed.body.splitlines()]
    written = Counter(change["object"]["metadata"]["name"] for change in changes if change["type"] == "MODIFIED")
    assert max(written.values()) <= 20, written
