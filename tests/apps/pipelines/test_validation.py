"""Validation of Workflows: every supported field is accepted, and whatever else there is, is refused by name."""

from typing import Any

import pytest

from tests.apis.verdicts import judged
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from windlass.kube.json import Object

RETRY = {
    "limit": "3",
    "retryPolicy": "Always",
    "expression": "asInt(lastRetry.exitCode) > 1",
    "backoff": {"duration": "10s", "factor": 2, "maxDuration": "1m", "cap": "30s"},
}
CONTAINER: Object = {
    "image": "python:3.11",
    "command": ["sh", "-c"],
    "args": ["echo {{inputs.parameters.x}}"],
    "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
    "resources": {"limits": {"memory": "1Gi"}},
    "volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": "{{inputs.parameters.x}}"}],
    "securityContext": {"runAsUser": 1},
    "ports": [{"containerPort": 80}],
    "workingDir": "/",
    "imagePullPolicy": "Always",
    "livenessProbe": {"httpGet": {"path": "/", "port": 80}},
}
PLACE: Object = {
    "endpoint": "minio-service.kubeflow:9000",
    "bucket": "mine",
    "key": "models/a",
    "region": "us-east-1",
    "insecure": True,
    "accessKeySecret": {"name": "mlpipeline-minio-artifact", "key": "accesskey"},
    "secretKeySecret": {"name": "mlpipeline-minio-artifact", "key": "secretkey"},
}
TEMPLATE: Object = {
    "name": "main",
    "inputs": {
        "parameters": [
            {"name": "x", "value": 1},
            {"name": "y", "default": "d", "description": "d", "enum": ["d", "e"]},
        ],
        "artifacts": [
            {"name": "raw", "path": "/r", "raw": {"data": "text"}, "mode": 493},
            {"name": "other", "path": "/o", "optional": True, "from": "{{inputs.artifacts.raw}}"},
            {"name": "stored", "path": "/s", "s3": {"key": "data/{{inputs.parameters.x}}.csv"}},
        ],
    },
    "outputs": {
        "parameters": [
            {"name": "p", "valueFrom": {"path": "/p", "default": ""}},
            {"name": "q", "value": "constant"},
        ],
        "artifacts": [
            {"name": "a", "path": "/a", "optional": True, "archive": {"none": {}}},
            {"name": "b", "path": "/b", "archive": {"tar": {"compressionLevel": 1}}},
            {"name": "z", "path": "/z", "archive": {"zip": {}}},
            {"name": "s", "path": "/s", "s3": PLACE},
        ],
    },
    "metadata": {"labels": {"a": "b"}, "annotations": {"pipelines.kubeflow.org/component_spec": "{}"}},
    "container": CONTAINER,
    "initContainers": [{"name": "i", "image": "i", "mirrorVolumeMounts": True}],
    "sidecars": [{"name": "s", "image": "i", "command": ["serve"]}],
    "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "{{inputs.parameters.x}}"}}],
    "retryStrategy": RETRY,
    "activeDeadlineSeconds": "30",
    "timeout": "1m",
    "parallelism": 2,
    "failFast": True,
    "nodeSelector": {"a": "b"},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
    "podSpecPatch": "{}",
    "securityContext": {"runAsUser": 1},
    "serviceAccountName": "a",
    "automountServiceAccountToken": False,
    "schedulerName": "volcano",
    "priorityClassName": "p",
    "hostAliases": [{"ip": "127.0.0.1", "hostnames": ["x"]}],
    "annotations": {"workflows.argoproj.io/display-name": "d"},
}
TASK: Object = {
    "name": "t",
    "template": "main",
    "arguments": {
        "parameters": [{"name": "x", "value": "{{item}}"}],
        "artifacts": [{"name": "other", "from": "{{tasks.s.outputs.artifacts.a}}"}],
    },
    "dependencies": ["s"],
    "when": "{{workflow.parameters.n}} == 1",
    "withItems": [1, "two", {"three": 3}],
    "continueOn": {"failed": True, "error": True},
}
RESOURCE: Object = {
    "action": "create",
    "manifest": "kind: ConfigMap",
    "setOwnerReference": True,
    "successCondition": "status.phase == Bound",
    "failureCondition": "status.phase == Lost",
    "mergeStrategy": "merge",
    "flags": ["--wait=false"],
}
SPEC: Object = {
    "serviceAccountName": "pipeline-runner",
    "arguments": {
        "parameters": [{"name": "n", "value": 1}],
        "artifacts": [{"name": "a", "raw": {"data": "x"}}],
    },
    "onExit": "main",
    "volumes": [{"name": "v", "emptyDir": {}}],
    "imagePullSecrets": [{"name": "s"}],
    "activeDeadlineSeconds": 60,
    "ttlStrategy": {"secondsAfterCompletion": 1, "secondsAfterSuccess": 1, "secondsAfterFailure": 1},
    "podGC": {"strategy": "OnPodSuccess", "deleteDelayDuration": "10s"},
    "parallelism": 3,
    "nodeSelector": {"a": "b"},
    "tolerations": [{"key": "a"}],
    "affinity": {},
    "securityContext": {"fsGroup": 1},
    "podMetadata": {"labels": {"a": "b"}},
    "podDisruptionBudget": {"minAvailable": "50%", "selector": {"matchLabels": {"a": "b"}}},
    "workflowMetadata": {"labels": {"a": "b"}, "labelsFrom": {"c": {"expression": "workflow.name"}}},
    "retryStrategy": RETRY,
    "executor": {"serviceAccountName": "x"},
    "podPriorityClassName": "p",
    "podSpecPatch": "{}",
    "dnsPolicy": "None",
    "dnsConfig": {"nameservers": ["1.1.1.1"]},
    "hostNetwork": False,
    "suspend": False,
    "volumeClaimTemplates": [{"metadata": {"name": "w"}, "spec": {"accessModes": ["ReadWriteOnce"]}}],
    "volumeClaimGC": {"strategy": "OnWorkflowCompletion"},
}


