"""Runs and recurring runs over HTTP. No node runs them here."""

import json
from typing import Any

import pytest

from tests.apps.pipelines.wire.people import IR, PLATFORM, WORKFLOW, PipelinesUser, refused, unique
from tests.gateway.platform import Platform

WORKFLOWS = "/apis/argoproj.io/v1alpha1/namespaces/anna/workflows"
SCHEDULES = "/apis/kubeflow.org/v1beta1/namespaces/anna/scheduledworkflows"


def workflow_of(platform: Platform, run_id: str) -> dict[str, Any]:
    (found,) = platform.api.get(f"{WORKFLOWS}?labelSelector=pipeline%2Frunid%3D{run_id}")["items"]
    return found


def test_a_run_of_a_version_is_created_as_on_the_wire_example(anna: PipelinesUser, platform: Platform) -> None:
    pipeline_id, version_id = anna.a_pipeline()
    experiment = anna.an_experiment()
    reference = {"pipeline_id": pipeline_id, "pipeline_version_id": version_id}
    run = anna.post(
        "/runs",
        {
            "experiment_id": experiment["experiment_id"],
            "display_name": "job",
            "runtime_config": {"parameters": {"name": "x", "n": 3}},
            "pipeline_version_reference": reference,
        },
    )

    assert run["pipeline_version_reference"] == reference
    assert run["runtime_config"] == {"parameters": {"name": "x", "n": 3}}
    assert run["service_account"] == "default-editor"
    assert run["state"] == "PENDING"
    assert run["finished_at"] == "1970-01-01T00:00:00Z"
    assert run["scheduled_at"] == run["created_at"]
    assert [change["state"] for change in run["state_history"]] == ["PENDING"]
    assert "pipeline_spec" not in run
    workflow = workflow_of(platform, run["run_id"])
    assert workflow["metadata"]["name"].startswith("hello-world-")
    assert workflow["metadata"]["annotations"]["pipelines.kubeflow.org/run_name"] == "job"
    assert anna.get(f"/experiments/{experiment['experiment_id']}")["last_run_created_at"] == run["created_at"]


def test_a_run_without_version_takes_the_latest(anna: PipelinesUser) -> None:
    pipeline_id, _ = anna.a_pipeline()
    latest = anna.post(f"/pipelines/{pipeline_id}/versions", {"name": "newer", "pipeline_spec": IR})
    run = anna.a_run(pipeline_spec=None, pipeline_version_reference={"pipeline_id": pipeline_id})

    assert run["pipeline_version_reference"]["pipeline_version_id"] == latest["pipeline_version_id"]


def test_an_inline_run_shows_its_specification(anna: PipelinesUser) -> None:
    both = {"pipeline_spec": IR, "platform_spec": PLATFORM}

    assert anna.a_run()["pipeline_spec"] == IR
    assert anna.a_run(pipeline_spec=both)["pipeline_spec"] == both


def test_macros_are_replaced(anna: PipelinesUser) -> None:
    run = anna.a_run(runtime_config={"parameters": {"name": "run [[RunUUID]] [[Index]]"}})

    assert run["runtime_config"]["parameters"]["name"] == f"run {run['run_id']} [[Index]]"


