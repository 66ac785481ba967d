"""Volcano's kinds over HTTP: filled in when they are made, refused as by its webhooks, and left alone otherwise."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.apps.volcano.builders import TEMPLATE, a_task, written_job
from tests.support import Answer, Windlass, running

JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs"
CRON_JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/cronjobs"
FLOWS = "/apis/flow.volcano.sh/v1alpha1/namespaces/default/jobflows"
QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
GROUPS = "/apis/scheduling.volcano.sh/v1beta1/namespaces/{}/podgroups"
HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("volcano")) as windlass:
        yield windlass


def named(name: str, spec: Any = None, **metadata: Any) -> Any:
    return {"metadata": {"name": name, **metadata}, **({} if spec is None else {"spec": spec})}


def create(server: Windlass, place: str, obj: Any) -> Any:
    answer = server.request("POST", place, obj)
    assert answer.status == 201, answer.body
    return answer.json()


def close(server: Windlass, queue: str) -> None:
    server.patch(f"{QUEUES}/{queue}/status", {"status": {"state": "Closed"}})


def assert_denied(answer: Answer, webhook: str, why: str) -> None:
    assert answer.json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'admission webhook "{webhook}.volcano.sh" denied the request: {why}',
        "code": 400,
    }
    assert answer.status == 400


def test_a_job_is_filled_in(server: Windlass) -> None:
    spec = {"tasks": [{"replicas": 2, "template": TEMPLATE}], "plugins": {"mpi": ["--master=default0"]}}

    made = create(server, JOBS, named("filled", spec))["spec"]

    assert made == {
        "schedulerName": "volcano",
        "queue": "default",
        "maxRetry": 3,
        "minAvailable": 2,
        "plugins": {"mpi": ["--master=default0"], "svc": [], "ssh": []},
        "tasks": [{"name": "default0", "replicas": 2, "minAvailable": 2, "maxRetry": 3, "template": TEMPLATE}],
    }


def test_all_that_is_wrong_with_a_job_is_told_at_once(server: Windlass) -> None:
    no_image: Any = {"spec": {"containers": [{"name": "main"}]}}
    job = written_job(a_task(template=no_image), minAvailable=9, plugins={"nope": []}, queue="root")

    answer = server.request("POST", JOBS, job)

    why = (
        "spec.task[0].template.spec.containers[0].image: Required value."
        " job 'minAvailable' should not be greater than total replicas in tasks; unable to find job plugin: nope;"
        " can not submit job to root queue;"
    )
    assert_denied(answer, "validatejob", why)


@pytest.mark.parametrize(
    ("place", "spec", "field"),
    [
        (JOBS, {"tasks": [a_task()], "minAvailable": -1}, "spec.minAvailable"),
        (JOBS, {"tasks": []}, "spec.tasks"),
        (JOBS, {"tasks": 5}, "spec.tasks"),
        (JOBS, {"tasks": [5]}, "spec.tasks[0]"),
        (JOBS, {"tasks": [a_task("Big")]}, "spec.tasks[0].name"),
        (JOBS, {"tasks": [a_task(topologyPolicy="near")]}, "spec.tasks[0].topologyPolicy"),
        (JOBS, {"tasks": [a_task()], "volumes": [{"mountPath": "a:b"}]}, "spec.volumes[0].mountPath"),
        (JOBS, {"tasks": [a_task()], "policies": [{"event": "Sneeze"}]}, "spec.policies[0].event"),
        (JOBS, {"tasks": [a_task()], "policies": [{"timeout": "soon"}]}, "spec.policies[0].timeout"),
        (JOBS, 5, "spec"),
        (QUEUES, {"weight": 70000}, "spec.weight"),
        (QUEUES, {"dequeueStrategy": "lifo"}, "spec.dequeueStrategy"),
        (QUEUES, {"capability": {"cpu": "much"}}, "spec.capability.cpu"),
        (QUEUES, 5, "spec"),
        (GROUPS.format("default"), {"queue": "Not A Name"}, "spec.queue"),
        (GROUPS.format("default"), 5, "spec"),
        (CRON_JOBS, {"schedule": "@daily", "jobTemplate": {}, "concurrencyPolicy": "No"}, "spec.concurrencyPolicy"),
        (FLOWS, {"flows": [{"name": ""}]}, "spec.flows[0].name"),
        (HYPER_NODES, {"tier": -1}, "spec.tier"),
        (HYPER_NODES, {"tier": 1, "members": [{"type": "Node"}]}, "spec.members[0].selector"),
    ],
)  # fmt: skip
def test_what_a_schema_forbids_is_invalid_by_its_field(server: Windlass, place: str, spec: Any, field: str) -> None:
    answer = server.request("POST", place, named("bad", spec))

    assert answer.status == 422, answer.body
    assert field in [cause["field"] for cause in answer.json()["details"]["causes"]]


def test_a_job_may_be_scaled_and_marked_and_nothing_else(server: Windlass) -> None:
    place = f"{JOBS}/{create(server, JOBS, written_job(name='steady'))['metadata']['name']}"
    scaled = server.patch(place, {"spec": {"minAvailable": 1, "priorityClassName": "high"}}).json()
    marked = server.patch(place, {"metadata": {"labels": {"a": "b"}}}).json()

    answer = server.patch(place, {"spec": {"queue": "other"}})

    assert scaled["spec"]["minAvailable"] == 1
    assert marked["metadata"]["labels"] == {"a": "b"}
    why = "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec`"
    assert_denied(answer, "validatejob", why)


def test_a_field_without_effect_is_warned_of(server: Windlass) -> None:
    policies = [{"event": "PodPending", "action": "AbortJob"}]

    answer = server.request("POST", JOBS, written_job(name="warned", policies=policies))

    assert answer.status == 201
    assert answer.warnings == ['299 - "spec.policies[0]: PodPending has an effect only with a timeout"']


def test_a_closed_queue_takes_neither_jobs_nor_pod_groups(server: Windlass) -> None:
    create(server, QUEUES, named("shut"))
    close(server, "shut")
    job = server.request("POST", JOBS, written_job(queue="shut"))
    group = server.request("POST", GROUPS.format("default"), named("g", {"queue": "shut"}))

    status = "queue `shut` status is `Closed`"
    assert_denied(job, "validatejob", f"can only submit job to queue with state `Open`, {status};")
    assert_denied(group, "validatepodgroup", f"can only submit PodGroup to queue with state `Open`, {status}.")


def test_a_pod_group_may_be_changed_in_a_queue_that_was_closed_meanwhile(server: Windlass) -> None:
    create(server, QUEUES, named("brief"))
    place = GROUPS.format("default")
    create(server, place, named("early", {"queue": "brief", "minMember": 2}))
    close(server, "brief")

    changed = server.patch(f"{place}/early", {"spec": {"minMember": 1}, "status": {"phase": "Inqueue"}}).json()

    assert (changed["spec"]["minMember"], changed["status"]["phase"]) == (1, "Inqueue")


def test_a_namespace_may_have_a_queue_of_its_own(server: Windlass) -> None:
    create(server, QUEUES, named("team"))
    annotations = {"scheduling.volcano.sh/queue-name": "team"}
    create(server, "/api/v1/namespaces", named("team-a", annotations=annotations))
    place = GROUPS.format("team-a")

    assert create(server, place, named("a", {"minMember": 1}))["spec"]["queue"] == "team"
    assert create(server, place, named("b"))["spec"]["queue"] == "team"
    assert create(server, GROUPS.format("default"), named("c", {}))["spec"]["queue"] == "default"


def test_queues_form_a_tree_whose_leaves_take_jobs(server: Windlass) -> None:
    made = create(server, QUEUES, named("eng", {"deserved": {"cpu": "4"}}))
    create(server, QUEUES, named("dev", {"parent": "eng", "deserved": {"cpu": "3"}}))
    sibling = server.request("POST", QUEUES, named("prod", {"parent": "eng", "deserved": {"cpu": "2"}}))
    job = server.request("POST", JOBS, written_job(queue="eng"))

    assert made["spec"]["reclaimable"] is True
    total = "sum of children's deserved (cpu 5000.00, memory 0.00)"
    limit = "exceeds parent's deserved limit (cpu 4000.00, memory 0.00)"
    assert_denied(sibling, "validatequeue", f"parent queue eng validation failed: {total} {limit}")
    assert_denied(job, "validatejob", "can only submit job to leaf queue, queue `eng` has 1 child queues;")
    why = "queue eng can not be deleted because it has 1 child queues: dev"
    assert_denied(server.request("DELETE", f"{QUEUES}/eng"), "validatequeue", why)
    assert server.request("DELETE", f"{QUEUES}/dev").status == 200
    assert server.request("DELETE", f"{QUEUES}/eng").status == 200


@pytest.mark.parametrize("name", ["default", "root"])
def test_the_first_two_queues_cannot_be_deleted(server: Windlass, name: str) -> None:
    why = f"`{name}` queue can not be deleted"

    assert_denied(server.request("DELETE", f"{QUEUES}/{name}"), "validatequeue", why)


def test_a_path_in_the_hierarchy_gets_its_root(server: Windlass) -> None:
    annotations = {"volcano.sh/hierarchy": "sci/dev", "volcano.sh/hierarchy-weights": "2/3"}
    made = create(server, QUEUES, named("sci-dev", {}, annotations=annotations))

    assert made["metadata"]["annotations"] == {
        "volcano.sh/hierarchy": "root/sci/dev",
        "volcano.sh/hierarchy-weights": "1/2/3",
    }


def test_a_cron_job_is_checked_with_the_job_that_it_makes(server: Windlass) -> None:
    template = {"spec": {"tasks": [a_task()]}}
    made = create(server, CRON_JOBS, named("nightly", {"schedule": "0 3 * * *", "jobTemplate": template}))
    bad = named("bad", {"schedule": "TZ=UTC 0 3 * * *", "jobTemplate": {"spec": {"tasks": [a_task(), a_task()]}}})

    assert made["spec"]["concurrencyPolicy"] == "Allow"
    assert (made["spec"]["successfulJobsHistoryLimit"], made["spec"]["failedJobsHistoryLimit"]) == (3, 1)
    why = "schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field"
    answer = server.request("POST", CRON_JOBS, bad)
    assert_denied(answer, "validatecronjob", f"{why} duplicated task name worker;")


def test_flows_in_a_circle_are_refused(server: Windlass) -> None:
    flows = [{"name": "a", "dependsOn": {"targets": ["b"]}}, {"name": "b", "dependsOn": {"targets": ["a"]}}]

    assert_denied(
        server.request("POST", FLOWS, named("f", {"flows": flows})), "validatejobflow", "jobflow Flow is not DAG"
    )
    create(server, FLOWS, named("f", {"flows": [{"name": "a"}, flows[1]]}))


def test_a_hyper_node_has_members_that_can_be_found(server: Windlass) -> None:
    def of(selector: Any) -> Any:
        return named("rack-1", {"tier": 1, "members": [{"type": "Node", "selector": selector}]})

    answer = server.request("POST", HYPER_NODES, of({"regexMatch": {"pattern": "(node"}}))

    assert answer.status == 400
    assert "member regexMatch pattern is invalid: error parsing regexp" in answer.json()["message"]
    create(server, HYPER_NODES, of({"regexMatch": {"pattern": "^node-[0-9]+$"}}))


def test_a_pod_with_a_bad_budget_is_refused(server: Windlass) -> None:
    annotations = {"volcano.sh/jdb-min-available": "0"}
    create(server, "/api/v1/namespaces/default/serviceaccounts", named("default"))
    spec = {**TEMPLATE["spec"], "schedulerName": "volcano"}

    answer = server.request("POST", "/api/v1/namespaces/default/pods", named("p", spec, annotations=annotations))

    why = 'invalid value <"0"> for volcano.sh/jdb-min-available, it must be a positive integer'
    assert_denied(answer, "validatepod", why)
