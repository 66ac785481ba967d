"""Pipelines of kfp 1.8, one for each feature of the SDK, with what their nodes show when they are over.

python kfp1_feature_stories.py HOST TOKEN NAMESPACE SERVICE_ACCOUNT
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportInvalidTypeForm=false, reportOptionalMemberAccess=false

import base64
import io
import json
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

from kfp import dsl
from kfp.components import (
    InputPath,
    OutputPath,
    create_component_from_func,
    func_to_container_op,
    load_component_from_text,
)
from kfp1_stories import IMAGE, client_of, wait
from kubernetes import client as k8s

PIPELINES: list[Callable] = []


def tried(pipeline: Callable) -> Callable:
    PIPELINES.append(pipeline)
    return pipeline


def op(function: Callable) -> Callable:
    return create_component_from_func(function, base_image=IMAGE)


@op
def double(x: int) -> int:
    return 2 * x


@op
def say(text: str) -> str:
    print(text)
    return text


@op
def numbers(count: int) -> list:
    return list(range(count))


def sh(name: str, script: str, **more) -> dsl.ContainerOp:
    """A task that runs a shell script."""
    return dsl.ContainerOp(name, IMAGE, ["sh", "-c"], [script], **more)


@tried
@dsl.pipeline(name="static-loop")
def static_loop():
    with dsl.ParallelFor([1, 2, 3]) as item:
        double(item)


@tried
@dsl.pipeline(name="loop-of-items")
def loop_of_items():
    with dsl.ParallelFor([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]) as item:
        say("%s%s" % (item.b, item.a))


@tried
@dsl.pipeline(name="loop-over-output")
def loop_over_output(count: int = 3):
    made = numbers(count)
    with dsl.ParallelFor(made.output) as item:
        twice = double(item)
        double(twice.output)


@tried
@dsl.pipeline(name="loop-over-argument")
def loop_over_argument(items: list = ["p", "q"]):  # noqa: B006 - the default of a parameter, as kfp reads it
    with dsl.ParallelFor(items) as item:
        say(item)


@tried
@dsl.pipeline(name="nested-loops")
def nested_loops():
    with dsl.ParallelFor([1, 2]) as outer:
        inside = numbers(outer)
        with dsl.ParallelFor(inside.output) as inner:
            say("%s.%s" % (outer, inner))


@tried
@dsl.pipeline(name="limited-loop")
def limited_loop():
    # kfp writes the limit into the template of the body: Argo applies it to the tasks of one iteration.
    with dsl.ParallelFor([1, 2, 3], parallelism=1) as item:
        double(item)
        double(item)


@tried
@dsl.pipeline(name="conditions")
def conditions(limit: int = 5):
    ten = double(5)
    with dsl.Condition(ten.output > limit, "more"):
        say("more")
        with dsl.Condition(ten.output == 10, "ten"):
            say("ten")
        with dsl.Condition(ten.output != 10, "other"):
            say("other")
    with dsl.Condition(ten.output <= limit, "less"):
        say("less")


@tried
@dsl.pipeline(name="condition-in-loop")
def condition_in_loop():
    with dsl.ParallelFor([1, 2, 3]) as item:
        with dsl.Condition(item >= 2):
            double(item)


@dsl.graph_component
def double_until(x):
    twice = double(x)
    with dsl.Condition(twice.output < 20):
        double_until(twice.output)


@tried
@dsl.pipeline(name="recursion")
def recursion():
    double_until(double(2).output)


@tried
@dsl.pipeline(name="exit-handler")
def exit_handler():
    with dsl.ExitHandler(sh("cleanup", "echo {{workflow.status}} | tee /tmp/out", file_outputs={"status": "/tmp/out"})):
        sh("break", "exit 3")


@tried
@dsl.pipeline(name="retries")
def retries():
    # A file of the volume counts the attempts.
    claim = dsl.VolumeOp(name="count", resource_name="count", modes=dsl.VOLUME_MODE_RWO, size="1Mi")
    script = "echo x >> /data/tries; [ $(wc -l < /data/tries) -ge 3 ]"
    task = sh("flaky", script, pvolumes={"/data": claim.volume})
    task.set_retry(num_retries=3, policy="Always", backoff_duration="1s", backoff_factor=1.0, backoff_max_duration="1m")


@tried
@dsl.pipeline(name="helpers")
def helpers():
    folder = k8s.V1Volume(name="shared", empty_dir=k8s.V1EmptyDirVolumeSource())
    mount = k8s.V1VolumeMount(name="shared", mount_path="/shared")
    task = sh(
        "main",
        "until [ -f /shared/beside ]; do sleep 0.1; done; cat /shared/first /shared/beside > /tmp/out",
        init_containers=[dsl.UserContainer("first", IMAGE, ["sh", "-c", "printf first- > /shared/first"])],
        sidecars=[dsl.Sidecar("beside", IMAGE, ["sh", "-c", "printf beside > /shared/beside; sleep 600"])],
        file_outputs={"text": "/tmp/out"},
    )
    task.init_containers[0].add_volume_mount(mount)
    task.sidecars[0].add_volume_mount(mount)
    task.add_volume(folder).add_volume_mount(mount)


@tried
@dsl.pipeline(name="environment")
def environment():
    secret = k8s.V1SecretKeySelector(name="kfp1-secret", key="word")
    volume = k8s.V1Volume(name="keys", secret=k8s.V1SecretVolumeSource(secret_name="kfp1-secret"))
    task = sh("read", 'echo "$WORD $PLAIN $(cat /keys/word)" > /tmp/out', file_outputs={"text": "/tmp/out"})
    task.container.add_env_variable(k8s.V1EnvVar(name="WORD", value_from=k8s.V1EnvVarSource(secret_key_ref=secret)))
    task.container.add_env_variable(k8s.V1EnvVar(name="PLAIN", value="plain"))
    task.add_volume(volume).add_volume_mount(k8s.V1VolumeMount(name="keys", mount_path="/keys"))
    task.container.set_memory_request("32Mi").set_cpu_limit("1").set_image_pull_policy("IfNotPresent")
    task.add_pod_label("colour", "blue").add_pod_annotation("note", "{{workflow.name}}").set_display_name("Reads it")


@tried
@dsl.pipeline(name="timeout")
def timeout():
    sh("sleep", "sleep 600").set_timeout(2)


@op
def write(text: str, folder: OutputPath(), line: OutputPath(str)):
    import os

    os.makedirs(folder)
    for number in range(3):
        with open(f"{folder}/{number}", "w") as file:
            file.write(text * number)
    with open(line, "w") as file:
        file.write(f"{text} line")


@func_to_container_op
def collect(folder: InputPath(), line: InputPath(str), extra: InputPath(str)) -> str:
    import os

    sizes = [os.path.getsize(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]
    return f"{sizes} {open(line).read()} {open(extra).read()}"


collect.component_spec.implementation.container.image = IMAGE
CAT = load_component_from_text(f"""
name: Cat
inputs: [{{name: text, type: String}}, {{name: prefix, type: String, default: none, optional: true}}]
outputs: [{{name: copy}}]
implementation:
  container:
    image: {IMAGE}
    command: [sh, -c, 'mkdir -p $(dirname $1); cat $0 > $1; printf "$2" >> $1']
    args:
    - {{inputPath: text}}
    - {{outputPath: copy}}
    - {{if: {{cond: {{isPresent: prefix}}, then: [{{inputValue: prefix}}]}}}}
