"""Queues, and what makes jobs by the clock and one after the other, with kubectl and windlass."""

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.e2e.node.pods import SERVE, Object, container, pod
from tests.e2e.training.jobs import job, template
from tests.e2e.volcano.shell import VolcanoShell, phase, queue, task, vcjob

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
SMALL: Object = {"requests": {"cpu": "10m"}}


@pytest.fixture
def names(kubectl: VolcanoShell) -> Iterator[tuple[str, str]]:
    """Two names of queues that no other test has, a parent's and a child's; what has them goes afterwards."""
    mark = uuid.uuid4().hex[:6]
    made = f"eng-{mark}", f"dev-{mark}"
    yield made
    kubectl.run(f"delete queue {made[1]} {made[0]} --ignore-not-found")


def state(found: Object) -> Any:
    return found.get("status", {}).get("state")


def in_queue(name: str, queue_name: str) -> Object:
    made = pod(name, container(resources=SMALL), schedulerName="volcano")
    made["metadata"]["annotations"] = {"scheduling.volcano.sh/queue-name": queue_name}
    return made


def a_group(queue_name: str) -> str:
    metadata, spec = {"name": "late"}, {"minMember": 1, "queue": queue_name}
    group = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": metadata, "spec": spec}
    return json.dumps(group)


def test_a_queue_that_closes_lets_running_pods_finish_and_takes_nothing_new(
    kubectl: VolcanoShell, names: tuple[str, str]
) -> None:
    name = names[0]
    assert kubectl.prints("queue", "create", name, "--weight", "2", "--capability", "cpu=4") == (
        f"queue {name} created: weight 2, parent root.\n"
    )
    kubectl.until(f"queues/{name}", lambda found: state(found) == "Open")
    kubectl.apply(in_queue("runs", name))
    kubectl.ready("runs")
    kubectl.until(f"queues/{name}", lambda found: found["status"].get("running") == 1)
    assert "Running" in kubectl.prints("queue", "show", name)

    assert kubectl.prints("queue", "close", name) == f"queue {name} is Closing: 1 pod group in it.\n"

    refused = kubectl.fails("create -f -", a_group(name))
    assert 'admission webhook "validatepodgroup.volcano.sh" denied the request' in refused
    assert "can only submit PodGroup to queue with state `Open`" in refused
    assert "denied the request" in kubectl.fails(
        "create -f -", json.dumps(vcjob("late", task("t", container()), queue=name))
    )
    assert kubectl.get("pods/runs")["status"]["phase"] == "Running"
    kubectl("delete pod runs")
    kubectl.until(f"queues/{name}", lambda found: state(found) == "Closed")
    assert kubectl.prints("queue", "open", name) == f"queue {name} is Open.\n"
    kubectl("create -f -", a_group(name))


def test_a_parent_takes_its_children_along_and_jobs_go_to_leaves_only(
    kubectl: VolcanoShell, names: tuple[str, str]
) -> None:
    parent, child = names
    kubectl.apply(queue(parent))
    kubectl.apply(queue(child, parent=parent))
    kubectl.until(f"queues/{child}", lambda found: state(found) == "Open")
    kubectl.until(f"queues/{parent}", lambda found: found["spec"].get("parent") == "root")
    refused = kubectl.fails("create -f -", json.dumps(vcjob("middle", task("t", container()), queue=parent)))
    assert "denied the request" in refused
    assert "denied the request" in kubectl.fails(f"delete queue {parent}")

    assert kubectl.prints("queue", "close", parent) == f"queue {parent} is Closed.\n"
    kubectl.until(f"queues/{child}", lambda found: state(found) == "Closed")

    done = kubectl.windlass("queue", "open", child)
    assert done.exit_code == 1
    assert f"its parent {parent} is Closed" in done.stderr
    rows = {row["name"]: row for row in json.loads(kubectl.prints("queue", "list", "-o", "json"))}
    assert (rows[child]["state"], rows[child]["parent"]) == ("Closed", parent)
    assert kubectl.prints("queue", "open", parent) == f"queue {parent} is Open.\n"
    kubectl.until(f"queues/{child}", lambda found: state(found) == "Open")


def test_pods_of_a_deployment_share_a_group_and_it_goes_with_the_last_of_them(kubectl: VolcanoShell) -> None:
    labels = {"app": "web"}
    spec = {
        "replicas": 2,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": pod("web", container(resources=SMALL), schedulerName="volcano")["spec"],
        },
    }
    metadata = {"name": "web", "annotations": {"scheduling.volcano.sh/group-min-member": "2"}}
    kubectl.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    kubectl("rollout status deployment/web --timeout=120s")

    kubectl.until("podgroups", lambda found: [g.get("status", {}).get("running") for g in found["items"]] == [2])

    assert [g["spec"]["minMember"] for g in kubectl.get("podgroups")["items"]] == [2]
    kubectl("scale deployment/web --replicas=0")
    kubectl.until("podgroups", lambda found: found["items"] == [])


