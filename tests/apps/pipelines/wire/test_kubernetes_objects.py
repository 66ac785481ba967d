"""Pipelines, versions and schedules that are written as objects, seen through the API. No node runs them here."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from tests.apps.pipelines.wire.people import IR, WORKFLOW, PipelinesUser, refused, unique
from tests.gateway.platform import Platform
from tests.support import eventually

GROUP = "/apis/pipelines.kubeflow.org/v2beta1/namespaces/anna"
PIPELINES, VERSIONS = f"{GROUP}/pipelines", f"{GROUP}/pipelineversions"
SCHEDULES = "/apis/kubeflow.org/v1beta1/namespaces/anna/scheduledworkflows"
FAR = {"periodicSchedule": {"intervalSecond": 86_400}}
SOON = {"periodicSchedule": {"intervalSecond": 1}}
T = TypeVar("T")


def a_pipeline(platform: Platform, **spec: Any) -> dict[str, Any]:
    body = {
        "apiVersion": "pipelines.kubeflow.org/v2beta1",
        "kind": "Pipeline",
        "metadata": {"name": unique("p")},
        "spec": spec,
    }
    return platform.api.create(PIPELINES, body)


def version_body(pipeline: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "pipelines.kubeflow.org/v2beta1",
        "kind": "PipelineVersion",
        "metadata": {"name": unique("v")},
        "spec": {"pipelineName": pipeline["metadata"]["name"], "pipelineSpec": IR, **spec},
    }


def a_version(platform: Platform, pipeline: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return platform.api.create(VERSIONS, version_body(pipeline, **spec))


def a_schedule(platform: Platform, **spec: Any) -> dict[str, Any]:
    body = {
        "apiVersion": "kubeflow.org/v1beta1",
        "kind": "ScheduledWorkflow",
        "metadata": {"name": unique("s")},
        "spec": {"enabled": True, "trigger": FAR, **spec},
    }
    return platform.api.create(SCHEDULES, body)


def uid(obj: dict[str, Any]) -> str:
    return obj["metadata"]["uid"]


def once(find: Callable[[], T], what: str) -> T:
    found: list[T] = []

    def look() -> bool:
        found.append(find())
        return bool(found[-1])

    eventually(look, 20, what)
    return found[-1]


def shown(user: PipelinesUser, path: str) -> Any:
    answer = user.send("GET", path)
    return answer.json() if answer.status_code == 200 else None


def is_gone(user: PipelinesUser, path: str) -> bool:
    return user.send("GET", path).status_code == 404


def listed_version(user: PipelinesUser, pipeline: dict[str, Any], version: dict[str, Any]) -> Any:
    path = f"/pipelines/{uid(pipeline)}/versions/{uid(version)}"
    return once(lambda: shown(user, path), "the version is recorded")


def condition(platform: Platform, path: str, type: str) -> dict[str, Any]:
    def find() -> dict[str, Any]:
        conditions = platform.api.get(path).get("status", {}).get("conditions", [])
        return next((each for each in conditions if each["type"] == type), {})

    return once(find, f"the condition {type}")


def test_objects_are_listed_under_their_uid_and_can_be_run(anna: PipelinesUser, platform: Platform) -> None:
    pipeline = a_pipeline(platform, displayName="Hello", description="d", tags={"team": "a"})
    version = a_version(platform, pipeline, versionName="first")

    seen = listed_version(anna, pipeline, version)

    assert (seen["name"], seen["pipeline_spec"], seen["pipeline_id"]) == ("first", IR, uid(pipeline))
    recorded = anna.get(f"/pipelines/{uid(pipeline)}")
    assert (recorded["name"], recorded["display_name"]) == (pipeline["metadata"]["name"], "Hello")
    assert (recorded["namespace"], recorded["tags"]) == ("anna", {"team": "a"})
    reference = {"pipeline_id": uid(pipeline), "pipeline_version_id": uid(version)}
    assert anna.a_run(pipeline_spec=None, pipeline_version_reference=reference)["state"] == "PENDING"
    path = f"{PIPELINES}/{pipeline['metadata']['name']}"
    assert condition(platform, path, "Recorded")["status"] == "True"


def test_an_object_that_changes_or_is_deleted_does_so_in_the_api(anna: PipelinesUser, platform: Platform) -> None:
    pipeline = a_pipeline(platform)
    version = a_version(platform, pipeline)
    listed_version(anna, pipeline, version)
    path = f"{PIPELINES}/{pipeline['metadata']['name']}"

    platform.api.patch(path, {"spec": {"displayName": "Renamed"}})
    eventually(lambda: anna.get(f"/pipelines/{uid(pipeline)}")["display_name"] == "Renamed", 20, "the new name")
    platform.api.request("DELETE", f"{VERSIONS}/{version['metadata']['name']}")
    gone = f"/pipelines/{uid(pipeline)}/versions/{uid(version)}"
    eventually(lambda: is_gone(anna, gone), 20, "the version is gone")
    platform.api.request("DELETE", path)
    eventually(lambda: is_gone(anna, f"/pipelines/{uid(pipeline)}"), 20, "the pipeline is gone")
    eventually(lambda: platform.api.request("GET", path).status == 404, 20, "the object is gone")


def test_a_change_by_the_api_is_a_change_of_the_object(anna: PipelinesUser, platform: Platform) -> None:
    pipeline = a_pipeline(platform, tags={"old": "1"})
    version = a_version(platform, pipeline)
    listed_version(anna, pipeline, version)
    path = f"{PIPELINES}/{pipeline['metadata']['name']}"

    anna.patch(f"/pipelines/{uid(pipeline)}", {"display_name": "Better", "tags": {"new": "2"}})

    assert platform.api.get(path)["spec"] == {"displayName": "Better", "tags": {"new": "2"}}
    anna.delete(f"/pipelines/{uid(pipeline)}/versions/{uid(version)}")
    version_path = f"{VERSIONS}/{version['metadata']['name']}"
    eventually(lambda: platform.api.request("GET", version_path).status == 404, 20, "the version is gone")
    anna.delete(f"/pipelines/{uid(pipeline)}")
    eventually(lambda: platform.api.request("GET", path).status == 404, 20, "the object is gone")


def test_a_name_that_an_uploaded_pipeline_has_is_reported(anna: PipelinesUser, platform: Platform) -> None:
    name = unique("p")
    anna.post("/pipelines", {"name": name, "namespace": "anna"})
    body = {"apiVersion": "pipelines.kubeflow.org/v2beta1", "kind": "Pipeline", "metadata": {"name": name}}
    platform.api.create(PIPELINES, body)

    found = condition(platform, f"{PIPELINES}/{name}", "Recorded")

    assert (found["status"], found["reason"]) == ("False", "CannotRecord")
    assert "was uploaded" in found["message"]


def test_an_invalid_specification_is_refused_with_its_field(platform: Platform) -> None:
    pipeline = a_pipeline(platform)
    broken = {**IR, "root": {"dag": {"tasks": {"say": {"componentRef": {"name": "missing"}}}}}}

    answer = platform.api.request("POST", VERSIONS, version_body(pipeline, pipelineSpec=broken))

    message = answer.json()["message"]
    assert answer.status >= 400
    assert "spec.pipelineSpec: Invalid value: " in message
    assert "missing" in message


def test_a_schedule_by_the_name_of_a_pipeline_is_a_recurring_run(anna: PipelinesUser, platform: Platform) -> None:
    pipeline = a_pipeline(platform)
    parameters = [{"name": "name", "value": "you"}, {"name": "n", "value": "3"}]
    schedule = a_schedule(
        platform, pipelineName=pipeline["metadata"]["name"], workflow={"parameters": parameters}, trigger=SOON
    )
    version = a_version(platform, pipeline)

    recorded = once(lambda: shown(anna, f"/recurringruns/{uid(schedule)}"), "the schedule is recorded")

    assert recorded["pipeline_version_reference"] == {"pipeline_id": uid(pipeline)}
    assert recorded["runtime_config"] == {"parameters": {"name": "you", "n": 3}}
    assert recorded["service_account"] == "default-editor"
    experiment = anna.get(f"/experiments/{recorded['experiment_id']}")
    assert experiment["display_name"] == "Default"
    found = {"predicates": [{"operation": 1, "key": "recurring_run_id", "string_value": uid(schedule)}]}
    (run, *_) = once(lambda: anna.get("/runs", namespace="anna", filter=json.dumps(found)).get("runs"), "a run")
    assert run["pipeline_version_reference"]["pipeline_version_id"] == uid(version)
    path = f"{SCHEDULES}/{schedule['metadata']['name']}"
    platform.api.patch(path, {"spec": {"enabled": False}})
    eventually(lambda: anna.get(f"/recurringruns/{uid(schedule)}")["status"] == "DISABLED", 20, "disabled")
    platform.api.request("DELETE", path)
    eventually(lambda: is_gone(anna, f"/recurringruns/{uid(schedule)}"), 20, "the recurring run is gone")
    eventually(lambda: platform.api.request("GET", path).status == 404, 20, "the object is gone")


def test_a_schedule_with_a_specification_of_its_own(anna: PipelinesUser, platform: Platform) -> None:
    of_ir = a_schedule(platform, workflow={"spec": IR})
    of_argo = a_schedule(platform, workflow={"spec": WORKFLOW["spec"]})
    as_text = a_schedule(platform, workflow={"spec": json.dumps(IR)})

    for schedule in (of_ir, as_text):
        recorded = once(lambda schedule=schedule: shown(anna, f"/recurringruns/{uid(schedule)}"), "recorded")
        assert recorded["pipeline_spec"] == IR
    recorded = once(lambda: shown(anna, f"/recurringruns/{uid(of_argo)}"), "recorded")
    assert recorded["pipeline_spec"]["spec"] == WORKFLOW["spec"]


def test_a_schedule_reaches_no_pipelines_of_others(
    anna: PipelinesUser, bert: PipelinesUser, platform: Platform
) -> None:
    pipeline_id, version_id = bert.a_pipeline()
    for reference in ({"pipelineId": pipeline_id}, {"pipelineVersionId": version_id}):
        schedule = a_schedule(platform, **reference)

        error = condition(platform, f"{SCHEDULES}/{schedule['metadata']['name']}", "Error")

        assert "there is no pipeline" in error["message"]
        assert is_gone(anna, f"/recurringruns/{uid(schedule)}")


def test_a_recurring_run_of_the_api_keeps_its_own_record(anna: PipelinesUser, platform: Platform) -> None:
    body = {
        "display_name": "mine",
        "description": "as I wrote it",
        "experiment_id": anna.an_experiment()["experiment_id"],
        "pipeline_spec": IR,
        "trigger": {"periodic_schedule": {"interval_second": "86400"}},
        "mode": "ENABLE",
        "max_concurrency": "1",
    }
    made = anna.post("/recurringruns", body)
    path = f"/recurringruns/{made['recurring_run_id']}"
    platform.api.get(SCHEDULES)

    assert anna.get(path)["display_name"] == "mine"
    assert anna.get(path)["pipeline_spec"] == IR


def test_a_recurring_run_of_the_api_shows_what_becomes_of_its_object(anna: PipelinesUser, platform: Platform) -> None:
    pipeline_id, _ = anna.a_pipeline()
    body = {
        "display_name": "follows",
        "experiment_id": anna.an_experiment()["experiment_id"],
        "pipeline_version_reference": {"pipeline_id": pipeline_id},
        "trigger": {"periodic_schedule": {"interval_second": "1"}},
        "mode": "ENABLE",
        "max_concurrency": "10",
    }
    made = anna.post("/recurringruns", body)
    path = f"/recurringruns/{made['recurring_run_id']}"
    anna.delete(f"/pipelines/{pipeline_id}", cascade="true")

    failed = once(lambda: anna.get(path).get("error"), "the reason why no run starts")
    assert failed["message"] == "the pipeline version of this recurring run was deleted"
    (schedule,) = [each for each in platform.api.get(SCHEDULES)["items"] if uid(each) == made["recurring_run_id"]]
    name = schedule["metadata"]["name"]
    platform.api.patch(f"{SCHEDULES}/{name}", {"spec": {"enabled": False}})
    eventually(lambda: anna.get(path)["status"] == "DISABLED", 30, "disabled")
    platform.api.request("DELETE", f"{SCHEDULES}/{name}")
    assert "its ScheduledWorkflow was deleted" in refused(anna.send("POST", f"{path}:enable"), 404, 5)


def test_annotations_of_a_schedule_say_how_its_runs_are_carried_out(anna: PipelinesUser, platform: Platform) -> None:
    body = {
        "apiVersion": "kubeflow.org/v1beta1",
        "kind": "ScheduledWorkflow",
        "metadata": {
            "name": unique("s"),
            "annotations": {
                "windlass.dev/fail-fast": "false",
                "windlass.dev/caching": "false",
                "windlass.dev/max-cache-staleness": "P7D",
            },
        },
        "spec": {"enabled": True, "trigger": SOON, "workflow": {"spec": IR}},
    }
    schedule = platform.api.create(SCHEDULES, body)
    options = {"windlass": {"fail_fast": False, "caching": False, "max_cache_staleness": "P7D"}}

    recorded = once(lambda: shown(anna, f"/recurringruns/{uid(schedule)}"), "the schedule is recorded")

    assert recorded["plugins_input"] == options
    found = {"predicates": [{"operation": 1, "key": "recurring_run_id", "string_value": uid(schedule)}]}
    (run, *_) = once(lambda: anna.get("/runs", namespace="anna", filter=json.dumps(found)).get("runs"), "a run")
    assert run["plugins_input"] == options
    platform.api.request("DELETE", f"{SCHEDULES}/{schedule['metadata']['name']}")
