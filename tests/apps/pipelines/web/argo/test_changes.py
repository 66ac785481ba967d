"""What the verbs of Argo Server change."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.web.argo.changes import VERBS, resubmitted, submitted
from windlass.kube.errors import ApiError, BadRequest
from windlass.kube.json import Object

PAUSE: Object = {
    "id": "w-1",
    "name": "w[0].ask",
    "displayName": "ask",
    "type": "Suspend",
    "phase": "Running",
    "outputs": {"parameters": [{"name": "answer", "valueFrom": {"supplied": {}}}, {"name": "other"}]},
}


def a_workflow(phase: str = "Running", **spec: Any) -> Object:
    nodes = {"w-1": PAUSE, "w-2": {**PAUSE, "id": "w-2", "displayName": "again"}, "w": {"id": "w", "type": "Steps"}}
    return {
        "metadata": {"name": "w", "namespace": "ns", "labels": {"a": "b", "workflows.argoproj.io/phase": "Failed"}},
        "spec": {"entrypoint": "m", **spec},
        "status": {"phase": phase, "nodes": nodes},
    }


@pytest.mark.parametrize(
    ("verb", "body", "patch"),
    [
        ("suspend", {}, {"spec": {"suspend": True}}),
        ("stop", {}, {"spec": {"shutdown": "Stop"}}),
        ("terminate", {}, {"spec": {"shutdown": "Terminate"}}),
        (
            "resume",
            {},
            {
                "spec": {"suspend": None},
                "status": {"nodes": {"w-1": {"phase": "Succeeded"}, "w-2": {"phase": "Succeeded"}}},
            },
        ),
        (
            "resume",
            {"nodeFieldSelector": "displayName=ask,phase=Running"},
            {"spec": {"suspend": None}, "status": {"nodes": {"w-1": {"phase": "Succeeded"}}}},
        ),
        (
            "stop",
            {"nodeFieldSelector": "id=w-2", "message": "no"},
            {"status": {"nodes": {"w-2": {"phase": "Failed", "message": "no"}}}},
        ),
        (
            "set",
            {"nodeFieldSelector": "displayName=ask", "outputParameters": json.dumps({"answer": "yes"})},
            {
                "status": {
                    "nodes": {
                        "w-1": {
                            "outputs": {
                                "parameters": [
                                    {"name": "answer", "valueFrom": {"supplied": {}}, "value": "yes"},
                                    {"name": "other"},
                                ]
                            }
                        }
                    }
                }
            },
        ),
    ],
)
def test_verbs_are_patches(verb: str, body: Object, patch: Object) -> None:
    assert VERBS[verb](a_workflow(), body) == patch


def test_a_retry_counts_and_ends_the_shutdown() -> None:
    patch = VERBS["retry"](a_workflow("Failed", shutdown="Terminate"), {})

    assert patch == {"metadata": {"annotations": {"pipelines.windlass.dev/retries": "1"}}, "spec": {"shutdown": None}}


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("retry", {}),
        ("resume", {"nodeFieldSelector": "displayName=nobody"}),
        ("resume", {"nodeFieldSelector": "inputs.parameters.x.value=1"}),
        ("set", {}),
        ("set", {"nodeFieldSelector": "displayName=ask", "outputParameters": "[1]"}),
        ("set", {"nodeFieldSelector": "displayName=ask", "outputParameters": "{"}),
        ("set", {"nodeFieldSelector": "displayName=ask", "outputParameters": '{"nothing": 1}'}),
        ("set", {"nodeFieldSelector": "displayName=nobody", "phase": "Failed"}),
        ("set", {"nodeFieldSelector": "displayName=ask", "phase": "Running"}),
        ("set", {"nodeFieldSelector": "displayName=ask", "phase": {"a": 1}}),
        ("stop", {"nodeFieldSelector": "displayName=ask", "message": 1}),
    ],
)
def test_what_makes_no_sense_is_refused(verb: str, body: Object) -> None:
    with pytest.raises(BadRequest):
        VERBS[verb](a_workflow(), body)


@pytest.mark.parametrize("body", [{"restartSuccessful": True}, {"nodeFieldSelector": "phase=Succeeded"}])
def test_an_option_that_would_have_no_effect_is_refused_by_name(body: Object) -> None:
    with pytest.raises(BadRequest, match=f"^{next(iter(body))}: is not supported"):
        VERBS["retry"](a_workflow("Failed"), body)


def test_a_retry_may_change_parameters() -> None:
    given = {"parameters": [{"name": "x", "value": "1"}, {"name": "y", "value": "2"}]}

    patch = VERBS["retry"](a_workflow("Failed", arguments=given), {"parameters": ["x=3"]})

    assert patch["spec"] == {
        "shutdown": None,
        "arguments": {"parameters": [{"name": "y", "value": "2"}, {"name": "x", "value": "3"}]},
    }


def test_nodes_of_any_form_break_no_verb() -> None:
    """Users may write the status of their Workflows."""
    odd = a_workflow()
    odd["status"]["nodes"]["w-3"] = {"type": "Suspend", "phase": "Running", "outputs": {"parameters": [1, {}]}}

    assert "w-3" in VERBS["resume"](odd, {})["status"]["nodes"]
    assert VERBS["set"](odd, {"nodeFieldSelector": "phase=Running", "message": "m"})


def test_a_resubmitted_workflow_starts_from_the_beginning() -> None:
    arguments = {"parameters": [{"name": "x", "value": "1"}, {"name": "y", "value": "2"}]}

    made = resubmitted(a_workflow("Failed", shutdown="Stop", arguments=arguments), {"parameters": ["x=a=b"]})

    assert made["metadata"]["generateName"] == "w-"
    assert made["metadata"]["labels"] == {"a": "b", "workflows.argoproj.io/resubmitted-from-workflow": "w"}
    assert "status" not in made
    assert "shutdown" not in made["spec"]
    assert made["spec"]["arguments"]["parameters"] == [{"name": "y", "value": "2"}, {"name": "x", "value": "a=b"}]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("WorkflowTemplate", {"workflowTemplateRef": {"name": "t"}}),
        ("ClusterWorkflowTemplate", {"workflowTemplateRef": {"name": "t", "clusterScope": True}}),
        ("CronWorkflow", {"entrypoint": "m"}),
    ],
)
def test_a_workflow_is_submitted_from_each_kind(kind: str, spec: Object) -> None:
    source = {"metadata": {"name": "t"}, "spec": {"workflowSpec": {"entrypoint": "m"}}}

    options = {"labels": "a=b", "serviceAccount": "runner", "priority": 3, "podPriorityClassName": "high"}
    made = submitted(kind, source, options, "ns")

    assert made["spec"] == {
        **spec, "serviceAccountName": "runner", "priority": 3, "podPriorityClassName": "high"
    }  # fmt: skip
    assert made["metadata"]["generateName"] == "t-"
    assert made["metadata"]["labels"]["a"] == "b"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "nodeFieldSelector", "outputParameters", "message", "phase", "parameters", "name", "labels", "annotations",
        "generateName", "memoized", "entryPoint",
    ]
)  # fmt: skip


@given(st.sampled_from(sorted(VERBS)), st.dictionaries(FIELDS, JSON, max_size=4))
def test_any_body_is_a_patch_or_a_refusal(verb: str, body: Object) -> None:
    try:
        assert isinstance(VERBS[verb](a_workflow("Failed"), body), dict)
        assert resubmitted(a_workflow(), body)["kind"] == "Workflow"
        assert submitted("CronWorkflow", a_workflow(), body, "ns")["kind"] == "Workflow"
    except ApiError:
        pass
