"""Experiments over HTTP."""

import json

import pytest
import requests

from tests.apps.pipelines.wire.people import PipelinesUser, refused, unique
from tests.gateway.browser import Person, signed_in
from tests.gateway.platform import Platform


def test_the_server_is_healthy_and_multi_user(anna: PipelinesUser) -> None:
    health = anna.get("/healthz")

    assert health["multi_user"] is True
    assert health["pipeline_store"] == "database"


@pytest.mark.parametrize("prefix", ["/apis", "//apis", "/pipeline/apis", "/pipeline//apis"])
def test_the_api_is_at_the_root_and_below_pipeline(anna: PipelinesUser, prefix: str) -> None:
    answer = requests.get(
        f"{anna.url}{prefix}/v2beta1/healthz", headers={"Authorization": f"Bearer {anna.token}"}, timeout=60
    )

    assert answer.status_code == 200


def test_nobody_gets_in_without_identity(anna: PipelinesUser) -> None:
    for headers in ({}, {"kubeflow-userid": anna.email}, {"Authorization": "Bearer nonsense"}):
        answer = requests.get(f"{anna.url}/pipeline/apis/v2beta1/experiments", headers=headers, timeout=60)
        assert "bearer token" in refused(answer, 401, 16)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_an_experiment_lives(anna: PipelinesUser) -> None:
    name = unique("exp")
    made = anna.post("/experiments", {"displayName": name, "namespace": "anna", "description": "d"})

    assert made["display_name"] == name
    assert made["namespace"] == "anna"
    assert made["storage_state"] == "AVAILABLE"
    assert made["last_run_created_at"] == "1970-01-01T00:00:00Z"
    path = f"/experiments/{made['experiment_id']}"
    assert anna.get(path) == made
    assert anna.post(f"{path}:archive") == {}
    assert anna.get(path)["storage_state"] == "ARCHIVED"
    assert anna.post(f"{path}:unarchive") == {}
    assert anna.get(path)["storage_state"] == "AVAILABLE"
    assert anna.delete(path) == {}
    assert "not found" in refused(anna.send("GET", path), 404, 5)


def test_a_name_is_unique_in_its_namespace(anna: PipelinesUser) -> None:
    made = anna.an_experiment()

    again = anna.send("POST", "/experiments", json={"display_name": made["display_name"], "namespace": "anna"})
    assert made["display_name"] in refused(again, 409, 6)


def test_the_sdks_filter_finds_an_experiment_by_name(anna: PipelinesUser) -> None:
    made = anna.an_experiment()
    predicate = {"operation": 1, "key": "display_name", "stringValue": made["display_name"]}

    found = anna.get("/experiments", filter=json.dumps({"predicates": [predicate]}), namespace="")
    assert found == {"experiments": [made], "total_size": 1}
    predicate["stringValue"] = "none"
    assert anna.get("/experiments", filter=json.dumps({"predicates": [predicate]})) == {}


def test_pages_follow_each_other(anna: PipelinesUser) -> None:
    prefix = unique("page")
    names = sorted(anna.an_experiment(display_name=f"{prefix}-{n}")["display_name"] for n in range(5))
    filter = json.dumps({"predicates": [{"operation": "IS_SUBSTRING", "key": "name", "string_value": prefix}]})

    seen, token = [], ""
    while True:
        page = anna.get("/experiments", filter=filter, sort_by="display_name desc", page_size=2, page_token=token)
        assert page["total_size"] == 5
        seen += [experiment["display_name"] for experiment in page["experiments"]]
        token = page.get("next_page_token", "")
        if not token:
            break
    assert seen == names[::-1]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"page_size": "-1"}, "page_size"),
        ({"page_size": "many"}, "page_size"),
        ({"page_token": "nonsense"}, "page_token"),
        ({"sort_by": "colour"}, "sort_by"),
        ({"sort_by": "name down"}, "sort_by"),
        ({"filter": "{"}, "filter"),
        ({"filter": '{"predicates": [{"operation": 1, "key": "colour", "string_value": "x"}]}'}, "colour"),
        ({"filter": '{"predicates": [{"operation": 8, "key": "name", "string_value": "x"}]}'}, "IN"),
        ({"filter": '{"predicates": [{"operation": 9, "key": "name", "int_value": 1}]}'}, "IS_SUBSTRING"),
        ({"filter": '{"predicates": [{"key": "name", "string_value": "x"}]}'}, "operation"),
        ({"namespace": "../etc"}, "namespace"),
    ],
)
def test_a_bad_list_argument_is_refused_by_name(anna: PipelinesUser, query: dict[str, str], problem: str) -> None:
    assert problem in refused(anna.send("GET", "/experiments", params=query), 400, 3)


def test_a_token_of_another_list_is_refused(anna: PipelinesUser) -> None:
    for _ in range(2):
        anna.an_experiment()
    token = anna.get("/experiments", page_size=1, sort_by="name")["next_page_token"]

    assert anna.get("/experiments", page_size=1, page_token=token)["experiments"]
    refused(anna.send("GET", "/experiments", params={"page_token": token, "sort_by": "created_at"}), 400, 3)
    refused(anna.send("GET", "/experiments", params={"page_token": f"{token}===!A"}), 400, 3)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"display_name": "x" * 129},
        {"display_name": "x", "colour": 1},
        {"display_name": 1},
        [],
        "text",
        {"display_name": "a\0b"},
        {"display_name": "x", "description": "x" * 65_536},
    ],
)
def test_a_bad_experiment_is_refused(anna: PipelinesUser, body: object) -> None:
    refused(anna.send("POST", "/experiments", json=body), 400, 3)


def test_people_cannot_use_each_others_experiments(anna: PipelinesUser, bert: PipelinesUser) -> None:
    made = anna.an_experiment()
    path = f"/experiments/{made['experiment_id']}"

    for method, where in (("GET", path), ("DELETE", path), ("POST", f"{path}:archive"), ("POST", f"{path}:unarchive")):
        assert bert.email in refused(bert.send(method, where), 403, 7)
    refused(bert.send("GET", "/experiments", params={"namespace": "anna"}), 403, 7)
    refused(bert.send("POST", "/experiments", json={"display_name": "x", "namespace": "anna"}), 403, 7)
    assert anna.get(path) == made


def test_the_default_experiment_is_not_deleted(anna: PipelinesUser) -> None:
    run = anna.a_run(experiment_id="")
    experiment = anna.get(f"/experiments/{run['experiment_id']}")

    assert experiment["display_name"] == "Default"
    refused(anna.send("DELETE", f"/experiments/{run['experiment_id']}"), 409, 10)


def test_a_session_works_too_but_not_from_a_page_of_another_origin(platform: Platform, bert: PipelinesUser) -> None:
    browser = signed_in(platform, Person(bert.email, f"secret of {bert.email}"))
    path = "/pipeline/apis/v2beta1/experiments"

    assert browser.get(path).status_code == 200
    made = browser.post(path, json={"display_name": unique("e")}, headers={"Origin": platform.url})
    assert made.status_code == 200, made.text
    foreign = browser.post(path, json={"display_name": unique("e")}, headers={"Origin": "https://evil.example"})
    assert foreign.status_code == 403