def test_a_cron_job_starts_a_volcano_job_and_says_when_it_succeeded(kubectl: VolcanoShell) -> None:
    template = {"spec": vcjob("", task("t", container("true")))["spec"]}
    cron = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "CronJob",
        "metadata": {"name": "tick"},
        "spec": {"schedule": "0 0 1 1 *", "concurrencyPolicy": "Forbid", "jobTemplate": template},
    }
    kubectl.apply(cron)
    past = (datetime.now(UTC) - timedelta(days=366)).strftime("%Y-%m-%dT%H:%M:%SZ")
    kubectl.set_status("cronvcjob/tick", {"lastScheduleTime": past})

    found = kubectl.until("cronvcjobs/tick", lambda found: found.get("status", {}).get("lastSuccessfulTime"))

    [made] = kubectl.get("vcjobs")["items"]
    assert made["metadata"]["name"].startswith("tick-")
    assert "volcano.sh/cronjob-scheduled-timestamp" in made["metadata"]["annotations"]
    assert not found["status"].get("active")
    told = kubectl.event("cronvcjobs/tick", "SuccessfulCreate")
    assert told == f"Created job {made['metadata']['name']} for CronJob {kubectl.namespace}/tick"


def a_template(name: str, *tasks: Object) -> Object:
    spec = {"schedulerName": "volcano", "tasks": list(tasks)}
    return {"apiVersion": "flow.volcano.sh/v1alpha1", "kind": "JobTemplate", "metadata": {"name": name}, "spec": spec}


def a_flow(name: str, *flows: Object, **spec: Any) -> Object:
    return {
        "apiVersion": "flow.volcano.sh/v1alpha1",
        "kind": "JobFlow",
        "metadata": {"name": name},
        "spec": {"flows": list(flows), **spec},
    }


def test_a_flow_runs_its_jobs_one_after_the_other_and_removes_them(kubectl: VolcanoShell) -> None:
    kubectl.apply(
        a_template("first", task("t", container("true"))), a_template("second", task("t", container("exit 7")))
    )
    patched = {"tasks": [{"name": "t", "template": {"spec": {"containers": [container("true")]}}}]}
    second = {"name": "second", "dependsOn": {"targets": ["first"]}, "patch": {"jobSpec": patched}}

    kubectl.apply(a_flow("both", {"name": "first"}, second, jobRetainPolicy="delete"))

    found = kubectl.until("jobflows/both", lambda found: phase(found) == "Succeed")
    assert found["status"]["completedJobs"] == ["both-first", "both-second"]
    first, after = (
        next(one for one in found["status"]["jobStatusList"] if one["name"] == f"both-{name}")
        for name in ("first", "second")
    )
    assert first["endTimestamp"] <= after["startTimestamp"]
    kubectl.until("vcjobs", lambda found: found["items"] == [])
    assert [row[:2] for row in kubectl.rows("get jobflow both --no-headers")] == [["both", "Succeed"]]


def test_a_flow_may_start_when_the_pods_of_another_answer(kubectl: VolcanoShell) -> None:
    serving = container(name="main", image="python:3", command=SERVE)
    probe = {
        "httpGetList": [{"taskName": "server", "path": "/", "port": 8080}],
        "tcpSocketList": [{"taskName": "server", "port": 8080}],
        "taskStatusList": [{"taskName": "server", "phase": "Running"}],
    }
    kubectl.apply(a_template("server", task("server", serving)), a_template("client", task("t", container("true"))))

    kubectl.apply(
        a_flow("pair", {"name": "server"}, {"name": "client", "dependsOn": {"targets": ["server"], "probe": probe}})
    )

    kubectl.phase_of("pair-client", "Completed", within=90)
    assert phase(kubectl.get("vcjobs/pair-server")) == "Running"
    kubectl.until("jobflows/pair", lambda found: phase(found) == "Running")
    kubectl("delete jobflow pair")


def test_a_volcano_job_is_suspended_and_resumed(kubectl: VolcanoShell) -> None:
    kubectl.apply(vcjob("train", task("t", container(resources=SMALL))))
    kubectl.phase_of("train", "Running")

    said = kubectl.prints("job", "suspend", "vcjob/train", "-n", kubectl.namespace)

    assert said in ("vcjob/train is Aborting.\n", "vcjob/train is Aborted.\n")
    kubectl.phase_of("train", "Aborted")
    assert kubectl.prints("job", "resume", "train", "-n", kubectl.namespace).startswith("vcjob/train is ")
    kubectl.phase_of("train", "Running")


def test_a_training_job_is_suspended_and_resumed(kubectl: VolcanoShell) -> None:
    pods = template("TFJob", "busybox", ["sleep", "infinity"], resources=SMALL)
    kubectl.apply(job("TFJob", "train", {"Worker": 1}, pods))
    kubectl.phase("train-worker-0", "Running")

    assert kubectl.prints("job", "suspend", "train", "-n", kubectl.namespace) == "tfjob/train is Suspended.\n"
    kubectl.until("pods", lambda found: found["items"] == [])
    answer = json.loads(kubectl.prints("job", "resume", "tfjob/train", "-n", kubectl.namespace, "-o", "json"))

    assert (answer["kind"], answer["name"]) == ("TFJob", "train")
    assert answer["state"] != "Suspended"
    kubectl.phase("train-worker-0", "Running")
