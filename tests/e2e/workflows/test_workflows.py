"""Workflows with kubectl: the pipeline of the first seed, steps, scripts, loops, attempts, artifacts, stops."""

import json
import time
from pathlib import Path

import pytest

from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from tests.e2e.node.pods import Object
from tests.e2e.workflows.conftest import WorkflowShell
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
SEEDS = Path(__file__).with_name("seeds")
IMAGE = "python:3.11"


def shell(name: str, script: str, **fields: object) -> Object:
    return a_container(name, "sh", "-c", script, image=IMAGE, **fields)


def script(name: str, source: str, **fields: object) -> Object:
    return {"name": name, "script": {"image": IMAGE, "command": ["python3"], "source": source}, **fields}


ECHO = shell("echo", "echo '{{inputs.parameters.x}}'", inputs=inputs("x"))


def test_the_v1_pipeline_trains_on_a_volume_that_it_creates(kubectl: WorkflowShell) -> None:
    kubectl("create serviceaccount pipeline-runner")
    kubectl(f"create rolebinding r --clusterrole=edit --serviceaccount={kubectl.namespace}:pipeline-runner")
    name = kubectl(f"create -o name -f {SEEDS / 'train_and_predict.yaml'}").strip().rpartition("/")[2]

    done = kubectl.ended(name)

    assert kubectl.log_of(done, "print-result").strip() == "2.0,4.0,6.0"
    assert kubectl.get(f"persistentvolumeclaims/{name}-data-volume")
    outputs = {p["name"]: p["value"] for p in kubectl.node(done, "create-pvc")["outputs"]["parameters"]}
    assert outputs["create-pvc-name"] == f"{name}-data-volume"
    assert json.loads(outputs["create-pvc-manifest"])["kind"] == "PersistentVolumeClaim"
    (artifact,) = kubectl.node(done, "print-result")["outputs"]["artifacts"]
    assert artifact["s3"]["key"].startswith(f"artifacts/{name}/")
    assert done["metadata"]["labels"]["workflows.argoproj.io/completed"] == "true"
    (row,) = kubectl("get wf --no-headers").splitlines()
    assert row.split()[:2] == [name, "Succeeded"]


def test_a_resource_template_has_only_the_rights_of_its_account(kubectl: WorkflowShell) -> None:
    manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: made}}"
    name = kubectl.submit(a_workflow({"name": "m", "resource": {"action": "create", "manifest": manifest}}))

    done = kubectl.ended(name, "Error")

    assert "cannot create" in done["status"]["message"]
    assert not kubectl.get("configmaps/made")


def test_steps_pass_the_results_of_scripts_and_loop_over_them(kubectl: WorkflowShell) -> None:
    main = steps(
        "main",
        [a_task("gen")],
        [
            a_task(
                "each",
                "square",
                arguments=arguments(x="{{item}}"),
                withParam="{{steps.gen.outputs.result}}",
            )
        ],
        [a_task("sum", "echo", arguments=arguments(x="{{steps.each.outputs.result}}"))],
    )
    square = script("square", "import sys\nprint({{inputs.parameters.x}} ** 2)", inputs=inputs("x"))
    name = kubectl.submit(a_workflow(main, script("gen", "import json\nprint(json.dumps([1, 2, 3]))"), square, ECHO))

    done = kubectl.ended(name)

    assert kubectl.log_of(done, "sum").strip() == "[1,4,9]"
    assert kubectl.log_of(done, "each(2:3)").strip() == "9"


