"""Jobs and CronJobs as a person drives them; pods are ended by hand, as no node runs them yet."""

import json
import re
import shlex
from typing import Any

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: sums}
spec:
  completions: 3
  parallelism: 3
  completionMode: Indexed
  backoffLimitPerIndex: 0
  podFailurePolicy:
    rules:
    - action: FailJob
      onExitCodes: {operator: In, values: [42]}
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: python}]
"""


def pods(kubectl: Shell, count: int, job: str = "sums") -> list[str]:
    """The names of the Job's pods, in their order, as soon as there are so many."""

    def names() -> list[str]:
        found = kubectl(f"get pods -l batch.kubernetes.io/job-name={job} -o name")
        return found.split()

    eventually(lambda: len(names()) == count, 60, f"{count} pods of {job}")
    return names()


def end(kubectl: Shell, pod: str, code: int = 0) -> None:
    """Say that the pod's container ended with `code`, as its node would."""
    ended = {"terminated": {"exitCode": code, "finishedAt": "2026-01-01T00:00:00Z"}}
    container: Any = {"name": "c", "image": "python", "imageID": "", "ready": False, "restartCount": 0, "state": ended}
    status = {"phase": "Failed" if code else "Succeeded", "containerStatuses": [container]}
    patch = shlex.quote(json.dumps({"status": status}))
    kubectl(f"patch {pod} --subresource=status --type=merge -p {patch}")


def test_a_job_is_waited_for_and_described(kubectl: Shell) -> None:
    kubectl("create job pi --image=perl -- perl -e 1")
    [pod] = pods(kubectl, 1, "pi")
    assert kubectl.rows("get job pi")[1][1:3] == ["Running", "0/1"]
    end(kubectl, pod)
    kubectl("wait --for=condition=Complete job/pi --timeout=60s")

    assert kubectl.rows("get job pi")[1][1:3] == ["Complete", "1/1"]
    described = kubectl("describe job pi")
    assert "Pods Statuses:    0 Active (0 Ready) / 1 Succeeded / 0 Failed" in described
    describes(kubectl, "job pi", f"Created pod: {pod.removeprefix('pod/')}")
    describes(kubectl, "job pi", "Job completed")


def describes(kubectl: Shell, what: str, text: str) -> None:
    """Wait for an event, which comes after what it tells of."""
    eventually(lambda: text in kubectl(f"describe {what}"), 60, f"{text!r} of {what}")


def test_indexes_are_shown_and_a_failed_one_fails_the_job(kubectl: Shell) -> None:
    kubectl("apply -f -", JOB)
    first, second, third = pods(kubectl, 3)
    assert first.startswith("pod/sums-0-")
    end(kubectl, first)
    end(kubectl, third)
    end(kubectl, second, code=1)
    kubectl("wait --for=condition=Failed job/sums --timeout=60s")

    status = kubectl.json("get job sums")["status"]
    assert (status["completedIndexes"], status["failedIndexes"]) == ("0,2", "1")
    assert status["conditions"][-1]["reason"] == "FailedIndexes"
    describes(kubectl, "job sums", "Job has failed indexes")


def test_an_exit_code_of_the_policy_ends_the_job_at_once(kubectl: Shell) -> None:
    kubectl("apply -f -", JOB)
    first = pods(kubectl, 3)[0]
    end(kubectl, first, code=42)
    kubectl("wait --for=condition=Failed job/sums --timeout=60s")

    condition = kubectl.json("get job sums")["status"]["conditions"][-1]
    assert condition["reason"] == "PodFailurePolicy"
    assert condition["message"].endswith("failed with exit code 42 matching FailJob rule at index 0")
    assert pods(kubectl, 1) == [first]


def test_a_job_is_suspended_and_resumed(kubectl: Shell) -> None:
    kubectl("create job pi --image=perl")
    pods(kubectl, 1, "pi")
    kubectl("""patch job pi -p '{"spec":{"suspend":true}}'""")
    pods(kubectl, 0, "pi")
    kubectl("wait --for=condition=Suspended job/pi --timeout=60s")
    kubectl("""patch job pi -p '{"spec":{"suspend":false}}'""")
    pods(kubectl, 1, "pi")
    kubectl("wait --for=condition=Suspended=false job/pi --timeout=60s")


def test_a_deleted_job_takes_its_pods_along_unless_they_are_to_stay(kubectl: Shell) -> None:
    for name in ("going", "staying"):
        kubectl(f"create job {name} --image=perl")
        pods(kubectl, 1, name)
    kubectl("delete job going --timeout=60s")
    kubectl("delete job staying --cascade=orphan --timeout=60s")

    pods(kubectl, 0, "going")
    [pod] = kubectl.json("get pods -l job-name=staying")["items"]
    assert "ownerReferences" not in pod["metadata"]
    kubectl("delete pod -l job-name=staying --timeout=60s")


def test_a_cron_job_starts_jobs_by_the_clock(kubectl: Shell) -> None:
    kubectl("create cronjob tick --image=busybox --schedule='* * * * *' -- date")
    past = '{"status":{"lastScheduleTime":"2026-01-01T00:00:00Z"}}'
    kubectl(f"patch cronjob tick --subresource=status --type=merge -p {past!r}")
    kubectl("annotate cronjob tick seen=yes")

    eventually(lambda: "job.batch/tick-" in kubectl("get jobs -o name"), 60, "a job of the cron job")
    name = kubectl("get jobs -o name").split()[0].removeprefix("job.batch/")
    eventually(lambda: kubectl.json("get cronjob tick")["status"].get("active"), 60, "an active job")
    describes(kubectl, "cronjob tick", f"Created job {name}")
    assert re.search(rf"Active Jobs: +{name}", kubectl("describe cronjob tick"))


def test_a_cron_job_that_can_never_fire_says_so(kubectl: Shell) -> None:
    kubectl("create cronjob never --image=busybox --schedule='59 23 31 2 *' -- date")

    describes(kubectl, "cronjob never", "InvalidSchedule")
    assert "invalid schedule: 59 23 31 2 * : time difference between two schedules" in kubectl("describe cronjob never")


def test_a_finished_job_goes_when_its_time_to_live_is_over(kubectl: Shell) -> None:
    kubectl("apply -f -", JOB.replace("completions: 3", "ttlSecondsAfterFinished: 0\n  completions: 3"))
    for pod in pods(kubectl, 3):
        end(kubectl, pod)
    kubectl("wait --for=delete job/sums --timeout=60s")
    pods(kubectl, 0)
