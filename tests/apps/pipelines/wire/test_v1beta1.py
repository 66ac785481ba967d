"""/apis/v1beta1 as SDK 1.8 uses it."""

import json
from typing import Any

import pytest
import requests

from tests.apps.pipelines.wire.people import IR, IR_TEXT, WORKFLOW, PipelinesUser, ok, refused, unique
from tests.gateway.platform import Platform


def send(user: PipelinesUser, method: str, path: str, **more: Any) -> requests.Response:
    headers = {"Authorization": f"Bearer {user.token}"}
    return requests.request(method, f"{user.url}/pipeline/apis/v1beta1{path}", headers=headers, timeout=60, **more)


def call(user: PipelinesUser, method: str, path: str, body: Any = None, **query: Any) -> Any:
    return ok(send(user, method, path, json=body, params=query))


def reference(type: str, id: str, relationship: str = "OWNER") -> dict[str, Any]:
    return {"key": {"type": type, "id": id}, "relationship": relationship}


def an_experiment(user: PipelinesUser) -> Any:
    body = {"name": unique("e"), "resource_references": [reference("NAMESPACE", user.namespace)]}
    return call(user, "POST", "/experiments", body)


def a_run(user: PipelinesUser, **fields: Any) -> Any:
    spec = {"workflow_manifest": json.dumps(WORKFLOW), "parameters": [{"name": "who", "value": "Anna"}]}
    references = [reference("EXPERIMENT", an_experiment(user)["id"])]
    body = {"name": unique("r"), "pipeline_spec": spec, "resource_references": references, **fields}
    return call(user, "POST", "/runs", body)


def test_the_server_is_healthy(anna: PipelinesUser) -> None:
    assert call(anna, "GET", "/healthz")["multi_user"] is True
    assert call(anna, "GET", "/auth", namespace="anna", resources="VIEWERS", verb="GET") is not None


def test_an_experiment_lives(anna: PipelinesUser) -> None:
    made = an_experiment(anna)

    assert made["storage_state"] == "STORAGESTATE_AVAILABLE"
    assert made["resource_references"][0]["key"] == {"type": "NAMESPACE", "id": "anna"}
    path = f"/experiments/{made['id']}"
    assert call(anna, "GET", path) == made
    scope = {"resource_reference_key.type": "NAMESPACE", "resource_reference_key.id": "anna"}
    filter = {"predicates": [{"op": "EQUALS", "key": "name", "string_value": made["name"]}]}
    assert call(anna, "GET", "/experiments", **scope, filter=json.dumps(filter))["experiments"] == [made]
    call(anna, "POST", f"{path}:archive")
    archived = [{"op": 1, "key": "storage_state", "stringValue": "STORAGESTATE_ARCHIVED"}]
    listed = call(anna, "GET", "/experiments", filter=json.dumps({"predicates": archived}), page_size=200)
    assert made["id"] in [each["id"] for each in listed["experiments"]]
    call(anna, "POST", f"{path}:unarchive")
    assert call(anna, "DELETE", path) == {}


def test_pipelines_and_versions_have_parameters_and_templates(anna: PipelinesUser) -> None:
    files = {"uploadfile": ("p.yaml", json.dumps(WORKFLOW).encode())}
    name = unique("p")
    made = ok(send(anna, "POST", "/pipelines/upload", params={"name": name}, files=files))

    assert made["parameters"] == [{"name": "who", "value": "world"}]
    assert made["default_version"]["name"] == name
    path = f"/pipelines/{made['id']}"
    assert call(anna, "GET", path) == made
    assert call(anna, "GET", f"/namespaces/anna/pipelines/{name}") == made
    assert "argoproj.io/v1alpha1" in call(anna, "GET", f"{path}/templates")["template"]
    files = {"uploadfile": ("p.yaml", IR_TEXT)}
    query = {"name": "v2", "pipelineid": made["id"]}
    version = ok(send(anna, "POST", "/pipelines/upload_version", params=query, files=files))
    assert [each["name"] for each in version["parameters"]] == ["name", "n"]
    scope = {"resource_key.type": "PIPELINE", "resource_key.id": made["id"]}
    assert call(anna, "GET", "/pipeline_versions", **scope)["total_size"] == 2
    where = f"/pipeline_versions/{version['id']}"
    assert call(anna, "GET", where) == version
    assert "hello-world" in call(anna, "GET", f"{where}/templates")["template"]
    assert call(anna, "POST", f"{path}/default_version/{version['id']}") == {}
    older = made["default_version"]["id"]
    assert call(anna, "POST", f"{path}/default_version/{older}") == {}
    assert call(anna, "GET", path)["default_version"]["id"] == older
    _, foreign = anna.a_pipeline()
    assert send(anna, "POST", f"{path}/default_version/{foreign}").status_code == 404
    assert call(anna, "DELETE", where) == {}
    assert made["id"] in [each["id"] for each in call(anna, "GET", "/pipelines", page_size=200)["pipelines"]]
    assert call(anna, "DELETE", path) == {}


