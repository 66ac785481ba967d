"""What is wrong with a new Volcano Job: a table of its faults, and all of them at once."""

from typing import Any

import pytest

from windlass.apps.volcano.job_validation import argument, creation_problems, job_warnings
from windlass.kube.errors import Cause, required

from .builders import a_job, a_queue, a_task, any_template, queues

CLOSED = {"state": "Closed"}
QUEUES = queues(a_queue("shut", status=CLOSED), a_queue("new", status={}), a_queue("eng"), a_queue("dev", parent="eng"))
NO_DAG = "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);"
TWO_LIMITS = "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously"
BOTH = {"highestTierAllowed": 1, "highestTierName": "rack"}
CLAIM = {"resources": {"requests": {"storage": "1Gi"}}}
WHERE = "in task: worker, job: demo;"


def problems(job: Any, check: Any = any_template) -> str:
    return creation_problems(job, QUEUES, check)


def partitions(total: int, size: int, **more: Any) -> Any:
    return {"partitionPolicy": {"totalPartitions": total, "partitionSize": size, **more}}


def whole(cpu: str) -> Any:
    container = {"name": "main", "image": "i", "resources": {"limits": {"cpu": cpu}}}
    return {"topologyPolicy": "restricted", "template": {"spec": {"containers": [container]}}}


@pytest.mark.parametrize(
    "job",
    [
        a_job(),
        a_job(queue="new"),
        a_job(queue="dev"),
        a_job(a_task(replicas=0)),
        a_job(a_task(**partitions(1, 2)), networkTopology={"mode": "soft", "highestTierName": "rack"}),
        a_job(a_task("a"), a_task("b", dependsOn={"name": ["a"]}), a_task("c", dependsOn={"name": ["a", "b"]})),
        a_job(a_task("launcher"), plugins={"mpi": ["--master=launcher"]}),
        a_job(plugins={"env": [], "svc": [], "ssh": [], "tensorflow": [], "pytorch": [], "ray": [], "hcclrank": []}),
        a_job(volumes=[{"mountPath": "/a", "volumeClaimName": "a"}, {"mountPath": "/b", "volumeClaim": CLAIM}]),
        a_job(a_task(**whole("2"))),
    ],
)
def test_a_good_job_has_no_problems(job: Any) -> None:
    assert problems(job) == ""