def refusal(workflow: Object, kind: str = "Workflow") -> str:
    return judged(kind, workflow)[0]


def test_an_image_may_be_one_of_the_defaults() -> None:
    workflow = a_workflow({"name": "m", "container": {"args": ["x"]}}, templateDefaults={"container": {"image": "i"}})

    assert refusal(workflow) == ""


def test_a_name_with_a_tag_is_looked_up_when_it_is_known() -> None:
    dag = a_dag("main", a_task("a", "c", hooks={"exit": {"template": "{{workflow.parameters.c}}"}}))
    dag["dag"]["target"] = "{{workflow.parameters.c}}"
    workflow = a_workflow(
        dag, a_container("c"), onExit="{{workflow.parameters.c}}", hooks={"exit": {"template": "{{workflow.name}}"}}
    )

    assert refusal(workflow) == ""


def test_a_target_that_is_no_task_is_refused() -> None:
    dag = a_dag("main", a_task("a", "c"))
    dag["dag"]["target"] = "a b"

    assert "spec.templates[0].dag.target: Not found: 'b'" in refusal(a_workflow(dag, a_container("c")))


def test_every_field_of_compiled_pipelines_is_accepted() -> None:
    dag = a_dag("dag", a_task("s", "main"), TASK)
    dag["dag"]["failFast"] = False
    loops = a_dag(
        "loops",
        a_task("p", "main", withParam="[1]"),
        a_task("q", "main", depends="p.Succeeded || p.Skipped", withSequence={"count": 3, "format": "%02d"}),
    )
    other = {
        "name": "resource",
        "resource": RESOURCE,
        "outputs": {"parameters": [{"name": "n", "valueFrom": {"jsonPath": "{.a}"}}]},
    }
    pause = {"name": "pause", "suspend": {"duration": "10"}}
    script = {"name": "script", "script": {**CONTAINER, "source": "print(1)"}}
    group = steps("steps", [a_task("a", "main"), a_task("b", "main")], [a_task("c", "main")])

    assert refusal(a_workflow(dag, loops, TEMPLATE, other, pause, script, group, **SPEC)) == ""


