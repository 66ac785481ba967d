"""Reviews of Volcano's kinds: every path, what is filled in, what is refused, and what a cluster is told of them."""

import base64
import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.apis.verdicts import NO_CHECKS
from tests.apps.volcano.builders import TEMPLATE
from tests.webhooks import builders
from tests.webhooks.builders import Object, admission
from windlass.apis.core_v1 import Namespace
from windlass.apis.scheduling_volcano_v1beta1 import Queue
from windlass.apps.volcano.app import APP as VOLCANO
from windlass.kube import errors
from windlass.kube.api import Listing
from windlass.kube.json import dig
from windlass.kube.kind import KINDS
from windlass.webhooks.addresses import Service
from windlass.webhooks.configuration import configurations
from windlass.webhooks.reviews import BadReview

CHECKS = replace(NO_CHECKS, pattern=lambda pattern: "missing closing ]" if pattern == "[" else "")
DEFAULT = {"metadata": {"name": "default"}, "spec": {"weight": 1}}


@dataclass
class Cluster:
    """What a webhook may ask: the queues, and one namespace."""

    queues: list[Object] = field(default_factory=lambda: [DEFAULT])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    asked: list[str] = field(default_factory=list[str])

    async def list(self, of: Any, namespace: str = "") -> Listing[Object]:
        assert of.kind == KINDS.of(Queue)
        self.asked.append("queues")
        return Listing(self.queues, "1")

    async def get(self, of: Any, name: str, namespace: str = "") -> Object:
        if of.kind == KINDS.of(Queue):
            self.asked.append(f"queue {name}")
            found = [queue for queue in self.queues if queue["metadata"]["name"] == name]
            if not found:
                raise errors.NotFound(f'queues "{name}" not found')
            return found[0]
        assert of.kind == KINDS.of(Namespace)
        self.asked.append(f"namespace {name}")
        if name != "team":
            raise errors.NotFound(f'namespaces "{name}" not found')
        return {"metadata": {"name": name, "annotations": self.annotations}}


async def asked(path: str, review: Any, cluster: Any = None) -> Object:
    api: Any = cluster or Cluster()
    return await builders.asked(path, review, api, CHECKS)


def patches(response: Object) -> dict[str, Any]:
    listed = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    assert all(one["op"] == "add" for one in listed)
    return {one["path"]: one["value"] for one in listed}


def made(kind: str, spec: Any, **metadata: Any) -> Object:
    return {"kind": kind, "metadata": {"name": "one", **metadata}, "spec": spec}


def in_team(review: Object, namespace: str = "team") -> Object:
    return {**review, "request": {**review["request"], "namespace": namespace}}


JOB = made("Job", {"minAvailable": 1, "tasks": [{"name": "t", "replicas": 1, "template": TEMPLATE}]})
GROUP = made("PodGroup", {"minMember": 1})


def test_the_paths_are_those_of_volcano() -> None:
    assert {review.path for review in VOLCANO.rules} == {
        "/jobs/mutate",
        "/jobs/validate",
        "/cronjobs/validate",
        "/jobflows/validate",
        "/podgroups/mutate",
        "/podgroups/validate",
        "/queues/mutate",
        "/queues/validate",
        "/hypernodes/validate",
        "/pods/validate",
    }


async def test_a_job_is_filled_in_by_a_patch_of_its_spec() -> None:
    spec = {"tasks": [{"replicas": 2, "template": TEMPLATE}]}

    found = patches(await asked("/jobs/mutate", admission(made("Job", spec))))

    assert set(found) == {"/spec"}
    assert (found["/spec"]["minAvailable"], found["/spec"]["queue"], found["/spec"]["tasks"][0]["name"]) == (
        2,
        "default",
        "default0",
    )


async def test_what_needs_nothing_is_not_patched_nor_is_what_is_changed_later() -> None:
    queue = made("Queue", {"weight": 3, "reclaimable": False})

    assert await asked("/queues/mutate", admission(queue)) == {"allowed": True}
    assert await asked("/jobs/mutate", admission(JOB, JOB, "UPDATE")) == {"allowed": True}


async def test_a_queue_begins_its_path_at_the_root() -> None:
    annotations = {"volcano.sh/hierarchy": "a/b", "volcano.sh/hierarchy-weights": "1/2"}

    found = patches(await asked("/queues/mutate", admission(made("Queue", {}, annotations=annotations))))

    assert found["/spec"] == {"weight": 1, "reclaimable": True}
    assert found["/metadata/annotations"]["volcano.sh/hierarchy"] == "root/a/b"


@pytest.mark.parametrize(("namespace", "queue"), [("team", "gold"), ("gone", "")])
async def test_a_group_goes_to_the_queue_of_its_namespace(namespace: str, queue: str) -> None:
    cluster = Cluster(annotations={"scheduling.volcano.sh/queue-name": "gold"})

    found = patches(await asked("/podgroups/mutate", in_team(admission(GROUP), namespace), cluster))

    assert found.get("/spec", {}).get("queue", "") == queue
    assert cluster.asked == [f"namespace {namespace}"]