@pytest.mark.parametrize(
    ("job", "told"),
    [
        ({"metadata": {"name": "x"}, "spec": {}}, "No task specified in job spec"),
        (a_job(plugins={"mpi": []}), "The specified mpi master task was not found"),
        (a_job(minAvailable=3), "job 'minAvailable' should not be greater than total replicas in tasks;"),
        (a_job(a_task(minAvailable=3)), f"'minAvailable' is greater than 'replicas' {WHERE}"
         " job 'minAvailable' should not be greater than total replicas in tasks;"),
        (a_job(a_task(replicas=10001)), f"'replicas' must be less than or equal to 10000 {WHERE}"),
        (a_job(a_task("a"), a_task("a")), "duplicated task name a;"),
        (a_job(plugins={"nope": []}), "unable to find job plugin: nope;"),
        (a_job(a_task("a", dependsOn={"name": ["b"]}), a_task("b", dependsOn={"name": ["a"]})), NO_DAG),
        (a_job(a_task("a", dependsOn={"name": ["a"]})), NO_DAG),
        (a_job(a_task("a", dependsOn={"name": ["missing"]})), NO_DAG),
        (a_job(networkTopology=BOTH), f"{TWO_LIMITS};"),
        (a_job(a_task(**partitions(1, 2, networkTopology=BOTH))), f"{TWO_LIMITS} {WHERE}"),
        (a_job(a_task(**partitions(2, 2))), f"'Replicas' is not equal to TotalPartitions*PartitionSize {WHERE}"),
        (a_job(a_task(**partitions(1, 2, minPartitions=2), minAvailable=2)),
         f"'MinPartitions' is greater than TotalPartitions {WHERE}"),
        (a_job(a_task(replicas=8, minAvailable=4, **partitions(4, 2, minPartitions=1))),
         f"'MinAvailable' is not equal to MinPartitions*PartitionSize {WHERE}"),
        (a_job(a_task(**whole("1500m"))), "the cpu request isn't  an integer in spec.task[0] container[0]."),
        (a_job(a_task(topologyPolicy="restricted")), "the cpu request isn't  an integer in spec.task[0] container[0]."),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_upstreams_words(job: Any, told: str) -> None:
    assert problems(job) == told


@pytest.mark.parametrize(
    ("queue", "told"),
    [
        ("nope", 'unable to find job queue: queue.scheduling.volcano.sh "nope" not found;'),
        ("shut", "can only submit job to queue with state `Open`, queue `shut` status is `Closed`;"),
        ("root", "can not submit job to root queue;"),
        ("eng", "can only submit job to leaf queue, queue `eng` has 1 child queues;"),
    ],
)
def test_a_job_goes_only_to_an_open_queue_without_queues_below_it(queue: str, told: str) -> None:
    assert problems(a_job(queue=queue)) == told


@pytest.mark.parametrize(
    ("volumes", "told"),
    [
        ([{"mountPath": "/a", "volumeClaimName": "a"}] * 2, "duplicated mountPath: /a;"),
        ([{"mountPath": "/a"}], "either VolumeClaim or VolumeClaimName must be specified;"),
        ([{"mountPath": "/a", "volumeClaimName": "a", "volumeClaim": CLAIM}],
         "conflict: If you want to use an existing PVC, just specify VolumeClaimName."
         "If you want to create a new PVC, you do not need to specify VolumeClaimName;"),
    ],
)  # fmt: skip
def test_a_volume_has_one_claim_and_a_path_of_its_own(volumes: Any, told: str) -> None:
    assert problems(a_job(volumes=volumes)) == told


def test_the_name_of_a_claim_must_be_one() -> None:
    found = problems(a_job(volumes=[{"mountPath": "/a", "volumeClaimName": "A_b"}]))

    assert found.startswith("invalid VolumeClaimName A_b : [a lowercase RFC 1123 subdomain")


def test_the_names_of_pods_must_fit_a_label() -> None:
    name = "x" * 60

    found = problems(a_job(a_task("worker", 1), name=name))

    assert found == f"create pod with name {name}-worker-0 validate failed [name part must be no more than 63 bytes];"


@pytest.mark.parametrize(
    ("policies", "told"),
    [
        ([{"event": "PodFailed", "exitCode": 1, "action": "AbortJob"}],
         "must not specify event and exitCode simultaneously"),
        ([{"action": "AbortJob"}], "either event and exitCode should be specified"),
        ([{"event": "OutOfSync", "action": "AbortJob"}], 'PATH: Invalid value: "OutOfSync": invalid policy event'),
        ([{"events": ["PodFailed", "PodRunning"], "action": "AbortJob"}],
         'PATH: Invalid value: "PodRunning": invalid policy event'),
        ([{"event": "PodFailed", "action": "SyncJob"}], 'PATH: Invalid value: "SyncJob": invalid policy action'),
        ([{"exitCode": 3}], 'PATH: Invalid value: "": invalid policy action'),
        ([{"exitCode": 0, "action": "AbortJob"}], "0 is not a valid error code"),
        ([{"exitCode": 3, "action": "AbortJob"}] * 2, "duplicate exitCode 3"),
        ([{"event": "PodFailed", "action": "AbortJob"}, {"events": ["PodFailed"], "action": "RestartJob"}],
         "duplicate event PodFailed  across different policy"),
        ([{"event": "*", "action": "AbortJob"}, {"event": "PodFailed", "action": "RestartJob"}],
         "if there's * here, no other policy should be here"),
    ],
)  # fmt: skip
def test_a_bad_policy_is_told_with_what_would_be_good(policies: Any, told: str) -> None:
    of_job, of_task = a_job(policies=policies), a_job(a_task(policies=policies))
    valid = " valid events are [* PodPending PodFailed PodEvicted Unknown TaskCompleted JobUpdated TaskFailed],"
    valid += " valid actions are [AbortJob RestartJob RestartTask RestartPod RestartPartition TerminateJob CompleteJob"

    for job, path in ((of_job, "spec.policies"), (of_task, "spec.tasks.policies")):
        assert problems(job) == f"1 error occurred:\n\t* {told.replace('PATH', path)}\n\n{valid} ResumeJob];"


@pytest.mark.parametrize(
    "policies",
    [
        [{"event": "PodFailed", "events": ["PodFailed"], "action": "RestartPod"}],
        [{"event": "*", "action": "AbortJob"}, {"exitCode": 3, "action": "RestartJob"}],
        [{"event": "PodPending", "timeout": "5s", "action": "RestartPartition"}],
        [{"event": "TaskCompleted", "action": "CompleteJob"}, {"event": "TaskFailed", "action": "TerminateJob"}],
    ],
)
def test_good_policies_are_accepted(policies: Any) -> None:
    assert problems(a_job(a_task(policies=policies), policies=policies)) == ""


def test_the_servers_own_check_of_a_template_is_told_with_the_task_that_it_is_of() -> None:
    def no_image(template: Any) -> list[Cause]:
        return [required("template.spec.containers[0].image"), required("template.spec.containers[0].name")]

    assert problems(a_job(), no_image) == (
        "spec.task[0].template.spec.containers[0].image: Required value."
        " template.spec.containers[0].name: Required value."
    )


def test_all_faults_are_told_at_once() -> None:
    found = problems(a_job(a_task("a"), a_task("a"), plugins={"x": [], "y": []}, minAvailable=9, queue="nope"))

    assert found == (
        "duplicated task name a; job 'minAvailable' should not be greater than total replicas in tasks;"
        " unable to find job plugin: x; unable to find job plugin: y;"
        ' unable to find job queue: queue.scheduling.volcano.sh "nope" not found;'
    )


def test_what_has_no_effect_is_warned_of_by_its_name() -> None:
    pending = {"event": "PodPending", "action": "AbortJob"}
    job = a_job(a_task(**whole("1"), policies=[pending]), policies=[{**pending, "timeout": "1m"}])

    assert job_warnings(job) == [
        "spec.tasks[0].topologyPolicy: has no effect, NUMA nodes are not considered for scheduling",
        "spec.tasks[0].policies[0]: PodPending has an effect only with a timeout",
    ]


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ([], "master"),
        (["--master=a"], "a"),
        (["-master=a"], "a"),
        (["--master", "a"], "a"),
        (["--worker=b", "--master=a", "--port=1"], "a"),
        (["--master=a", "--master=b"], "b"),
        (["--master"], "master"),
        (["master=a"], "master"),
    ],
)
def test_a_flag_of_a_plugin_is_read_as_go_reads_it(arguments: list[str], value: str) -> None:
    assert argument(arguments, "master", "master") == value
