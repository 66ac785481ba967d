"""JobSets with kubectl: an order, names that resolve, a failure that restarts all, a rest."""

import json
from typing import Any

import pytest

from tests.e2e.jobset.conftest import JobSetShell
from tests.e2e.node.pods import FOREVER, Object, container, is_ready, pod_spec
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
KEY = "jobset.sigs.k8s.io"
ATTEMPT = {"name": "ATTEMPT", "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{KEY}/restart-attempt']"}}}
MEET = "until getent hosts demo-driver-0-0.demo; do sleep 0.1; done; test $ATTEMPT$JOB_COMPLETION_INDEX != 01"


def replicated(name: str, script: str, replicas: int = 1, pods: int = 1, **more: Any) -> Object:
    template = {"spec": pod_spec(container(script, env=[ATTEMPT]), restartPolicy="Never")}
    counts = {"completions": pods, "parallelism": pods, "backoffLimit": 0}
    return {"name": name, "replicas": replicas, "template": {"spec": {**counts, "template": template}}, **more}


def jobset(name: str, *jobs: Object, **spec: Any) -> Object:
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name},
        "spec": {"replicatedJobs": list(jobs), **spec},
    }


def all_ready(kubectl: JobSetShell, name: str) -> bool:
    return [is_ready(pod) for pod in kubectl.of(name).values()] == [True]


def test_workers_meet_their_driver_fail_together_and_complete(kubectl: JobSetShell) -> None:
    workers = replicated("workers", MEET, 2, pods=2, dependsOn=[{"name": "driver", "status": "Ready"}])
    policy = {"operator": "All", "targetReplicatedJobs": ["workers"]}
    wanted = jobset("demo", replicated("driver", FOREVER), workers, successPolicy=policy)

    kubectl.apply({**wanted, "spec": {**wanted["spec"], "failurePolicy": {"maxRestarts": 1}}})
    done = kubectl.reaches("demo", "Completed")

    assert (done["status"]["restarts"], done["status"]["terminalState"]) == (1, "Completed")
    assert [one["succeeded"] for one in done["status"]["replicatedJobsStatus"]] == [0, 2]
    told = kubectl.event("jobsets/demo", "RestartJobSetFailurePolicyAction")
    assert told.startswith("applying RestartJobSet failure policy action (first failed job: demo-workers-")
    kubectl.gone("jobs/demo-driver-0")
    pods = {host: pod for host, pod in kubectl.of("demo").items() if "workers" in host}
    assert sorted(pods) == ["demo-workers-0-0", "demo-workers-0-1", "demo-workers-1-0", "demo-workers-1-1"]
    metadata = pods["demo-workers-1-1"]["metadata"]
    for place in (metadata["labels"], metadata["annotations"]):
        assert (place["batch.kubernetes.io/job-completion-index"], place[f"{KEY}/restart-attempt"]) == ("1", "1")
    (row,) = kubectl("get jobsets --no-headers").splitlines()
    assert row.split()[:4] == ["demo", "Completed", "1", "True"]


def test_a_set_rests_and_goes_on_where_it_was_sent_meanwhile(kubectl: JobSetShell) -> None:
    kubectl.apply(jobset("rests", replicated("workers", FOREVER)))
    eventually(lambda: all_ready(kubectl, "rests"), 90, "the pod is ready")

    kubectl("""patch jobset rests --type=merge -p '{"spec": {"suspend": true}}'""")
    kubectl.reaches("rests", "Suspended")
    eventually(lambda: not kubectl.of("rests"), 90, "the pods go")
    where = "/spec/replicatedJobs/0/template/spec/template/spec/nodeSelector"
    changes = [
        {"op": "add", "path": where, "value": {"kubernetes.io/os": "linux"}},
        {"op": "replace", "path": "/spec/suspend", "value": False},
    ]
    kubectl(f"patch jobset rests --type=json -p '{json.dumps(changes)}'")
    eventually(lambda: all_ready(kubectl, "rests"), 90, "the pod is ready again")

    (pod,) = kubectl.of("rests").values()
    assert pod["spec"]["nodeSelector"] == {"kubernetes.io/os": "linux"}
    kubectl.reaches("rests", "Suspended", "False")


def test_a_set_starts_when_what_is_left_of_another_of_its_name_has_gone(kubectl: JobSetShell) -> None:
    kubectl.apply(jobset("again", replicated("workers", FOREVER)))
    eventually(lambda: all_ready(kubectl, "again"), 90, "the pod is ready")
    first = kubectl.get("jobsets/again")["metadata"]["uid"]
    left = ("jobs/again-workers-0", "services/again")
    for path in left:
        hold(kubectl, path, "example.com/hold")

    kubectl("delete jobset again")
    kubectl.apply(jobset("again", replicated("workers", FOREVER)))
    assert "already exists" in kubectl.event("jobsets/again", "JobCreationFailed")
    for path in left:
        hold(kubectl, path)
    for path in left:
        eventually(lambda path=path: belongs(kubectl, path) not in ("", first), 90, f"{path} is the new set's")
    eventually(lambda: all_ready(kubectl, "again"), 90, "the pod is ready")

    kubectl("delete jobset again")
    eventually(lambda: not kubectl.of("again"), 90, "the pods go with their set")
    kubectl.gone("services/again")


def hold(kubectl: JobSetShell, path: str, *finalizers: str) -> None:
    """Keep an object from going, or let it go; others may write to it meanwhile."""
    patch = json.dumps({"metadata": {"finalizers": list(finalizers)}})
    kubectl(f"patch {path} --type=merge -p '{patch}'")


def belongs(kubectl: JobSetShell, path: str) -> str:
    """The uid of the set that it belongs to."""
    owners = kubectl.get(path).get("metadata", {}).get("ownerReferences", [])
    return owners[0]["uid"] if owners else ""