def test_a_run_has_its_workflow(anna: PipelinesUser, platform: Platform) -> None:
    detail = a_run(anna)

    run = detail["run"]
    assert run["status"] in ("Pending", "Running")
    assert run["pipeline_spec"]["parameters"] == [{"name": "who", "value": "Anna"}]
    workflow = json.loads(detail["pipeline_runtime"]["workflow_manifest"])
    assert workflow["metadata"]["labels"]["pipeline/runid"] == run["id"]
    assert call(anna, "GET", f"/runs/{run['id']}")["run"]["id"] == run["id"]
    experiment = run["resource_references"][0]["key"]
    assert experiment["type"] == "EXPERIMENT"
    scope = {"resource_reference_key.type": "EXPERIMENT", "resource_reference_key.id": experiment["id"]}
    assert [each["id"] for each in call(anna, "GET", "/runs", **scope)["runs"]] == [run["id"]]
    call(anna, "POST", f"/runs/{run['id']}:archive")
    call(anna, "POST", f"/runs/{run['id']}:unarchive")
    call(anna, "POST", f"/runs/{run['id']}/terminate")
    assert call(anna, "GET", f"/runs/{run['id']}")["run"]["status"] in ("Terminating", "Failed")
    assert call(anna, "DELETE", f"/runs/{run['id']}") == {}


def test_a_run_of_a_version_and_one_of_ir(anna: PipelinesUser) -> None:
    _, version_id = anna.a_pipeline(json.dumps(WORKFLOW).encode())
    references = [
        reference("EXPERIMENT", an_experiment(anna)["id"]),
        reference("PIPELINE_VERSION", version_id, "CREATOR"),
    ]
    by_version = a_run(anna, resource_references=references, pipeline_spec={})["run"]
    spec = {"pipeline_manifest": json.dumps(IR), "runtime_config": {"parameters": {"n": 3}}}
    inline = a_run(anna, pipeline_spec=spec)["run"]

    assert {each["key"]["type"] for each in by_version["resource_references"]} == {"EXPERIMENT", "PIPELINE_VERSION"}
    assert inline["pipeline_spec"]["runtime_config"] == {"parameters": {"n": 3}}


def test_a_fraction_is_no_integer_parameter(anna: PipelinesUser) -> None:
    spec = {"pipeline_manifest": json.dumps(IR), "runtime_config": {"parameters": {"n": 1.5}}}
    references = [reference("EXPERIMENT", an_experiment(anna)["id"])]
    body = {"name": "r", "pipeline_spec": spec, "resource_references": references}

    assert "'n' must be an integer" in refused(anna.send("POST", "/runs", version="v1beta1", json=body), 400, 3)


def test_metrics_are_reported_once_and_sorted_by(anna: PipelinesUser) -> None:
    run = a_run(anna)["run"]
    metrics = [
        {"name": "accuracy", "node_id": "n1", "number_value": 0.9, "format": "PERCENTAGE"},
        {"name": "bad name", "node_id": "n1", "number_value": 1},
    ]
    path = f"/runs/{run['id']}:reportMetrics"
    first = call(anna, "POST", path, {"metrics": metrics})["results"]
    again = call(anna, "POST", path, {"metrics": metrics[:1]})["results"]

    assert [each["status"] for each in first + again] == ["OK", "INVALID_ARGUMENT", "DUPLICATE_REPORTING"]
    shown = call(anna, "GET", f"/runs/{run['id']}")["run"]["metrics"]
    assert shown == [{"name": "accuracy", "node_id": "n1", "number_value": 0.9, "format": "PERCENTAGE"}]
    listed = call(anna, "GET", "/runs", sort_by="metric:accuracy desc")["runs"]
    assert listed[0]["id"] == run["id"]


def test_a_job_lives(anna: PipelinesUser) -> None:
    body = {
        "name": unique("job"),
        "pipeline_spec": {"workflow_manifest": json.dumps(WORKFLOW)},
        "resource_references": [reference("EXPERIMENT", an_experiment(anna)["id"])],
        "max_concurrency": "1",
        "enabled": True,
        "trigger": {"periodic_schedule": {"interval_second": "3600", "start_time": "2031-01-01T00:00:00Z"}},
    }
    made = call(anna, "POST", "/jobs", body)

    assert (made["enabled"], made["mode"], made["max_concurrency"]) == (True, "ENABLED", "1")
    path = f"/jobs/{made['id']}"
    assert call(anna, "GET", path) == made
    call(anna, "POST", f"{path}/disable")
    assert call(anna, "GET", path)["mode"] == "DISABLED"
    call(anna, "POST", f"{path}/enable")
    assert made["id"] in [each["id"] for each in call(anna, "GET", "/jobs", page_size=200)["jobs"]]
    assert call(anna, "DELETE", path) == {}


@pytest.mark.parametrize(
    "body",
    [
        {"name": "r", "pipeline_spec": {"workflow_manifest": "nonsense"}},
        {"name": "r", "pipeline_spec": {}},
        {"name": "r", "pipeline_spec": {"workflow_manifest": 3}},
        {"name": "r", "resource_references": [{"key": {"type": "PLANET"}}]},
        {"colour": "red"},
    ],
)
def test_a_bad_run_is_refused(anna: PipelinesUser, body: dict[str, Any]) -> None:
    refused(send(anna, "POST", "/runs", json=body), 400, 3)


def test_people_cannot_use_each_others_resources(anna: PipelinesUser, bert: PipelinesUser) -> None:
    run = a_run(anna)["run"]
    experiment = run["resource_references"][0]["key"]["id"]

    for method, path in (
        ("GET", f"/runs/{run['id']}"),
        ("POST", f"/runs/{run['id']}/terminate"),
        ("POST", f"/runs/{run['id']}/retry"),
        ("POST", f"/runs/{run['id']}:reportMetrics"),
        ("DELETE", f"/runs/{run['id']}"),
        ("GET", f"/experiments/{experiment}"),
    ):
        refused(send(bert, method, path), 403, 7)
    scope = {"resource_reference_key.type": "NAMESPACE", "resource_reference_key.id": "anna"}
    for path in ("/runs", "/jobs", "/experiments", "/pipelines"):
        refused(send(bert, "GET", path, params=scope), 403, 7)
