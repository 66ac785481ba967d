"""`windlass explain` against a server, and how its answers are written."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.kube.live import bare_server
from tests.support import Windlass
from windlass.apis.assumptions import Assumption
from windlass.apis.reasons import GangUnschedulable, NodeCount, NodesUnfit, from_json, insufficient
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.apps.training.commands.explain_screen import amount, in_words
from windlass.cli.main import cli
from windlass.scheduler.explain import answer
from windlass.scheduler.explain.answer import (
    WAITING,
    Amount,
    Ending,
    Explanation,
    NodeGroup,
    PodKind,
    Room,
    Start,
)

__all__ = ["bare_server"]
GROUP_OF = {
    "jobs": "/apis/batch.volcano.sh/v1alpha1",
    "podgroups": "/apis/scheduling.volcano.sh/v1beta1",
    "pods": "/api/v1",
}
NEEDED = {
    "name": "c",
    "image": "i",
    "resources": {"requests": {"example.com/chip": "3"}, "limits": {"example.com/chip": "3"}},
}


@dataclass(frozen=True)
class Place:
    """A namespace, and a node that all pods in it want to be on."""

    server: Windlass
    name: str

    def path(self, kind: str) -> str:
        return f"{GROUP_OF[kind]}/namespaces/{self.name}/{kind}"

    def create(self, kind: str, api_version: str, name: str, spec: dict[str, Any], **metadata: Any) -> Any:
        of = {"podgroups": "PodGroup", "pods": "Pod", "jobs": "Job"}[kind]
        metadata = {"name": name, **metadata}
        made = {"apiVersion": api_version, "kind": of, "metadata": metadata, "spec": spec}
        return self.server.create(self.path(kind), made)

    def group(self, name: str, **metadata: Any) -> None:
        self.create("podgroups", "scheduling.volcano.sh/v1beta1", name, {"minMember": 1}, **metadata)

    def pod(self, name: str, **spec: Any) -> None:
        body = {"nodeSelector": {"mine": self.name}, "containers": [NEEDED], **spec}
        self.create("pods", "v1", name, body, annotations={POD_GROUP_NAME_ANNOTATION: name})

    def explain(self, *words: str) -> Result:
        told = ["explain", *words, "-n", self.name, "--data-dir", str(self.server.data_dir)]
        return CliRunner().invoke(cli, told)


@pytest.fixture
def place(bare_server: Windlass) -> Iterator[Place]:
    name = f"e-{uuid.uuid4().hex[:8]}"
    bare_server.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    bare_server.create(f"/api/v1/namespaces/{name}/serviceaccounts", account)
    offers = {"cpu": "4", "memory": "8Gi", "pods": "10", "example.com/chip": "2"}
    status = {"capacity": offers, "allocatable": offers}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"mine": name}}, "status": status}
    bare_server.create("/api/v1/nodes", node)
    place = Place(bare_server, name)
    yield place
    for kind in GROUP_OF:
        bare_server.request("DELETE", f"{place.path(kind)}?gracePeriodSeconds=0")
    bare_server.request("DELETE", f"/api/v1/nodes/{name}")


@pytest.mark.parametrize("kind", ["podgroup", "pod", "PG", "podgroup.scheduling.volcano.sh"])
def test_a_gang_that_waits_is_explained(place: Place, kind: str) -> None:
    place.group("g")
    place.pod("g", schedulerName="volcano")

    done = place.explain(kind, "g")

    assert done.exit_code == 0, done.output
    assert f"{place.name}/g  Waiting" in done.stdout
    assert f"1 ({place.name}): Insufficient example.com/chip" in done.stdout
    assert "What would have to end: even if all that runs ended, there would be no room for it" in done.stdout


def test_it_is_told_as_json_too(place: Place) -> None:
    place.group("g")
    place.pod("g", schedulerName="volcano")

    found = json.loads(place.explain("podgroup", "g", "-o", "json").stdout)

    assert (found["kind"], found["state"], found["place"]["queue"]) == ("podgroup", "Waiting", "default")
    [chips] = found["resources"]
    assert (chips["resource"], chips["asked"], chips["free"], chips["short"]) == ("example.com/chip", "3", "2", True)
    assert found["start"]["inSeconds"] is None
    reason = from_json(found["reason"])
    assert isinstance(reason, GangUnschedulable)
    assert isinstance(reason.origin, NodesUnfit)
    assert (reason.needed, reason.pod) == (1, f"{place.name}/g")
    chip = insufficient("example.com/chip")
    assert NodeCount(1, chip) in reason.origin.counts
    [kind] = found["pods"]
    [causes] = [one["causes"] for one in kind["nodes"] if place.name in one["names"]]
    assert causes == [{"code": "InsufficientResource", "subject": "example.com/chip"}]


def test_a_pod_of_the_default_scheduler_is_explained(place: Place) -> None:
    place.pod("p")

    done = place.explain("pod", "p")

    assert "1 Insufficient example.com/chip" in done.stdout, done.output
    assert "nodes are available" in done.stdout


def test_a_job_is_explained_by_the_group_that_it_owns(place: Place) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [NEEDED]}}
    spec = {"minAvailable": 1, "tasks": [{"name": "t", "replicas": 1, "template": template}]}
    made = place.create("jobs", "batch.volcano.sh/v1alpha1", "j", spec)
    before = place.explain("job", "vcjob/j")
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j", "uid": made["metadata"]["uid"]}
    place.group("j-g", ownerReferences=[owner])

    after = place.explain("job", "j")

    assert "it has neither a pod group nor pods" in before.stdout, before.output
    assert "they are taken as its job describes them" in after.stdout, after.output
    assert "Nodes, for 1 pod of role t that asks for example.com/chip 3:" in after.stdout


@pytest.mark.parametrize("words", [["job", "k"], ["jobs.batch/k"], ["job.batch", "k"]])
def test_a_job_of_kubernetes_is_explained_by_its_pods(place: Place, words: list[str]) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [NEEDED]}}
    made = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "k"}, "spec": {"template": template}}
    job = place.server.create(f"/apis/batch/v1/namespaces/{place.name}/jobs", made)
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "k", "uid": job["metadata"]["uid"]}
    body = {"nodeSelector": {"mine": place.name}, "containers": [NEEDED]}
    place.create("pods", "v1", "k-0", body, ownerReferences=[owner])

    done = place.explain(*words)

    assert f"pod {place.name}/k-0  Waiting" in done.stdout, done.output
    assert "1 Insufficient example.com/chip" in done.stdout


@pytest.mark.parametrize("words", [[], ["pod"], ["pod/"], ["/x"]])
def test_without_a_name_it_is_said_how_to_ask(words: list[str]) -> None:
    done = CliRunner().invoke(cli, ["explain", *words])

    assert done.exit_code == 2
    assert "podgroup|job|pod" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["podgroup", "none"], "there is no pod group 'none' in namespace default"),
        (["pod/none"], "there is no pod 'none' in namespace default"),
        (["pod", "none", "-n", "elsewhere"], "namespace elsewhere not found"),
        (["job", "none"], "job 'none' not found in namespace default"),
        (["job", "none", "-n", "elsewhere"], "namespace elsewhere not found"),
        (["vcjob", "none"], "vcjob 'none' not found in namespace default"),
        (["queue", "none"], "'queue' is not a kind that can be explained. Kinds that can: podgroup, pod, job, vcjob, "),
        (["job", "pod/none"], "there is no pod 'none' in namespace default"),
    ],
)
def test_what_is_not_there_is_named_in_one_line(bare_server: Windlass, words: list[str], says: str) -> None:
    done = CliRunner().invoke(cli, ["explain", *words, "--data-dir", str(bare_server.data_dir)])

    assert done.exit_code == 1
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("resource", "value", "written"),
    [
        ("cpu", 2400, "2400m"),
        ("cpu", 2000, "2"),
        ("memory", 64 * 1024**3, "64Gi"),
        ("memory", 1536 * 1024, "1.5Mi"),
        ("nvidia.com/gpu", 0.5, "0.5"),
    ],
)
def test_amounts_are_written_as_in_manifests(resource: str, value: float, written: str) -> None:
    assert amount(resource, value) == written


def test_an_explanation_is_written_part_by_part() -> None:
    found = Explanation(
        "podgroup",
        "ml",
        "new",
        WAITING,
        "NotEnoughResources: 2/2 tasks in gang unschedulable",
        place=answer.Place("default", 2, 3, queues_before=("other",)),
        amounts=(Amount("cpu", 2000, 1000, 1500, 1000, 8000),),
        pod_kinds=(PodKind("worker", 2, {"cpu": 1000}, (NodeGroup(7, ("a", "b", "c"), (insufficient("cpu"),)),)),),
        room=Room((Ending("ml/old", "job", 2, 4, 0, "default", ("a",)),)),
        start=Start(3600, assumptions=(Assumption("EndAtDeadline", 4),)),
    )

    assert in_words(found, datetime(2027, 1, 15, tzinfo=UTC)) == [
        "\x1b[1mpodgroup ml/new\x1b[0m  \x1b[33mWaiting\x1b[0m",
        "  NotEnoughResources: 2/2 tasks in gang unschedulable",
        "",
        "Place: 2 of 3 in queue default",
        "  queues whose turn comes first: other",
        "",
        "RESOURCE   ASKED   FREE    TOTAL   A POD   MOST ON A NODE",
        "cpu        2       1500m   8       1       1                \x1b[31mshort\x1b[0m",
        "",
        "Nodes, for 2 pods of role worker that ask for cpu 1:",
        "  7 (a, b, c, …): Insufficient cpu",
        "",
        "What would have to end, at least:",
        "  ml/old: 2 of its 4 pods on a (priority 0, queue default)",
        "",
        "Earliest start: in 1 h 0 min, at 2027-01-15T01:00:00Z.",
        "Assumptions about running and waiting pods:",
        "  4 pods end at their activeDeadlineSeconds",
    ]
