"""JobSets over HTTP: filled in, refused as by upstream's webhook, changed only while they rest."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.apps.jobset.builders import after, job, written
from tests.support import Answer, Windlass, running

JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
POD = "/spec/replicatedJobs/0/template/spec/template/spec"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("jobset")) as windlass:
        yield windlass


def asked(name: str, *jobs: Any, **spec: Any) -> Any:
    made = written(*jobs, name=name, **spec)
    return {**made, "metadata": {"name": name}}


def create(server: Windlass, obj: Any) -> Any:
    answer = server.request("POST", JOBSETS, obj)
    assert answer.status == 201, answer.body
    return answer.json()


def assert_denied(answer: Answer, why: str) -> None:
    assert (answer.status, answer.json()["message"]) == (
        403,
        f'admission webhook "vjobset.kb.io" denied the request: {why}',
    )


def test_a_jobset_is_filled_in(server: Windlass) -> None:
    bare = {
        "name": "workers",
        "template": {"spec": {"template": {"spec": job()["template"]["spec"]["template"]["spec"]}}},
    }

    spec = create(server, asked("filled", bare))["spec"]

    assert spec["network"] == {"enableDNSHostnames": True, "publishNotReadyAddresses": True}
    (made,) = spec["replicatedJobs"]
    assert (made["replicas"], made["groupName"]) == (1, "default")
    assert made["template"]["spec"]["completionMode"] == "Indexed"


def test_a_generated_name_is_checked_too(server: Windlass) -> None:
    obj = {**asked(""), "metadata": {"generateName": "some-"}}

    assert create(server, obj)["metadata"]["name"].startswith("some-")


def test_all_that_is_wrong_is_told_at_once(server: Windlass) -> None:
    obj = asked("wrong", job("a", dependsOn=after("b")), managedBy="me")

    why = (
        "DependsOn can't be set for the first ReplicatedJob\n"
        'spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")\n'
        "replicatedJob: a cannot depend on replicatedJob: b"
    )
    assert_denied(server.request("POST", JOBSETS, obj), why)


def test_a_job_that_could_not_be_made_is_refused_with_its_set(server: Windlass) -> None:
    obj = asked("no-image", job(pod={"containers": [{"name": "main"}]}))

    where = "spec.replicatedJobs[0].template.spec.template.spec.containers[0].image"
    assert_denied(server.request("POST", JOBSETS, obj), f"{where}: Required value")


def test_an_order_that_is_said_twice_is_refused_by_the_schema(server: Windlass) -> None:
    jobs = (job("a"), job("b", dependsOn=after("a")))
    obj = asked("twice", *jobs, startupPolicy={"startupPolicyOrder": "InOrder"})

    answer = server.request("POST", JOBSETS, obj)

    assert answer.status == 422
    assert "StartupPolicy and DependsOn APIs are mutually exclusive" in answer.json()["message"]


def test_what_is_put_again_as_it_was_written_changes_nothing(server: Windlass) -> None:
    obj = asked("again")
    made = create(server, obj)

    answer = server.request("PUT", f"{JOBSETS}/again", {**obj, "metadata": made["metadata"]})

    assert answer.status == 200, answer.body
    assert answer.json()["spec"] == made["spec"]


def test_where_pods_go_changes_only_while_the_set_rests(server: Windlass) -> None:
    create(server, asked("moves"))
    selector = {"op": "add", "path": f"{POD}/nodeSelector", "value": {"zone": "a"}}

    refused = server.patch(f"{JOBSETS}/moves", [selector], "json")
    rests = [{"op": "add", "path": "/spec/suspend", "value": True}, selector]
    moved = server.patch(f"{JOBSETS}/moves", rests, "json")

    assert refused.json()["message"].endswith("field is immutable")
    assert moved.status == 200, moved.body


@pytest.mark.parametrize("field", ["network", "successPolicy", "failurePolicy"])
def test_policies_are_kept(server: Windlass, field: str) -> None:
    name = f"keeps-{field.lower()}"
    create(server, asked(name, failurePolicy={"maxRestarts": 1}))
    change = {"network": {"subdomain": "x"}, "successPolicy": {"operator": "Any"}, "failurePolicy": {"maxRestarts": 2}}

    answer = server.patch(f"{JOBSETS}/{name}", {"spec": {field: change[field]}})

    assert (answer.status, "Value is immutable" in answer.json()["message"]) == (422, True)


def test_the_columns_are_shown(server: Windlass) -> None:
    headers = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}

    table = server.request("GET", JOBSETS, headers=headers).json()

    names = [column["name"] for column in table["columnDefinitions"]]
    assert names == ["Name", "TerminalState", "Restarts", "Completed", "Suspended", "Age"]