def test_files_pass_from_step_to_step_as_parameters_and_artifacts(kubectl: WorkflowShell) -> None:
    make = shell(
        "make",
        "echo value > /tmp/p; mkdir -p /tmp/d/sub; echo deep > /tmp/d/sub/file",
        outputs={
            "parameters": [
                {"name": "p", "valueFrom": {"path": "/tmp/p"}},
                {"name": "absent", "valueFrom": {"path": "/tmp/absent", "default": "default"}},
            ],
            "artifacts": [
                {"name": "folder", "path": "/tmp/d"},
                {"name": "nothing", "path": "/tmp/nothing", "optional": True},
            ],
        },
    )
    take = shell(
        "take",
        "echo {{inputs.parameters.p}} {{inputs.parameters.q}} $(cat {{inputs.artifacts.folder.path}}/sub/file) "
        "$(cat /in/raw); echo new > /in/folder/new",
        inputs={
            "parameters": [{"name": "p"}, {"name": "q"}],
            "artifacts": [
                {"name": "folder", "path": "/in/folder"},
                {"name": "raw", "path": "/in/raw", "raw": {"data": "raw 'quoted' $text"}},
                {"name": "other", "path": "/in/other", "optional": True},
            ],
        },
    )
    passed = {
        **arguments(p="{{tasks.make.outputs.parameters.p}}", q="{{tasks.make.outputs.parameters.absent}}"),
        "artifacts": [{"name": "folder", "from": "{{tasks.make.outputs.artifacts.folder}}"}],
    }
    dag = a_dag("main", a_task("make"), a_task("take", dependencies=["make"], arguments=passed))

    done = kubectl.ended(kubectl.submit(a_workflow(dag, make, take)))

    assert kubectl.log_of(done, "take").strip() == "value default deep raw 'quoted' $text"
    kept = kubectl.server.data_dir / "volumes"
    eventually(
        lambda: not [path for path in kept.glob("*/.argo/w-*") if "make" in path.name], 30, "files of outputs go"
    )
    assert list(kept.glob("*/minio/mlpipeline/artifacts/w/*/*/*/w-make-*/folder.tgz/sub/file"))


def test_artifacts_name_their_keys_and_a_container_needs_no_command(kubectl: WorkflowShell) -> None:
    place = {"key": "models/{{workflow.name}}/m.txt", "endpoint": "minio-service.kubeflow:9000", "bucket": "mine"}
    make = shell("make", "", outputs={"artifacts": [{"name": "m", "path": "/tmp/m", "s3": place}]})
    make["container"] = {"image": IMAGE, "args": ["sh", "-c", "echo trained > /tmp/m"]}
    stored: list[Object] = [
        {"name": "m", "path": "/in/m", "s3": place},
        {"name": "none", "path": "/in/none", "optional": True, "s3": {"key": "no/such/key"}},
    ]
    take = shell("take", "cat /in/m; ls /in", inputs={"artifacts": stored})
    lost = shell("lost", "true", inputs={"artifacts": [{"name": "x", "path": "/in/x", "s3": {"key": "no/such"}}]})
    tasks = [a_task("make"), a_task("take", dependencies=["make"]), a_task("lost", dependencies=["take"])]

    done = kubectl.ended(kubectl.submit(a_workflow(a_dag("main", *tasks), make, take, lost)), "Error")

    assert kubectl.log_of(done, "take").split() == ["trained", "m"]
    assert "Cannot fetch minio://mlpipeline/no/such: there is no such object" in kubectl.node(done, "lost")["message"]
    assert list((kubectl.server.data_dir / "volumes").glob("*/minio/mine/models/w/m.txt"))


def test_a_missing_output_file_is_an_error_of_the_node(kubectl: WorkflowShell) -> None:
    outputs = {"parameters": [{"name": "p", "valueFrom": {"path": "/tmp/p"}}]}
    name = kubectl.submit(a_workflow(shell("main", "true", outputs=outputs)))

    done = kubectl.ended(name, "Error")

    assert done["status"]["message"] == "the output parameter p was not written to /tmp/p"


def test_a_failed_attempt_is_repeated_and_the_exit_handler_sees_the_end(kubectl: WorkflowShell) -> None:
    flaky = shell("flaky", "test {{retries}} = 2", retryStrategy={"limit": 3, "backoff": {"duration": "1"}})
    bye = shell("bye", "echo ended {{workflow.status}}")
    name = kubectl.submit(a_workflow(flaky, bye, onExit="bye"))

    done = kubectl.ended(name)

    attempts = [node for node in done["status"]["nodes"].values() if node["name"].startswith(f"{name}(")]
    assert [node["phase"] for node in sorted(attempts, key=lambda node: node["name"])] == [
        "Failed",
        "Failed",
        "Succeeded",
    ]
    assert kubectl.log_of(done, f"{name}.onExit").strip() == "ended Succeeded"


def test_the_exit_code_and_the_signal_reach_the_command(kubectl: WorkflowShell) -> None:
    outputs = {"parameters": [{"name": "p", "valueFrom": {"path": "/tmp/p", "default": ""}}]}
    name = kubectl.submit(a_workflow(shell("main", "echo part > /tmp/p; exit 7", outputs=outputs)))

    done = kubectl.ended(name, "Failed")

    (node,) = done["status"]["nodes"].values()
    assert (node["outputs"]["exitCode"], node["message"]) == ("7", "Error (exit code 7)")
    assert node["outputs"]["parameters"][0]["value"] == "part"


