"""What people write down: YAML and CSV, and what they are told when it is wrong."""

from pathlib import Path

import pytest

from windlass.apis.wellknown import NVIDIA_GPU
from windlass.scheduler.simulate.description import read, read_yaml
from windlass.scheduler.simulate.job_table import read_csv
from windlass.scheduler.simulate.yaml_positions import BadDescription

JOB = "jobs: [{duration: 5}]\n"
WHOLE = """\
name: two racks
seed: 7
nodes:
- name: gpu
  count: 8
  resources: {cpu: 96, memory: 384Gi, nvidia.com/gpu: 8}
  labels: {zone: a}
queues:
- {name: research, weight: 1}
- {name: product, weight: 3, capability: {cpu: 100}}
hypernodes: {rack: 4, spine: 2}
jobs:
- name: wide
  arrival: 10m
  duration: 2h
  queue: research
  priority: 5
  user: ann
  minMember: 5
  estimate: 3h
  roles:
  - {name: ps, count: 2, requests: {cpu: 500m}, min: 1}
  - {name: worker, count: 4, requests: {cpu: 4, nvidia.com/gpu: 1}}
  topology: {mode: hard, highestTierAllowed: 1}
- {name: small, count: 3, every: 60, width: 2, requests: {nvidia.com/gpu: 0.5}, duration: 30m, queue: product}
failures: {podDeath: 0.5, nodesPerHour: 0.2, nodeDown: 10m}
"""