@pytest.mark.parametrize(
    ("fields", "status", "problem"),
    [
        ({"runtime_config": {"parameters": {"colour": "red"}}}, 400, "colour"),
        ({"runtime_config": {"parameters": {"n": "3"}}}, 400, "'n'"),
        ({"runtime_config": {"parameters": {"n": 1.5}}}, 400, "'n' must be an integer (NUMBER_INTEGER), not 1.5"),
        ({"display_name": ""}, 400, "display_name"),
        ({"display_name": "x" * 600}, 400, "display_name"),
        ({"pipeline_spec": {"no": "pipeline"}}, 400, "pipeline_spec"),
        ({"pipeline_spec": None}, 400, "pipeline_spec"),
        ({"pipeline_version_reference": {"pipeline_id": "p"}}, 400, "exclude"),
        ({"experiment_id": "none"}, 404, "none"),
        ({"pipeline_spec": None, "pipeline_version_reference": {"pipeline_version_id": "none"}}, 404, "none"),
        ({"plugins_input": {"a": 1}}, 400, "plugins_input"),
        ({"plugins_output": {"a": 1}}, 409, "plugins_output"),
        ({"service_account": "Bad Name"}, 400, "service_account"),
        ({"run_details": 3}, 400, "run_details"),
    ],
)
def test_a_bad_run_is_refused_by_field(anna: PipelinesUser, fields: dict[str, Any], status: int, problem: str) -> None:
    code = {400: 3, 404: 5, 409: 10}[status]
    body = {"display_name": "r", "pipeline_spec": IR, **fields}
    body = {name: value for name, value in body.items() if value is not None}

    assert problem in refused(anna.send("POST", "/runs", json=body), status, code)


def test_runs_are_listed_by_experiment_and_namespace(anna: PipelinesUser) -> None:
    run = anna.a_run()
    by_experiment = anna.get("/runs", experiment_id=run["experiment_id"])

    assert [each["run_id"] for each in by_experiment["runs"]] == [run["run_id"]]
    newest = anna.get("/runs", namespace="anna", sort_by="created_at desc", page_size=200)
    assert run["run_id"] in [each["run_id"] for each in newest["runs"]]
    filter = json.dumps({"predicates": [{"operation": "EQUALS", "key": "storage_state", "string_value": "ARCHIVED"}]})
    assert anna.get("/runs", experiment_id=run["experiment_id"], filter=filter) == {}


def test_a_run_is_terminated_once(anna: PipelinesUser, platform: Platform) -> None:
    run = anna.a_run()
    assert anna.post(f"/runs/{run['run_id']}:terminate") == {}

    assert anna.get(f"/runs/{run['run_id']}")["state"] in ("CANCELING", "FAILED")
    refused(anna.send("POST", f"/runs/{run['run_id']}:terminate"), 400, 3)
    assert workflow_of(platform, run["run_id"])["spec"]["shutdown"] == "Terminate"


def test_only_a_failed_run_is_retried(anna: PipelinesUser) -> None:
    run = anna.a_run()

    assert "FAILED" in refused(anna.send("POST", f"/runs/{run['run_id']}:retry"), 409, 10)


def test_a_run_is_archived_restored_and_deleted(anna: PipelinesUser, platform: Platform) -> None:
    run = anna.a_run()
    path = f"/runs/{run['run_id']}"
    anna.post(f"{path}:archive")
    assert anna.get(path)["storage_state"] == "ARCHIVED"
    anna.post(f"/experiments/{run['experiment_id']}:archive")
    assert "experiment" in refused(anna.send("POST", f"{path}:unarchive"), 400, 9)
    anna.post(f"/experiments/{run['experiment_id']}:unarchive")
    anna.post(f"{path}:unarchive")
    assert anna.get(path)["storage_state"] == "AVAILABLE"

    anna.delete(path)
    refused(anna.send("GET", path), 404, 5)
    left = platform.api.get(f"{WORKFLOWS}?labelSelector=pipeline%2Frunid%3D{run['run_id']}")["items"]
    assert all("deletionTimestamp" in each["metadata"] for each in left)


def test_archiving_an_experiment_archives_its_runs_and_stops_its_schedules(anna: PipelinesUser) -> None:
    run = anna.a_run()
    schedule = anna.post("/recurringruns", a_schedule(experiment_id=run["experiment_id"]))
    anna.post(f"/experiments/{run['experiment_id']}:archive")

    assert anna.get(f"/runs/{run['run_id']}")["storage_state"] == "ARCHIVED"
    assert anna.get(f"/recurringruns/{schedule['recurring_run_id']}")["status"] == "DISABLED"