def test_a_workflow_is_stopped_within_seconds(kubectl: WorkflowShell) -> None:
    outputs = {"parameters": [{"name": "p", "valueFrom": {"path": "/tmp/p"}}]}
    name = kubectl.submit(a_workflow(shell("main", "sleep 600", outputs=outputs)))
    kubectl.until(f"workflows/{name}", lambda each: "Running" in str(each.get("status", {}).get("nodes")))
    started = time.monotonic()

    kubectl(f"""patch wf {name} --type=merge -p '{{"spec": {{"shutdown": "Terminate"}}}}'""")
    kubectl.ended(name, "Failed")

    eventually(lambda: not kubectl.pods(), 30, "the pods go")
    assert time.monotonic() - started < 120


def test_a_pause_waits_for_a_user(kubectl: WorkflowShell) -> None:
    main = steps("main", [a_task("wait")], [a_task("echo", arguments=arguments(x="resumed"))])
    name = kubectl.submit(a_workflow(main, {"name": "wait", "suspend": {}}, ECHO))
    found = kubectl.until(
        f"workflows/{name}",
        lambda each: any(n["type"] == "Suspend" for n in each.get("status", {}).get("nodes", {}).values()),
    )
    node = kubectl.node(found, "wait")

    patch = {"status": {"nodes": {node["id"]: {"phase": "Succeeded"}}}}
    kubectl(f"patch wf {name} --type=merge -p '{json.dumps(patch)}'")

    assert kubectl.log_of(kubectl.ended(name), "echo").strip() == "resumed"


def test_templates_of_a_workflow_template_run(kubectl: WorkflowShell) -> None:
    library = a_workflow(ECHO, name="library", arguments=arguments(x="from the library"))
    kubectl.apply({**library, "kind": "WorkflowTemplate", "metadata": {"name": "library"}})
    reference = a_workflow(ECHO)
    reference["spec"] = {"workflowTemplateRef": {"name": "library"}}

    done = kubectl.ended(kubectl.submit(reference))

    assert kubectl.log_of(done, "w").strip() == "from the library"


def test_volumes_of_the_workflow_are_shared_by_its_steps_and_go_afterwards(kubectl: WorkflowShell) -> None:
    claim = {
        "metadata": {"name": "work"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}},
    }
    write, read = shell("write", "echo kept > /work/f"), shell("read", "cat /work/f")
    for template in (write, read):
        template["container"]["volumeMounts"] = [{"name": "work", "mountPath": "/work"}]
    main = steps("main", [a_task("write")], [a_task("read")])
    name = kubectl.submit(a_workflow(main, write, read, volumeClaimTemplates=[claim]))

    done = kubectl.ended(name)

    assert kubectl.log_of(done, "read").strip() == "kept"


def test_a_sidecar_ends_with_the_main_container(kubectl: WorkflowShell) -> None:
    sidecar = {"name": "helper", "image": IMAGE, "command": ["sleep", "600"]}
    name = kubectl.submit(a_workflow(shell("main", "echo done", sidecars=[sidecar])))

    kubectl.ended(name)


def test_a_schedule_creates_workflows(kubectl: WorkflowShell) -> None:
    spec = a_workflow(shell("main", "echo scheduled"))["spec"]
    kubectl.apply(
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "CronWorkflow",
            "metadata": {"name": "often"},
            "spec": {"schedules": ["@every 2s"], "workflowSpec": spec, "successfulJobsHistoryLimit": 2},
        }
    )

    def succeeded() -> bool:
        found = kubectl.get("cronworkflows/often").get("status", {})
        return found.get("succeeded", 0) >= 3

    eventually(succeeded, 120, "three Workflows of the schedule")
    listed = kubectl.server.get(kubectl.path("workflows"))["items"]
    assert all(each["metadata"]["labels"]["workflows.argoproj.io/cron-workflow"] == "often" for each in listed)


def test_an_unsupported_field_is_refused_by_name(kubectl: WorkflowShell) -> None:
    workflow = a_workflow({"name": "main", "plugin": {"x": {}}})
    workflow["metadata"] = {"generateName": "w-"}

    refused = kubectl.run("create -f -", json.dumps(workflow))

    assert refused.returncode == 1
    assert "spec.templates[0].plugin" in refused.stderr