@pytest.mark.parametrize(
    ("workflow", "field"),
    [
        (
            a_workflow(synchronization={"mutexes": [{"name": "m", "database": True}]}),
            "spec.synchronization.mutexes[0].database",
        ),
        (a_workflow(tasks=[]), "spec.tasks"),
        (a_workflow(a_container("m", plugin={})), "spec.templates[0].plugin"),
        (a_workflow(metrics={"prometheus": []}), "spec.metrics"),
        (a_workflow(a_container("m", metrics={"prometheus": []})), "spec.templates[0].metrics"),
        (a_workflow(podDisruptionBudget={"min": 1}), "spec.podDisruptionBudget.min"),
        (a_workflow(artifactGC={"serviceAccountName": "a"}), "spec.artifactGC.serviceAccountName"),
        (
            a_workflow(a_container("m", inputs={"artifacts": [{"name": "a", "path": "/a", "s3": {"roleARN": "k"}}]})),
            "spec.templates[0].inputs.artifacts[0].s3.roleARN",
        ),
        (
            a_workflow(a_container("m", inputs={"artifacts": [{"name": "a", "path": "/a", "oss": {"key": "r"}}]})),
            "spec.templates[0].inputs.artifacts[0].oss",
        ),
        (
            a_workflow(
                a_container("m", inputs={"artifacts": [{"name": "a", "http": {"url": "u", "auth": {"oauth2": {}}}}]})
            ),
            "spec.templates[0].inputs.artifacts[0].http.auth.oauth2",
        ),
        (a_workflow({"name": "m", "container": {"image": "i", "comand": ["x"]}}), "spec.templates[0].container.comand"),
        (
            a_workflow({"name": "m", "container": {"image": "i", "env": [{"name": "a", "vaule": "b"}]}}),
            "spec.templates[0].container.env[0].vaule",
        ),
        (
            a_workflow(a_dag("m", {"name": "a", "inline": {"plugin": {}}})),
            "spec.templates[0].dag.tasks[0].inline.plugin",
        ),
        (a_workflow(a_container("m", retryStrategy={"retries": 1})), "spec.templates[0].retryStrategy.retries"),
        (a_workflow(podGC={"when": "x"}), "spec.podGC.when"),
    ],
)
def test_a_field_that_is_not_supported_is_refused_by_name(workflow: Object, field: str) -> None:
    assert f"{field}: Forbidden" in refusal(workflow)


