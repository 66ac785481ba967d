"""Workflows written with the unmodified Hera, created and controlled by the API of Argo Server."""

import json
from typing import Any

import pytest
import requests

from tests.e2e.pipelines.sdk import Kfp

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def found(kfp: Kfp) -> Any:
    return kfp.run_hera_stories()


def test_a_graph_of_scripts_is_created_and_waited_for(found: Any) -> None:
    assert found["graph"] == {
        "phase": "Succeeded", "a": "6", "b": "12", "each": "[24,10]", "each(0:12)": "24", "each(1:5)": "10"
    }  # fmt: skip


def test_steps_loop_over_the_result_of_a_script(found: Any) -> None:
    assert found["sequence"] == {
        "phase": "Succeeded", "made": "[1, 2, 3]", "each(0:1)": "2", "each(1:2)": "4", "each(2:3)": "6"
    }  # fmt: skip


def test_a_workflow_is_linted_listed_resubmitted_and_deleted(found: Any) -> None:
    container = found["container"]

    assert (container["linted"], container["phase"], container["listed"]) == ("hera-container", "Succeeded", True)
    assert (container["again"], container["gone"]) == ("Succeeded", "NotFound")


def test_a_bad_workflow_is_refused_with_the_field(found: Any) -> None:
    assert found["refused"].startswith("BadRequest: ")
    assert "spec.entrypoint: Not found: 'nothing'" in found["refused"]


def test_templates_are_submitted_and_referred_to(found: Any) -> None:
    templates = found["templates"]

    assert templates["listed"] == ["hera-template"]
    assert templates["submitted"] == {"phase": "Succeeded", "a": "14"}
    assert templates["referred"] == "Succeeded"
    assert templates["cluster"] == "Forbidden"


def test_a_schedule_is_created_and_submitted_at_once(found: Any) -> None:
    assert found["schedule"] == {"listed": ["hera-cron"], "submitted": {"phase": "Succeeded", "a": "heads"}}


def test_workflows_are_resumed_stopped_terminated_and_retried(found: Any) -> None:
    assert found["verbs"] == {
        "resumed": {"phase": "Succeeded", "after": "42"},
        "stop": "Failed",
        "terminate": "Failed",
        "retried": "Running",
    }
    assert found["version"].startswith("v")


def test_artifacts_are_passed_on_kept_at_a_key_given_as_text_and_downloaded(found: Any) -> None:
    artifacts = found["artifacts"]

    assert (artifacts["phase"], artifacts["keys"]) == ("Succeeded", ["folder", "kept", "made.tgz"]), artifacts.get(
        "failed"
    )
    assert (artifacts["file"], artifacts["key"], artifacts["text"]) == ("hello", "kept\n", "raw text")
    assert artifacts["content"] == "b'kept\\n'", "Hera has the bytes as text"
    assert artifacts["tree"] == "['deep', 'deep/a']"
    assert (artifacts["url"], artifacts["clone"]) == ("served\n", "['first']")


def test_loops_take_items_of_parameters_fields_and_sequences(found: Any) -> None:
    loops = found["loops"]

    assert (loops["phase"], loops["each"], loops["fixed"]) == ("Succeeded", '["a10","b20"]', '["x30","y40"]')
    assert (loops["counted"], loops["end"]) == ("[10,12,14]", '["a10","b20"]')


def test_a_script_is_tried_again(found: Any) -> None:
    assert found["retries"] == {"phase": "Succeeded", "attempts": ["Failed", "Failed", "Succeeded"]}


def test_containers_of_a_set_are_tried_again_and_objects_are_listed(found: Any) -> None:
    assert (found["sets"]["phase"], found["sets"]["names"]) == ("Succeeded", "a.csv"), found["sets"]


def test_a_whole_template_is_run_waited_for_and_followed(found: Any, kfp: Kfp) -> None:
    reference = found["reference"]
    api = f"{kfp.url}/argo/api/v1/workflows/{kfp.namespace}/{reference['name']}/log"
    headers = {"Authorization": f"Bearer {kfp.token}"}
    queries = ("logOptions.follow=true&grep=^18$", "logOptions.tailLines=1", "grep=nothing")

    logs = [requests.get(f"{api}?{query}", headers=headers, timeout=30).text for query in queries]

    assert (reference["done"], reference["linted"]) == ({"phase": "Succeeded", "a": "18"}, "hera-pausing")
    assert reference["paused"] == [True, False]
    contents = [[json.loads(line)["result"]["content"] for line in log.splitlines()] for log in logs]
    assert contents == [["18"], ["18"], []]


def test_changes_of_workflows_are_events(found: Any, kfp: Kfp) -> None:
    headers = {"Authorization": f"Bearer {kfp.token}", "Accept": "text/event-stream"}
    url = f"{kfp.url}/argo/api/v1/workflow-events"

    with requests.get(f"{url}/{kfp.namespace}", headers=headers, stream=True, timeout=30) as answer:
        first = next(line for line in answer.iter_lines() if line)
    forbidden = requests.get(f"{url}/default", headers=headers, timeout=30)

    assert answer.headers["Content-Type"] == "text/event-stream"
    assert json.loads(first.removeprefix(b"data: "))["result"]["object"]["kind"] == "Workflow"
    assert (forbidden.status_code, forbidden.json()["code"]) == (403, 7)


def test_logs_are_lines_of_json(found: Any, kfp: Kfp) -> None:
    api = f"{kfp.url}/api/v1/workflows/{kfp.namespace}"
    headers = {"Authorization": f"Bearer {kfp.token}"}
    workflows = requests.get(api, headers=headers, timeout=30).json()["items"]
    name = next(each["metadata"]["name"] for each in workflows if each["metadata"]["name"].startswith("hera-dag-"))

    lines = requests.get(f"{api}/{name}/log?logOptions.container=main", headers=headers, timeout=30).text.splitlines()

    contents = [json.loads(line)["result"]["content"] for line in lines]
    assert sorted(contents) == ["10", "12", "24", "6"]
