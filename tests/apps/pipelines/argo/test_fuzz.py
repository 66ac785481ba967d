"""Workflows with something odd in them: what validation accepts, the engine runs or ends with an error."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.pipelines.argo.simulation import Simulation
from tests.apps.pipelines.test_validation import RESOURCE, SPEC, TASK, TEMPLATE
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from windlass.apis.crd import definition
from windlass.apiserver.crds.structural import Structural
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.validation import workflow_problems
from windlass.kube.json import Object

SCHEMA = Structural(definition(Workflow)["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
ODD: list[Any] = [
    None,
    "",
    0,
    -1,
    10**30,
    1.5,
    True,
    [],
    {},
    [None],
    [1],
    {"a": None},
    "{{",
    "{{}}",
    "{{=}}",
    "{{=1/0}}",
    "{{item}}",
    "{{inputs.parameters.x}}",
    "{{tasks.none.outputs.result}}",
    "main",
    "dag",
    "x" * 300,
    "../../etc",
    "\x00",
    "99999999999h",
    "%s%s%n",
    "-5",
]


SECRET = {"name": "s", "key": "k"}
S3 = {
    "endpoint": "s3.example.com", "bucket": "b", "key": "k/{{workflow.name}}", "region": "eu-1", "insecure": True,
    "accessKeySecret": SECRET, "secretKeySecret": SECRET,
}  # fmt: skip
AZURE = {"endpoint": "https://acct.blob.core.windows.net", "container": "c", "blob": "b", "accountKeySecret": SECRET}
BASIC = {"basicAuth": {"usernameSecret": SECRET, "passwordSecret": SECRET}}
GIT = {"repo": "https://example.com/r", "revision": "main", "depth": 1, "fetch": ["a:b"], "sshPrivateKeySecret": SECRET}
ARTIFACTS = [
    {"name": "s3", "path": "/s3", "s3": S3, "optional": True, "mode": 420, "recurseMode": True},
    {"name": "gcs", "path": "/gcs", "gcs": {"bucket": "b", "key": "k", "serviceAccountKeySecret": SECRET}},
    {"name": "azure", "path": "/az", "azure": AZURE, "archive": {"zip": {}}},
    {"name": "http", "path": "/h", "http": {"url": "u", "headers": [{"name": "a", "value": "b"}], "auth": BASIC}},
    {"name": "git", "path": "/g", "git": GIT},
]
OUTPUTS = [
    {"name": "o", "path": "/o", "optional": True, "s3": S3, "archive": {"tar": {"compressionLevel": 9}}},
    {"name": "p", "path": "/p", "optional": True, "artifactGC": {"strategy": "OnWorkflowDeletion"}},
]
LOGS = {"archiveLogs": True}
FILTER = {"expression": "filter(data, {# endsWith '.csv'})"}
REPOSITORIES = {"repositories": {"data": {"k": "s3: {bucket: b, endpoint: e, keyFormat: 'x/{{pod.name}}'}"}}}


def everything() -> Object:
    dag = a_dag(
        "dag", a_task("s", "main", arguments=arguments(x=1)), TASK, a_task("again", "steps", dependencies=["s"])
    )
    other = {"name": "resource", "resource": {**RESOURCE, "flags": []}}
    script = {
        "name": "script",
        "script": {"image": "i", "command": ["sh"], "source": "echo"},
        "retryStrategy": {"limit": 1},
    }
    group = steps(
        "steps",
        [a_task("a", "script", hooks={"exit": {"template": "bye"}}), a_task("r", "resource")],
        [a_task("b", "echo", withSequence={"count": 2, "format": "%d"}, arguments=arguments(x="{{item}}"))],
        [a_task("c", "echo", withParam="[1, 2]", arguments=arguments(x="{{=asInt(item) + 1}}"), when="1 == 1")],
        [a_task("p", "pause")],
    )
    stored = a_container(
        "stored", inputs={"artifacts": ARTIFACTS}, outputs={"artifacts": OUTPUTS}, archiveLocation=LOGS
    )
    listing = {
        "name": "list",
        "data": {"source": {"artifactPaths": {"name": "s", "s3": S3}}, "transformation": [FILTER]},
    }
    containers = [
        {"name": "a", "image": "i", "command": ["x"]},
        {"name": "main", "image": "i", "command": ["x"], "dependencies": ["a"]},
    ]
    retries = {"retries": 2, "duration": "1s"}
    together = {"name": "set", "containerSet": {"containers": containers, "retryStrategy": retries}}
    request = {"name": "http", "http": {"url": "http://x", "bodyFrom": {"bytes": "eA=="}, "successCondition": "true"}}
    names = [a_task(name, name) for name in ("stored", "list", "set", "http")]
    first = steps("first", names, [a_task("dag")])
    echo = a_container("echo", "echo", "{{inputs.parameters.x}}", inputs=inputs("x"))
    pause = {"name": "pause", "suspend": {"duration": "1"}}
    spec = {
        **SPEC,
        "onExit": "bye",
        "artifactGC": {"strategy": "OnWorkflowCompletion", "forceFinalizerRemoval": True},
        "artifactRepositoryRef": {"configMap": "repositories", "key": "k"},
        "archiveLogs": True,
        "workflowMetadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
    }
    others = (stored, listing, together, request)
    return a_workflow(first, dag, TEMPLATE, other, script, group, echo, pause, *others, a_container("bye"), **spec)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        found += places(inner, (*path, name))
    return found


PLACES = [place for place in places(everything()) if place[0] == "spec"]


def mutated(workflow: Object, place: tuple[Any, ...], odd: Any) -> Object:
    made = json.loads(json.dumps(workflow))
    holder = made
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = odd
    return made


def test_the_unchanged_workflow_runs() -> None:
    assert workflow_problems(everything()) == []
    assert Simulation(everything(), config_maps=REPOSITORIES).run().phase in ("Succeeded", "Failed", "Error")


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PLACES), st.sampled_from(ODD))
def test_whatever_is_accepted_runs_or_ends_with_an_error(place: tuple[Any, ...], odd: Any) -> None:
    workflow = mutated(everything(), place, odd)
    if workflow_problems(workflow) or SCHEMA.validate(workflow):
        return
    run = Simulation(workflow, config_maps=REPOSITORIES)
    for _ in range(12):
        made = run.turn()
        if made.status["phase"] in ("Succeeded", "Failed", "Error"):
            run.turn()  # what is left behind is removed
            break
        for name in run.active_pods():
            run.end_pod(name)
        if made.wake_at is not None:
            run.now = max(run.now, made.wake_at)