@pytest.mark.parametrize(
    ("workflow", "problem"),
    [
        ({"metadata": {"name": "w"}, "spec": {}}, "spec.templates: Required"),
        (a_workflow(entrypoint="other"), "spec.entrypoint: Not found: 'other'"),
        (a_workflow(onExit="other"), "spec.onExit: Not found"),
        (a_workflow(a_container("m"), a_container("m")), "spec.templates[1].name: Duplicate"),
        (a_workflow({"name": "m"}), "exactly one of container, script"),
        (a_workflow({"name": "m", "container": {"image": "i"}, "suspend": {}}), "not container and suspend"),
        (a_workflow({"name": "m", "container": {}}), "spec.templates[0].container.image: Required"),
        (a_workflow({"name": "m", "resource": {"action": "get"}}), "resource.manifest: Required"),
        (
            a_workflow({"name": "m", "resource": {"action": "get", "manifest": "x", "flags": ["--as=root"]}}),
            "flags[0]: Unsupported value",
        ),
        (
            a_workflow({"name": "m", "resource": {"action": "get", "manifest": "x", "flags": ["configmap"]}}),
            "flags[0]: Unsupported value",
        ),
        (
            a_workflow({"name": "m", "resource": {"action": "get", "flags": ["configmap", "-l", "a=b"]}}),
            "flags[1]: Unsupported value",
        ),
        (a_workflow({"name": "m", "resource": {"action": "patch", "flags": ["cm/a"]}}), "resource.manifest: Required"),
        (a_workflow({"name": "m", "resource": {"action": "create", "flags": ["cm/a"]}}), "manifest: Required"),
        (a_workflow(a_dag("m", a_task("a", "none"))), "tasks[0].template: Not found: 'none'"),
        (a_workflow(a_dag("m", {"name": "a"})), "tasks[0].template: Required"),
        (a_workflow(a_dag("m", a_task("a", "m"), a_task("a", "m"))), "tasks[1].name: Duplicate"),
        (a_workflow(a_dag("m", a_task("a", "m", dependencies=["b"]))), "Not found: 'b'"),
        (a_workflow(a_dag("m", a_task("a", "m", depends="b &&"))), "tasks[0].depends: Invalid"),
        (a_workflow(a_dag("m", a_task("a", "m", depends="b.Done"), a_task("b", "m"))), "must be one of Succeeded"),
        (
            a_workflow(a_dag("m", a_task("b", "m"), a_task("a", "m", depends="b", dependencies=["b"]))),
            "either depends or dependencies",
        ),
        (
            a_workflow(a_dag("m", a_task("a", "m", depends="b"), a_task("b", "m", dependencies=["a"]))),
            "these tasks wait for each other: a, b",
        ),
        (a_workflow(a_dag("m", a_task("a", "m", withItems=[1], withParam="[]"))), "one of withItems"),
        (a_workflow(a_dag("m", a_task("a", templateRef={"name": "x"}))), "templateRef: Required"),
        (a_workflow(steps("m", [a_task("a", "m")], [a_task("a", "m")])), "steps[1][0].name: Duplicate"),
        (a_workflow(a_container("m", inputs=inputs("x", "x"))), "inputs.parameters[1].name: Duplicate"),
        (a_workflow(a_container("m", outputs={"artifacts": [{"name": "a"}]})), "artifacts[0].path: Required"),
        (
            a_workflow({"name": "m", "http": {"url": "u", "body": "b", "bodyFrom": {"bytes": ""}}}),
            "bodyFrom: Forbidden",
        ),
        (a_workflow({"name": "m", "http": {"url": "u", "bodyFrom": {"bytes": "?"}}}), "bodyFrom.bytes: Invalid"),
        (a_workflow({"name": "m", "data": {}}), "data.source: Required"),
        (a_workflow(podDisruptionBudget={"minAvailable": 1, "maxUnavailable": 1}), "must not both be set"),
        (a_workflow(podDisruptionBudget={"minAvailable": "half"}), "minAvailable: Invalid value: 'half'"),
        (
            a_workflow(podGC={"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}),
            'spec.podGC.labelSelector: Invalid value: "Is" is not a valid label selector operator',
        ),
        (
            a_workflow(arguments={"parameters": [{"name": "x", "value": 3, "enum": ["1", 2]}]}),
            """spec.arguments.parameters[0].value: Unsupported value: '3': supported values: "1", "2\"""",
        ),
        (
            a_workflow(arguments={"parameters": [{"name": "x", "enum": []}]}),
            "spec.arguments.parameters[0].enum: Invalid value: must have at least 1 item",
        ),
        (a_workflow({"name": "m", "script": {}}, templateDefaults={"container": {"image": "i"}}), "script.image"),
        (
            a_workflow(workflowMetadata={"labels": {"a": "b c"}}),
            "spec.workflowMetadata.labels[a]: Invalid value: 'b c'",
        ),
        (
            a_workflow(workflowMetadata={"annotations": {"a b": ""}}),
            "workflowMetadata.annotations: Invalid value: 'a b'",
        ),
        (
            a_workflow({"name": "m", "data": {"source": {"artifactPaths": {"name": "a"}}, "transformation": []}}),
            "data.source.artifactPaths: Required value: one of s3",
        ),
        (
            a_workflow({"name": "m", "containerSet": {"containers": [], "retryStrategy": {"retries": "x"}}}),
            "containerSet.retryStrategy.retries: Invalid",
        ),
        (
            a_workflow(
                {"name": "m", "containerSet": {"containers": [], "retryStrategy": {"retries": 1, "duration": "x"}}}
            ),
            "containerSet.retryStrategy.duration: Invalid",
        ),
    ],
)
def test_what_cannot_run_is_refused_with_its_field(workflow: Object, problem: str) -> None:
    assert problem in refusal(workflow)


def test_the_workflow_of_an_ir_run_is_not_validated() -> None:
    workflow = {"metadata": {"name": "w", "labels": {"pipelines.windlass.dev/ir": "true"}}, "spec": {"any": "thing"}}

    assert refusal(workflow) == ""


def test_a_reference_to_a_workflow_template_needs_no_templates() -> None:
    workflow = a_workflow()
    workflow["spec"] = {"workflowTemplateRef": {"name": "t"}, "arguments": arguments(x=1), "entrypoint": "e"}

    assert refusal(workflow) == ""
    workflow["spec"]["workflowTemplateRef"] = {"clusterScope": True}
    assert "spec.workflowTemplateRef.name: Required" in refusal(workflow)


def test_an_update_that_leaves_the_spec_alone_is_allowed() -> None:
    bad = a_workflow({"name": "m"})

    assert judged("Workflow", bad, old=bad)[0] == ""


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"schedules": ["* * * * *"]}, ""),
        ({"schedule": "@hourly", "timezone": "Europe/Berlin", "concurrencyPolicy": "Replace"}, ""),
        ({"schedules": []}, "spec.schedules: Required"),
        ({"schedules": ["* * *"]}, "spec.schedules: Invalid"),
        ({"schedules": ["@daily"], "timezone": "Mars/Base"}, "spec.timezone: Invalid"),
        ({"schedules": ["@daily"], "jitter": 3}, "spec.jitter: Forbidden"),
    ],
)
def test_schedules_are_validated(spec: dict[str, Any], problem: str) -> None:
    cron = {"metadata": {"name": "c"}, "spec": {"workflowSpec": a_workflow()["spec"], **spec}}

    found = refusal(cron, "CronWorkflow")

    assert problem in found if problem else found == ""