def test_a_whole_description_is_read() -> None:
    found = read_yaml("d.yaml", WHOLE)

    assert found.seed == 7
    assert found.node_names[-1] == "gpu-7"
    assert [one.name for one in found.hyper_nodes] == ["rack-0", "rack-1", "spine-0"]
    assert [job.name for job in found.jobs] == ["small-0", "small-1", "small-2", "wide"]
    wide = found.jobs[-1]
    assert (wide.arrival, wide.duration, wide.width, wide.least, wide.estimate) == (600, 7200, 6, 5, 10_800)
    assert (wide.queue, wide.priority, wide.user) == ("research", 5, "ann")
    assert wide.roles[0].asks == {"cpu": 500}
    assert wide.roles[0].least == 1
    assert wide.topology is not None
    assert wide.topology.highest_tier == 1
    assert found.jobs[1].arrival == 60
    assert found.jobs[1].roles[0].asks == {NVIDIA_GPU: 0.5}
    assert found.failures.node_down == 600
    assert any(job.deaths for job in found.jobs)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jobs: [", "d.yaml:1: it is not YAML"),
        ("jobs:\n- duration: soon\n", "d.yaml:2: jobs[0].duration: 'soon' is no length of time"),
        ("jobs:\n- duration: 0\n", "d.yaml:2: jobs[0].duration: it must be more than 0"),
        ("jobs:\n- duration: 5\n  width: wide\n", "d.yaml:3: jobs[0].width: expected `int | null`, got `str`"),
        ("jobs:\n- duration: 5\n  wdith: 3\n", "d.yaml:2: jobs[0]: object contains unknown field `wdith`"),
        ("jobs:\n- width: 3\n", "d.yaml:2: jobs[0]: object missing required field `duration`"),
        ("nodes: []\n", "d.yaml:1: object missing required field `jobs`"),
        (
            "jobs:\n- duration: 5\n  requests: {cpu: many}\n",
            "d.yaml:3: jobs[0].requests.cpu: 'many' is no amount",
        ),
        (
            "jobs:\n- duration: 5\n  width: 2\n  minMember: 3\n",
            "d.yaml:4: jobs[0].minMember: 3 is not between 0 and",
        ),
        ("jobs:\n- duration: 5\n  queue: x\nqueues:\n- name: y\n", "d.yaml:3: jobs[0].queue: there is no queue 'x'"),
        ("jobs: []\nqueues:\n- {name: y, wieght: 3}\n", "d.yaml:3: queues[0].wieght: a queue has no such field"),
        ("jobs: []\nqueues:\n- {weight: 3}\n", "queues[0].name: a queue needs a name"),
        ("jobs:\n- duration: 5\n  roles: [{name: a, count: 0}]\n", "jobs[0].roles[0].count: it must be 1 or more"),
        ("jobs:\n- duration: 5\n  topology: {mode: odd}\n", "jobs[0].topology.mode: 'odd' is neither hard nor soft"),
        ("jobs: more.csv\n", "d.yaml:1: jobs: more.csv cannot be read"),
        ("jobs: []\n", "d.yaml:1: jobs: there are none"),
        ("jobs:\n- {duration: 5, count: 0}\n", "d.yaml:2: jobs[0].count: it must be 1 or more"),
        ("jobs:\n- {name: a, duration: 5}\n- {name: a, duration: 6}\n", "d.yaml:1: jobs: two are called a"),
        (f"{JOB}nodes: [{{resources: {{}}}}, {{resources: {{}}}}]\n", "d.yaml:2: nodes: two are called node-0"),
        (f"{JOB}seed: -1\n", "d.yaml:2: seed: it must not be negative"),
        (f"{JOB}failures: {{podDeath: 3}}\n", "d.yaml:2: failures.podDeath: 3 is no part of all pods"),
        (f"{JOB}failures: {{nodesPerHour: .inf}}\n", "d.yaml:2: failures.nodesPerHour: it must be from 0 to 3600"),
        (f"{JOB}queues: [{{name: a, capability: 3}}]\n", "queues[0].capability: it must be resources with amounts"),
        (f"{JOB}queues: [{{name: a, guarantee: {{cpu: 3}}}}]\n", "queues[0].guarantee: write {resource: {cpu: 4}}"),
        (f"{JOB}queues: [{{name: a, weight: true}}]\n", "queues[0].weight: True is not a whole number from 1 on"),
        (f"{JOB}queues: [{{name: a, dequeueStrategy: x}}]\n", "queues[0].dequeueStrategy: 'x' is not fifo or traverse"),
        (f"{JOB}queues: [{{name: a}}, {{name: a}}]\n", "queues[1].name: there are two queues a"),
        (f"{JOB}queues: [{{name: a, parent: b}}]\n", "queues[0].parent: there is no queue 'b'"),
        (f"{JOB}queues: [{{name: a, parent: a}}]\n", "queues[0].parent: a queue cannot be above itself"),
        ("&a [*a]\n", "d.yaml:1: it is not YAML: document contains excessive aliasing: a value contains itself"),
        ("jobs: []\nnodes:\n- {count: 2}\n", "nodes[0]: object missing required field `resources`"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_field(text: str, message: str) -> None:
    with pytest.raises(BadDescription) as told:
        read_yaml("d.yaml", text)

    assert message in str(told.value)


def test_jobs_may_be_a_table_beside_the_description(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text(
        "name,arrival,width,duration,queue,gpu,cpu,memory,minMember\nb,2m,4,1h,q,1,500m,2Gi,2\na,0,1,30,q,,1,,\n"
    )
    (tmp_path / "d.yaml").write_text("jobs: jobs.csv\nnodes: [{resources: {cpu: 8, nvidia.com/gpu: 4}}]\n")

    found = read(tmp_path / "d.yaml")

    assert [job.name for job in found.jobs] == ["a", "b"]
    assert found.jobs[1].roles[0].asks == {NVIDIA_GPU: 1, "cpu": 500, "memory": 2 * 1024**3}
    assert found.jobs[1].least == 2
    assert [queue.name for queue in found.queues] == ["q"]


def test_a_table_alone_is_tried_on_a_cluster_of_the_usual_shape(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("duration,gpu\n60,1\n")

    assert len(read(tmp_path / "jobs.csv", nodes=50).node_names) == 50


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\na\n", "jobs.csv:1: there is no column duration; there are name"),
        ("duration\nlong\n", "jobs.csv:2: duration: 'long' is no length of time"),
        ("duration,width\n5,two\n", "jobs.csv:2: width: 'two' is no whole number"),
        ("duration,cpu\n5,1\n5,lots\n", "jobs.csv:3: cpu: 'lots' is no amount of cpu"),
        ("duration,width,minMember\n5,2,3\n", "jobs.csv:2: width and duration must be more than 0"),
    ],
)
def test_what_is_wrong_in_a_table_is_told_with_its_line_and_column(text: str, message: str) -> None:
    with pytest.raises(BadDescription) as told:
        read_csv("jobs.csv", text)

    assert message in str(told.value)