""")


@tried
@dsl.pipeline(name="artifacts")
def artifacts():
    made = write("abc")
    copied = CAT(made.outputs["line"], "!")
    collect(made.outputs["folder"], made.outputs["line"], copied.output)
    CAT("a constant")


@tried
@dsl.pipeline(name="resources")
def resources():
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"generateName": "kfp1-"},
        "spec": {
            "template": {
                "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": IMAGE, "command": ["true"]}]}
            }
        },
    }
    job = dsl.ResourceOp(
        name="job",
        k8s_resource=manifest,
        action="create",
        success_condition="status.succeeded > 0",
        failure_condition="status.failed > 0",
        attribute_outputs={"count": "{.status.succeeded}"},
    )
    say(job.outputs["count"])


@tried
@dsl.pipeline(name="deleted-volume")
def deleted_volume():
    claim = dsl.VolumeOp(name="claim", resource_name="gone", modes=dsl.VOLUME_MODE_RWO, size="1Mi")
    claim.delete()


@tried
@dsl.pipeline(name="unwritten")
def unwritten():
    # Kubeflow takes both as optional, since components declare them and write neither.
    shown = {"mlpipeline-ui-metadata": "/tmp/ui.json", "mlpipeline-metrics": "/tmp/metrics.json"}
    sh("quiet", "true", output_artifact_paths=shown)


@tried
@dsl.pipeline(name="unknown-image")
def unknown_image():
    dsl.ContainerOp("lost", "registry.invalid/lost:1", ["true"])


@tried
@dsl.pipeline(name="configured")
def configured():
    conf = dsl.get_pipeline_conf()
    conf.set_ttl_seconds_after_finished(86_400).set_timeout(600).set_parallelism(1)
    conf.set_default_pod_node_selector("kubernetes.io/os", "linux")
    conf.set_image_pull_policy("IfNotPresent")
    conf.set_pod_disruption_budget("50%")
    conf.set_image_pull_secrets([k8s.V1LocalObjectReference(name="kfp1-registry")])
    conf.add_op_transformer(lambda task: task.add_pod_label("transformed", "yes"))
    sh("left", "echo left")
    sh("right", "echo right")


@tried
@dsl.pipeline(name="placed-task")
def placed():
    task = sh("placed", "true")
    task.add_toleration(k8s.V1Toleration(key="gpu", operator="Exists", effect="NoSchedule"))
    term = k8s.V1NodeSelectorTerm([k8s.V1NodeSelectorRequirement("kubernetes.io/os", "In", ["linux"])])
    task.add_affinity(k8s.V1Affinity(node_affinity=k8s.V1NodeAffinity(None, k8s.V1NodeSelector([term]))))
    task.after(sh("before", "true"))
    task.execution_options.caching_strategy.max_cache_staleness = "P0D"


@tried
@dsl.pipeline(name="timed-out-whole")
def timed_out_whole():
    dsl.get_pipeline_conf().set_timeout(2)
    sh("sleep", "sleep 600")


def content(client, run_id: str, node: dict, name: str) -> str:
    """The text of an output artifact; of a folder the names of its files."""
    data = base64.b64decode(client.runs.read_artifact(run_id, node["id"], name).data)
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            files = [member for member in tar.getmembers() if member.isfile()]
            if len(files) == 1:
                return tar.extractfile(files[0]).read().decode()
            return " ".join(sorted(Path(member.name).name for member in files))
    except tarfile.ReadError:
        return data.decode()


def outcome(client, run_id: str) -> dict:
    detail = wait(client, run_id, within=90)
    workflow = json.loads(detail.pipeline_runtime.workflow_manifest)
    nodes = sorted(workflow["status"]["nodes"].values(), key=lambda node: node["name"])
    return {
        "status": detail.run.status,
        "error": detail.run.error,
        "spec": {key: value for key, value in workflow["spec"].items() if key != "templates"},
        "nodes": [
            {
                "name": node["displayName"],
                "path": node["name"],
                "type": node["type"],
                "phase": node["phase"],
                "message": node.get("message", ""),
                "start": node.get("startedAt"),
                "end": node.get("finishedAt"),
                "outputs": {item["name"]: item.get("value") for item in node.get("outputs", {}).get("parameters", [])},
                "artifacts": {
                    item["name"]: content(client, run_id, node, item["name"])
                    for item in node.get("outputs", {}).get("artifacts", [])
                },
            }
            for node in nodes
        ],
    }


def started(client, pipeline: Callable, namespace: str, account: str) -> str:
    """The id of a new run."""
    more = {"namespace": namespace, "experiment_name": "features", "service_account": account}
    return client.create_run_from_pipeline_func(pipeline, {}, **more).run_id


if __name__ == "__main__":
    host, token, namespace, account = sys.argv[1:5]
    wanted = sys.argv[5:]
    client = client_of(host, token, namespace)
    runs = {
        name: started(client, pipeline, namespace, account)
        for pipeline in PIPELINES
        if (name := pipeline._component_human_name) in wanted or not wanted
    }
    found = {name: outcome(client, run_id) for name, run_id in runs.items()}
    if "artifacts" in found:
        found["artifacts-again"] = outcome(client, started(client, artifacts, namespace, account))
    print(json.dumps(found, default=str))