def test_the_workflow_of_a_schedule_and_the_templates_of_a_library_are_validated() -> None:
    cron = {"metadata": {"name": "c"}, "spec": {"schedules": ["@daily"], "workflowSpec": {"entrypoint": "e"}}}
    library = {"metadata": {"name": "l"}, "spec": {"templates": [a_container("c"), {"name": "d"}]}}

    assert "spec.workflowSpec.templates: Required" in refusal(cron, "CronWorkflow")
    assert "spec.templates[1]: Invalid" in refusal(library, "WorkflowTemplate")
    assert "spec.templates[1]: Invalid" in refusal(library, "ClusterWorkflowTemplate")


@pytest.mark.parametrize("odd", [None, 1, "text", [], [1], {"name": 1}, {"tasks": 3}])
def test_odd_shapes_are_refused_and_break_nothing(odd: Any) -> None:
    for workflow in (
        a_workflow({"name": "m", "dag": odd}),
        a_workflow({"name": "m", "dag": {"tasks": odd}}),
        a_workflow({"name": "m", "steps": odd}),
        {"metadata": {"name": "w"}, "spec": odd},
        {"metadata": {"name": "w"}, "spec": {"templates": odd, "entrypoint": odd}},
    ):
        refusal(workflow)


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ({"key": "a/b.csv"}, ""),
        ({"key": "a/"}, ""),
        ({"key": "a", "bucket": "mine", "endpoint": "minio-service.kubeflow.svc.cluster.local:9000"}, ""),
        ({"key": "{{workflow.parameters.k}}", "endpoint": "{{workflow.parameters.e}}"}, ""),
        ({}, "s3.key: Required value"),
        ({"key": "../x"}, "s3.key: Invalid value"),
        ({"key": "/x"}, "s3.key: Invalid value"),
        ({"key": "x", "bucket": "a/b"}, "s3.bucket: Invalid value"),
        ({"key": "x", "endpoint": "s3.amazonaws.com"}, "s3.bucket: Required value"),
        (
            {"key": "x", "bucket": "b", "endpoint": "s3.amazonaws.com", "accessKeySecret": {"name": "s", "key": "k"}},
            "s3.secretKeySecret: Required value: with accessKeySecret",
        ),
        ({"key": "x", "bucket": "b", "endpoint": "s3.amazonaws.com", "region": "eu-west-1"}, ""),
    ],
)
def test_an_object_of_s3_is_named_completely(place: Object, problem: str) -> None:
    artifact = {"name": "a", "path": "/a", "s3": place}
    call = a_task("t", "m", arguments={"artifacts": [artifact]})
    places = {
        "spec.templates[0].inputs.artifacts[0].": a_workflow(a_container("m", inputs={"artifacts": [artifact]})),
        "spec.templates[0].outputs.artifacts[0].": a_workflow(a_container("m", outputs={"artifacts": [artifact]})),
        "spec.arguments.artifacts[0].": a_workflow(a_container("m"), arguments={"artifacts": [artifact]}),
        "spec.templates[0].dag.tasks[0].arguments.artifacts[0].": a_workflow(a_dag("d", call), a_container("m")),
    }

    for path, workflow in places.items():
        assert (f"{path}{problem}" in refusal(workflow)) if problem else (refusal(workflow) == "")