CRON = {"schedule": "* *", "jobTemplate": {"spec": JOB["spec"]}}
CYCLE = [{"name": "a", "dependsOn": {"targets": ["a"]}}]
BUDGET = {"volcano.sh/jdb-min-available": "0"}
REFUSED = [
    ("/jobs/validate", made("Job", {**JOB["spec"], "queue": "none"}), "unable to find job queue"),
    ("/cronjobs/validate", made("CronJob", CRON), "expected exactly 5 fields"),
    ("/jobflows/validate", made("JobFlow", {"flows": CYCLE}), "jobflow Flow is not DAG"),
    ("/podgroups/validate", made("PodGroup", {"minMember": 1, "queue": "none"}), "unable to find queue"),
    ("/queues/validate", made("Queue", {"weight": 1, "capability": {"cpu": "-1"}}), "capability"),
    (
        "/hypernodes/validate",
        made("HyperNode", {"members": [{"type": "Node", "selector": {"regexMatch": {"pattern": "["}}}]}),
        "missing closing ]",
    ),
    (
        "/pods/validate",
        made("Pod", {"schedulerName": "volcano"}, annotations=BUDGET),
        "it must be a positive integer",
    ),
]


@pytest.mark.parametrize(("path", "obj", "why"), REFUSED, ids=[path for path, _, _ in REFUSED])
async def test_what_is_wrong_is_refused_with_the_reason(path: str, obj: Object, why: str) -> None:
    response = await asked(path, in_team(admission(obj)))

    assert response["allowed"] is False
    assert why in response["status"]["message"]


async def test_what_the_schemas_rules_refuse_names_the_field() -> None:
    node = made("HyperNode", {"members": [{"type": "Node", "selector": {}}]})

    status = (await asked("/hypernodes/validate", admission(node)))["status"]

    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert [cause["field"] for cause in status["details"]["causes"]] == ["spec.members[0].selector"]


async def test_what_was_accepted_once_may_be_marked() -> None:
    bad = made("Job", {"tasks": [], "queue": "none"})
    marked = {**bad, "metadata": {"name": "one", "labels": {"seen": "yes"}}}

    assert await asked("/jobs/validate", admission(marked, bad, "UPDATE")) == {"allowed": True}


@pytest.mark.parametrize(("name", "allowed"), [("default", False), ("eng", False), ("dev", True)])
async def test_a_queue_with_others_below_it_is_not_deleted_nor_is_the_default_one(name: str, allowed: bool) -> None:
    dev = {"metadata": {"name": "dev"}, "spec": {"parent": "eng"}}
    review = admission(None, {"metadata": {"name": name}}, "DELETE")
    review["request"]["name"] = name

    assert (await asked("/queues/validate", review, Cluster([DEFAULT, dev])))["allowed"] is allowed


async def test_what_has_no_effect_is_warned_of() -> None:
    policies = [{"event": "PodPending", "action": "RestartJob"}]

    response = await asked("/jobs/validate", admission(made("Job", {**JOB["spec"], "policies": policies})))

    assert response["allowed"] is True
    assert [told.partition(":")[0] for told in response["warnings"]] == ["spec.policies[0]"]


async def test_a_webhook_that_is_asked_about_another_kind_says_so() -> None:
    status = (await asked("/jobs/validate", admission(GROUP)))["status"]

    assert status["message"] == "this webhook handles kind Job, not PodGroup"


async def test_what_is_no_review_is_refused() -> None:
    with pytest.raises(BadReview, match="the body must be a AdmissionReview"):
        await asked("/jobs/validate", "a word")


def test_every_webhook_that_is_printed_leads_to_a_path_that_is_served_under_volcanos_name() -> None:
    validating, mutating = configurations([VOLCANO], Service(name="windlass", namespace="team"))

    paths = [dig(one, "clientConfig", "service", "path") for one in (*validating["webhooks"], *mutating["webhooks"])]
    assert sorted(paths) == sorted(review.path for review in VOLCANO.rules)
    named = {one["name"] for one in validating["webhooks"]}
    assert {"validatejob.volcano.sh", "validatequeue.volcano.sh", "validatepodgroup.volcano.sh"} <= named
    assert {one["name"] for one in mutating["webhooks"]} == {
        "mutatejob.volcano.sh",
        "mutatequeue.volcano.sh",
        "mutatepodgroup.volcano.sh",
    }


def test_only_pods_of_volcanos_scheduler_wait_for_a_webhook() -> None:
    validating, _ = configurations([VOLCANO], Service(name="windlass", namespace="team"))

    limited = {one["name"]: one["matchConditions"] for one in validating["webhooks"] if "matchConditions" in one}
    assert set(limited) == {"validatepod.volcano.sh"}
    assert "schedulerName == 'volcano'" in limited["validatepod.volcano.sh"][0]["expression"]