def test_a_v1_pipeline_becomes_its_workflow(anna: PipelinesUser, platform: Platform) -> None:
    run = anna.a_run(pipeline_spec=WORKFLOW, runtime_config={"parameters": {"who": "Anna"}})

    workflow = workflow_of(platform, run["run_id"])
    assert workflow["spec"]["arguments"]["parameters"] == [{"name": "who", "value": "Anna"}]
    assert "pipelines.windlass.dev/ir" not in workflow["metadata"]["labels"]


def test_tasks_of_a_new_run_are_listed(anna: PipelinesUser) -> None:
    run = anna.a_run()
    path = f"/runs/{run['run_id']}"

    assert anna.get(path, view="FULL")["run_id"] == run["run_id"]
    anna.get(f"{path}/tasks")
    refused(anna.send("GET", f"{path}/tasks/none"), 404, 5)
    refused(anna.send("GET", f"{path}/nodes/none/artifacts/x:read"), 404, 5)
    by_run = {"operation": "EQUALS", "key": "run_id", "string_value": run["run_id"]}
    assert anna.get("/artifacts", filter=json.dumps({"predicates": [by_run]})) == {}
    refused(anna.send("GET", "/artifacts/none"), 404, 5)
    assert anna.get("/artifact_tasks", run_ids=run["run_id"]) == {}
    refused(anna.send("GET", "/artifact_tasks"), 400, 3)


def a_schedule(**fields: Any) -> dict[str, Any]:
    trigger = {"cron_schedule": {"start_time": "2030-01-01T00:00:00Z", "cron": "0 0 9 ? * 2-6"}}
    body = {"display_name": unique("rec"), "pipeline_spec": IR, "trigger": trigger, "mode": "ENABLE"}
    return {**body, "max_concurrency": 2, "no_catchup": True, **fields}


def test_a_recurring_run_lives(anna: PipelinesUser, platform: Platform) -> None:
    experiment = anna.an_experiment()
    made = anna.post("/recurringruns", a_schedule(experiment_id=experiment["experiment_id"]))

    assert (made["mode"], made["status"], made["max_concurrency"]) == ("ENABLE", "ENABLED", "2")
    assert made["trigger"] == {"cron_schedule": {"start_time": "2030-01-01T00:00:00Z", "cron": "0 0 9 ? * 2-6"}}
    path = f"/recurringruns/{made['recurring_run_id']}"
    assert anna.get(path) == made
    listed = anna.get("/recurringruns", experiment_id=experiment["experiment_id"])
    assert listed["recurringRuns"] == [made]
    schedules = platform.api.get(SCHEDULES)["items"]
    (schedule,) = [each for each in schedules if each["metadata"]["uid"] == made["recurring_run_id"]]
    assert schedule["spec"]["trigger"]["cronSchedule"]["cron"] == "0 0 9 ? * 2-6"
    anna.post(f"{path}:disable")
    assert anna.get(path)["status"] == "DISABLED"
    anna.post(f"{path}:enable")
    assert anna.get(path)["mode"] == "ENABLE"
    assert anna.delete(path, propagation_policy="FOREGROUND") == {}
    refused(anna.send("GET", path), 404, 5)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"trigger": {"cron_schedule": {"cron": "nonsense"}}}, "cron"),
        ({"trigger": {"periodic_schedule": {"interval_second": "0"}}}, "interval_second"),
        ({"trigger": {}}, "trigger"),
        ({"mode": "SOMETIMES"}, "mode"),
        ({"max_concurrency": "many"}, "max_concurrency"),
        ({"runtime_config": {"parameters": {"n": "three"}}}, "'n'"),
        ({"runtime_config": {"parameters": {"n": 1.5}}}, "'n' must be an integer"),
    ],
)
def test_a_bad_recurring_run_is_refused_by_field(anna: PipelinesUser, fields: dict[str, Any], problem: str) -> None:
    assert problem in refused(anna.send("POST", "/recurringruns", json=a_schedule(**fields)), 400, 3)


