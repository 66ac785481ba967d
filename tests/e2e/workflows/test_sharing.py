"""Workflows that share locks, settings and outputs; hooks, daemons, requests, container sets, and long texts."""

import pytest

from tests.apps.pipelines.workflows import a_dag, a_task, a_workflow, arguments, steps
from tests.e2e.workflows.conftest import WorkflowShell
from tests.e2e.workflows.test_workflows import script, shell
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
LIMIT = {"semaphores": [{"configMapKeyRef": {"name": "limits", "key": "steps"}}]}


def span(node: dict[str, str]) -> tuple[str, str]:
    return node["startedAt"], node["finishedAt"]


def test_workflows_hold_a_mutex_one_after_the_other(kubectl: WorkflowShell) -> None:
    names = [
        kubectl.submit(
            a_workflow(shell("main", "sleep 1"), name=f"locked-{number}", synchronization={"mutexes": [{"name": "m"}]})
        )
        for number in range(3)
    ]

    spans = sorted(span(kubectl.node(kubectl.ended(name), name)) for name in names)

    assert spans[0][1] <= spans[1][0] <= spans[1][1] <= spans[2][0]


def test_a_semaphore_and_a_parameter_of_config_maps(kubectl: WorkflowShell) -> None:
    kubectl("create configmap limits --from-literal=steps=1")
    kubectl("create configmap settings --from-literal=word=hello")
    kubectl("label configmap settings workflows.argoproj.io/configmap-type=Parameter")
    word = {"name": "word", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "word"}}}
    main = a_dag("main", a_task("each", "say", withItems=["1", "2"]))
    say = shell("say", "echo {{workflow.parameters.word}}", synchronization=LIMIT)
    hooks = {"running": {"template": "hook", "expression": "workflow.status == 'Running'"}}
    name = kubectl.submit(
        a_workflow(main, say, shell("hook", "echo hooked"), arguments={"parameters": [word]}, hooks=hooks)
    )

    done = kubectl.ended(name)

    spans = sorted(span(kubectl.node(done, display)) for display in ("each(0:1)", "each(1:2)"))
    assert spans[0][1] <= spans[1][0]
    assert kubectl.log_of(done, "each(0:1)").strip() == "hello"
    assert kubectl.log_of(done, f"{name}.hooks.running").strip() == "hooked"


def test_a_script_and_an_artifact_may_be_long(kubectl: WorkflowShell) -> None:
    long = "#" * 150_000
    artifact = {"name": "text", "path": "/tmp/text", "raw": {"data": "y" * 130_000}}
    main = script("main", f"{long}\nprint(len(open('/tmp/text').read()))", inputs={"artifacts": [artifact]})
    name = kubectl.submit(a_workflow(main))

    assert kubectl.node(kubectl.ended(name), name)["outputs"]["result"] == "130000"


def test_a_daemon_serves_requests_of_later_steps(kubectl: WorkflowShell) -> None:
    probe = {"httpGet": {"path": "/", "port": 8000}, "periodSeconds": 1}
    server = shell("server", "cd /etc && exec python3 -m http.server 8000", daemon=True)
    server["container"]["readinessProbe"] = probe
    ask = {
        "name": "ask",
        "inputs": {"parameters": [{"name": "ip"}, {"name": "path"}, {"name": "wanted"}]},
        "http": {
            "url": "http://{{inputs.parameters.ip}}:8000/{{inputs.parameters.path}}",
            "successCondition": "response.statusCode == {{inputs.parameters.wanted}}",
        },
    }
    words = {"ip": "{{steps.server.ip}}"}
    main = steps(
        "main",
        [a_task("server")],
        [
            a_task("there", "ask", arguments=arguments(**words, path="hostname", wanted="200")),
            a_task("missing", "ask", arguments=arguments(**words, path="nothing", wanted="404")),
        ],
    )
    name = kubectl.submit(a_workflow(main, server, ask))

    done = kubectl.ended(name)

    assert kubectl.node(done, "server")["phase"] == "Succeeded"
    assert "404" in kubectl.node(done, "missing")["outputs"]["result"]
    eventually(
        lambda: (
            not [
                pod
                for pod in kubectl.pods(f"workflows.argoproj.io/workflow={name}")
                if pod["status"].get("phase") == "Running" and "-server-" in pod["metadata"]["name"]
            ]
        ),
        30,
        "the daemon is gone",
    )


def test_outputs_are_remembered_and_a_set_runs_in_order(kubectl: WorkflowShell) -> None:
    kubectl(f"create rolebinding r --clusterrole=edit --serviceaccount={kubectl.namespace}:default")
    image = {"image": "python:3.11"}
    containers = [
        {"name": "a", **image, "command": ["sh", "-c", "printf one > /shared/text"]},
        {"name": "main", **image, "command": ["sh", "-c", "cat /shared/text > /tmp/o"], "dependencies": ["a"]},
    ]
    template = {
        "name": "main",
        "volumes": [{"name": "shared", "emptyDir": {}}],
        "containerSet": {"containers": containers, "volumeMounts": [{"name": "shared", "mountPath": "/shared"}]},
        "outputs": {"parameters": [{"name": "o", "valueFrom": {"path": "/tmp/o"}}]},
        "memoize": {"key": "one", "maxAge": "1h", "cache": {"configMap": {"name": "memos"}}},
    }
    outputs = []
    for number in range(2):
        name = kubectl.submit(a_workflow(template, name=f"set-{number}"))
        node = kubectl.node(kubectl.ended(name), name)
        outputs.append((node["outputs"]["parameters"][0]["value"], node["memoizationStatus"]["hit"]))

    assert outputs == [("one", False), ("one", True)]
    assert len(kubectl.pods("workflows.argoproj.io/workflow")) == 1


def test_an_object_is_changed_by_a_json_patch(kubectl: WorkflowShell) -> None:
    kubectl(f"create rolebinding r --clusterrole=edit --serviceaccount={kubectl.namespace}:default")
    kubectl("create configmap settings --from-literal=word=hello")
    resource = {
        "action": "patch",
        "mergeStrategy": "json",
        "flags": ["configmap", "settings"],
        "manifest": '[{"op": "replace", "path": "/data/word", "value": "bye"}]',
    }
    name = kubectl.submit(a_workflow({"name": "main", "resource": resource}))

    kubectl.ended(name)

    assert (kubectl.get("configmaps/settings") or {})["data"] == {"word": "bye"}