@pytest.mark.parametrize(
    ("side", "place", "problem"),
    [
        ("inputs", {"gcs": {"bucket": "b", "key": "k"}}, ""),
        ("inputs", {"gcs": {"key": "k"}}, "gcs.bucket: Required value"),
        ("outputs", {"azure": {"endpoint": "https://a.blob.core.windows.net", "container": "c", "blob": "b"}}, ""),
        ("outputs", {"azure": {"blob": "b"}}, "azure.endpoint: Required value"),
        ("inputs", {"azure": {"blob": "../b", "container": "c", "endpoint": "e"}}, "azure.blob: Invalid value"),
        ("inputs", {"git": {"repo": "https://example.com/r.git", "revision": "main"}}, ""),
        ("inputs", {"git": {}}, "git.repo: Required value"),
        ("inputs", {"http": {"url": "https://example.com", "headers": [{"name": "A", "value": "b"}]}}, ""),
        ("outputs", {"http": {"url": "https://example.com"}}, "http: Forbidden: only an input can be there"),
        ("outputs", {"git": {"repo": "r"}}, "git: Forbidden: only an input can be there"),
        ("inputs", {"raw": {"data": "x"}, "s3": {"key": "k"}}, "s3: Forbidden: an artifact has one of raw and s3"),
    ],
)
def test_locations_of_artifacts_are_checked(side: str, place: Object, problem: str) -> None:
    template = {**a_container("m"), side: {"artifacts": [{"name": "a", "path": "/a", **place}]}}
    found = refusal(a_workflow(template))

    assert f"spec.templates[0].{side}.artifacts[0].{problem}" in found if problem else found == ""


def test_a_repository_completes_locations() -> None:
    template = a_container("m", outputs={"artifacts": [{"name": "a", "path": "/a", "gcs": {"key": "k"}}]})

    assert refusal(a_workflow(template, artifactRepositoryRef={"key": "mine"})) == ""