@pytest.mark.parametrize("mode", [None, "MODE_UNSPECIFIED", 0, "DISABLE", 2])
def test_a_recurring_run_is_enabled_only_if_that_is_asked_for(anna: PipelinesUser, mode: Any) -> None:
    made = anna.post("/recurringruns", a_schedule(experiment_id=anna.an_experiment()["experiment_id"], mode=mode))

    assert (made["mode"], made["status"]) == ("DISABLE", "DISABLED")


def test_people_cannot_use_each_others_runs(anna: PipelinesUser, bert: PipelinesUser) -> None:
    run = anna.a_run()
    schedule = anna.post("/recurringruns", a_schedule(experiment_id=run["experiment_id"]))
    path, recurring = f"/runs/{run['run_id']}", f"/recurringruns/{schedule['recurring_run_id']}"
    verbs = [f"{path}:{verb}" for verb in ("terminate", "retry", "archive", "unarchive")]
    reads = [path, f"{path}/tasks", f"{path}/nodes/n/artifacts/a:read", recurring]

    for where in [*verbs, f"{recurring}:enable", f"{recurring}:disable"]:
        refused(bert.send("POST", where), 403, 7)
    for where in reads:
        refused(bert.send("GET", where), 403, 7)
    for where in (path, recurring):
        refused(bert.send("DELETE", where), 403, 7)
    for where in ("/runs", "/recurringruns", "/artifacts"):
        refused(bert.send("GET", where, params={"namespace": "anna"}), 403, 7)
    body = {"display_name": "x", "experiment_id": run["experiment_id"]}
    refused(bert.send("POST", "/runs", json={**body, "pipeline_spec": IR}), 403, 7)
    refused(bert.send("POST", "/recurringruns", json=a_schedule(experiment_id=run["experiment_id"])), 403, 7)
    pipeline_id, _ = anna.a_pipeline()
    theirs = {"display_name": "x", "pipeline_version_reference": {"pipeline_id": pipeline_id}}
    refused(bert.send("POST", "/runs", json=theirs), 403, 7)


def test_a_run_says_how_it_is_carried_out(anna: PipelinesUser, platform: Platform) -> None:
    options = {"windlass": {"fail_fast": False, "caching": False, "max_cache_staleness": "P7D"}}
    run = anna.a_run(plugins_input=options)

    assert run["plugins_input"] == options
    assert anna.get(f"/runs/{run['run_id']}")["plugins_input"] == options
    annotations = workflow_of(platform, run["run_id"])["metadata"]["annotations"]
    assert annotations["windlass.dev/fail-fast"] == "false"
    assert "plugins_input" not in anna.a_run()


def test_a_v1_run_says_so_on_its_templates(anna: PipelinesUser, platform: Platform) -> None:
    run = anna.a_run(
        pipeline_spec=WORKFLOW, plugins_input={"windlass": {"caching": False, "max_cache_staleness": "P7D"}}
    )

    (template,) = workflow_of(platform, run["run_id"])["spec"]["templates"]
    assert template["metadata"]["labels"]["pipelines.kubeflow.org/cache_enabled"] == "false"
    assert template["metadata"]["annotations"]["pipelines.kubeflow.org/max_cache_staleness"] == "P7D"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"other": {}}, "no plugin 'other'"),
        ({"windlass": {"speed": 1}}, "plugins_input.windlass.speed"),
        ({"windlass": {"caching": "no"}}, "plugins_input.windlass.caching"),
        ({"windlass": {"max_cache_staleness": "a week"}}, "plugins_input.windlass.max_cache_staleness"),
        ({"windlass": "fast"}, "plugins_input.windlass"),
    ],
)
def test_options_that_do_not_exist_are_refused_by_name(anna: PipelinesUser, given: Any, field: str) -> None:
    body = {
        "display_name": "r",
        "pipeline_spec": IR,
        "experiment_id": anna.an_experiment()["experiment_id"],
        "plugins_input": given,
    }

    assert field in refused(anna.send("POST", "/runs", json=body), 400, 3)
