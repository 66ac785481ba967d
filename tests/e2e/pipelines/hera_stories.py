"""Stories with the unmodified Hera, in an environment of its own.

python hera_stories.py HOST TOKEN NAMESPACE
"""

# ruff: noqa: SIM117, T201 - Hera reads scripts as text, and its blocks are nested
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportCallIssue=false

import json
import sys
import time

from hera.exceptions import HeraException
from hera.shared import global_config
from hera.workflows import (
    DAG,
    Artifact,
    ClusterWorkflowTemplate,
    Container,
    ContainerNode,
    ContainerSet,
    CronWorkflow,
    Data,
    EmptyDirVolume,
    GitArtifact,
    HTTPArtifact,
    NoneArchiveStrategy,
    Parameter,
    RawArtifact,
    RetryStrategy,
    S3Artifact,
    Step,
    Steps,
    Suspend,
    Task,
    Workflow,
    WorkflowsService,
    WorkflowTemplate,
    script,
)
from hera.workflows.models import (
    ContainerSetRetryStrategy,
    CronWorkflowResumeRequest,
    CronWorkflowSuspendRequest,
    HTTPGetAction,
    Probe,
    Sequence,
    TemplateRef,
    ValueFrom,
    VolumeMount,
    WorkflowResubmitRequest,
    WorkflowResumeRequest,
    WorkflowRetryRequest,
    WorkflowSetRequest,
    WorkflowStopRequest,
    WorkflowSubmitRequest,
    WorkflowTemplateRef,
    WorkflowTerminateRequest,
)

IMAGE = "python:3.11"
ACCOUNT = "default-editor"


SERVE = """
mkdir -p /tmp/www /tmp/git/repo
echo served > /tmp/www/page
cd /tmp/git/repo
export HOME=/tmp GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init -q
touch first
git add first
git commit -qm first
git branch old
touch second
git add second
git commit -qm second
git daemon --base-path=/tmp/git --export-all &
exec python3 -m http.server -d /tmp/www 8000
"""
"""A server of a file and of a repository."""


@script(image=IMAGE)
def double(x: int):
    print(x * 2)


@script(image=IMAGE)
def numbers():
    import json

    print(json.dumps([1, 2, 3]))


@script(image=IMAGE)
def flip():
    print("heads")


@script(image=IMAGE, outputs=[Artifact(name="made", path="/tmp/made")])
def write(word: str):
    import pathlib

    pathlib.Path("/tmp/made").write_text(word)


@script(image=IMAGE, outputs=[Artifact(name="folder", path="/tmp/folder", archive=NoneArchiveStrategy())])
def write_folder():
    import pathlib

    pathlib.Path("/tmp/folder/deep").mkdir(parents=True)
    pathlib.Path("/tmp/folder/deep/a").write_text("in a folder")


@script(image=IMAGE, inputs=[Artifact(name="data", path="/tmp/data")])
def read():
    import pathlib

    found = pathlib.Path("/tmp/data")
    if found.is_file():
        print(found.read_text())
    else:
        paths = (str(path.relative_to(found)) for path in found.rglob("*"))
        print(sorted(path for path in paths if not path.startswith(".git")))


@script(image=IMAGE, outputs=[Parameter(name="items", value_from=ValueFrom(path="/tmp/items"))])
def make_items():
    import json
    import pathlib

    pathlib.Path("/tmp/items").write_text(json.dumps([{"name": "a", "size": 1}, {"name": "b", "size": 2}]))


@script(image=IMAGE)
def describe(name: str, size: int):
    print(f"{name}{size * 10}")


@script(image=IMAGE, retry_strategy=RetryStrategy(limit=2))
def third_time():
    import sys

    sys.exit(0 if "{{retries}}" == "2" else 1)  # Argo replaces the tag


def results(workflow) -> dict:
    """The results of nodes by their display names, and whether the Workflow succeeded."""
    nodes = workflow.status.nodes.values()
    found = {node.display_name: node.outputs.result for node in nodes if node.outputs and node.outputs.result}
    failed = {
        node.display_name: node.message for node in nodes if node.type == "Pod" and node.phase in ("Failed", "Error")
    }
    return {"phase": workflow.status.phase, **found, **({"failed": failed} if failed else {})}


def ended(service, name, phases=("Succeeded", "Failed", "Error")):
    until = time.monotonic() + 60
    while True:
        workflow = service.get_workflow(name)
        if workflow.status and workflow.status.phase in phases:
            return workflow
        assert time.monotonic() < until, workflow.status
        time.sleep(0.2)


def graph(service) -> dict:
    with Workflow(generate_name="hera-dag-", entrypoint="main", service_account_name=ACCOUNT) as w:
        with DAG(name="main"):
            a = double(name="a", arguments={"x": 3})
            b = double(name="b", arguments={"x": a.result})
            each = double(name="each", arguments={"x": "{{item}}"}, with_items=[b.result, 5])
            _ = a >> b >> each
    return results(w.create(wait=True, poll_interval=1))


def sequence(service) -> dict:
    with Workflow(generate_name="hera-steps-", entrypoint="main", service_account_name=ACCOUNT) as w:
        with Steps(name="main") as steps:
            made = numbers(name="made")
            with steps.parallel():
                double(name="each", arguments={"x": "{{item}}"}, with_param=made.result)
                double(name="never", arguments={"x": 1}, when="1 == 2")
    return results(w.create(wait=True, poll_interval=1))


def container(service) -> dict:
    say = Container(
        name="say",
        image=IMAGE,
        inputs=[Parameter(name="word")],
        command=["sh", "-c"],
        args=["echo {{inputs.parameters.word}}; exit {{workflow.parameters.code}}"],
    )
    with Workflow(
        name="hera-container",
        entrypoint="say",
        arguments=[Parameter(name="word", value="hello"), Parameter(name="code", value="0")],
        templates=[say],
    ) as w:
        pass
    linted = w.lint()
    done = w.create(wait=True, poll_interval=1)
    names = [item.metadata.name for item in service.list_workflows().items]
    log = service.workflow_logs("hera-container")
    again = service.resubmit_workflow("hera-container", WorkflowResubmitRequest(name="hera-container"))
    second = ended(service, again.metadata.name)
    service.delete_workflow("hera-container")
    gone = ""
    try:
        service.get_workflow("hera-container")
    except HeraException as error:
        gone = type(error).__name__
    return {
        "linted": linted.metadata.name,
        "phase": done.status.phase,
        "listed": "hera-container" in names,
        "log": log.model_dump(),
        "again": second.status.phase,
        "gone": gone,
    }


def refused(service) -> str:
    with Workflow(name="hera-refused", entrypoint="nothing", templates=[Container(name="a", image=IMAGE)]) as w:
        pass
    try:
        w.lint()
    except HeraException as error:
        return f"{type(error).__name__}: {error}"
    return ""


def templates(service) -> dict:
    with WorkflowTemplate(
        name="hera-template", entrypoint="main", arguments=[Parameter(name="x", value=4)], service_account_name=ACCOUNT
    ) as template:
        with DAG(name="main"):
            double(name="a", arguments={"x": "{{workflow.parameters.x}}"})
    template.create()
    template.update()
    listed = [item.metadata.name for item in service.list_workflow_templates().items]
    submitted = service.submit_workflow(
        WorkflowSubmitRequest(
            resource_kind="WorkflowTemplate",
            resource_name="hera-template",
            submit_options={"parameters": ["x=7"]},
        )
    )
    done = results(ended(service, submitted.metadata.name))
    given = [Parameter(name="x", value=1)]
    with Workflow(
        generate_name="hera-reference-", entrypoint="main", arguments=given, service_account_name=ACCOUNT
    ) as w:
        with DAG(name="main"):
            Task(name="inner", template_ref=TemplateRef(name="hera-template", template="main"))
    referred = w.create(wait=True, poll_interval=1).status.phase
    service.delete_workflow_template("hera-template")
    forbidden = ""
    global_config.namespace = None  # Hera refuses it for what is of the whole cluster
    try:
        say = Container(name="a", image=IMAGE)
        ClusterWorkflowTemplate(
            name="hera-cluster", entrypoint="a", templates=[say], workflows_service=service
        ).create()
    except HeraException as error:
        forbidden = type(error).__name__
    global_config.namespace = service.namespace
    return {"listed": listed, "submitted": done, "referred": referred, "cluster": forbidden}


def schedule(service) -> dict:
    with CronWorkflow(
        name="hera-cron", entrypoint="main", schedules=["0 0 1 1 *"], service_account_name=ACCOUNT
    ) as cron:
        with DAG(name="main"):
            flip(name="a")
    cron.create()
    submitted = service.submit_workflow(WorkflowSubmitRequest(resource_kind="CronWorkflow", resource_name="hera-cron"))
    done = results(ended(service, submitted.metadata.name))
    listed = [item.metadata.name for item in service.list_cron_workflows().items]
    service.delete_cron_workflow("hera-cron")
    return {"listed": listed, "submitted": done}


def verbs(service) -> dict:
    """Pause, supply a value, resume; then fail, retry, stop and terminate."""
    with Workflow(generate_name="hera-pause-", entrypoint="main", service_account_name=ACCOUNT) as w:
        with Steps(name="main"):
            pause = Suspend(
                name="wait", intermediate_parameters=[Parameter(name="answer", default="no", enum=["yes", "no"])]
            )()
            double(name="after", arguments={"x": 21}, when="{{steps.wait.outputs.parameters.answer}} == yes")
        del pause
    name = w.create().metadata.name
    until = time.monotonic() + 30
    while True:
        status = service.get_workflow(name).status
        if status and any(node.type == "Suspend" for node in (status.nodes or {}).values()):
            break
        assert time.monotonic() < until, status
        time.sleep(0.2)
    service.set_workflow(
        name,
        WorkflowSetRequest(node_field_selector="displayName=wait", output_parameters=json.dumps({"answer": "yes"})),
    )
    service.resume_workflow(name, WorkflowResumeRequest(node_field_selector="displayName=wait"))
    resumed = results(ended(service, name))

    sleeping = {}
    for verb in ("stop", "terminate"):
        with Workflow(
            generate_name=f"hera-{verb}-",
            entrypoint="s",
            templates=[Container(name="s", image=IMAGE, command=["sleep", "600"])],
        ) as w:
            pass
        name = w.create().metadata.name
        if verb == "stop":
            service.stop_workflow(name, WorkflowStopRequest())
        else:
            service.terminate_workflow(name, WorkflowTerminateRequest())
        sleeping[verb] = ended(service, name).status.phase
    service.retry_workflow(name, WorkflowRetryRequest())
    running = ended(service, name, ("Running", "Pending")).status.phase
    service.terminate_workflow(name, WorkflowTerminateRequest())
    return {"resumed": resumed, **sleeping, "retried": running}


def artifacts(service) -> dict:
    """Files and folders from task to task, at a key of the store, given as text, at a URL and in git."""
    with Workflow(generate_name="hera-artifacts-", entrypoint="main", service_account_name=ACCOUNT) as w:
        kept = Container(
            name="keep",
            image=IMAGE,
            command=["sh", "-c", "echo kept > /tmp/kept"],
            outputs=[
                S3Artifact(
                    name="kept", path="/tmp/kept", key="hera/{{workflow.name}}/kept", archive=NoneArchiveStrategy()
                )
            ],
        )
        serve = Container(
            name="serve",
            image=IMAGE,
            daemon=True,
            command=["sh", "-ec", SERVE],
            readiness_probe=Probe(http_get=HTTPGetAction(path="/", port=8000), period_seconds=1),
        )
        with DAG(name="main"):
            server = serve(name="serve")
            page = HTTPArtifact(name="data", url="http://{{tasks.serve.ip}}:8000/page")
            code = GitArtifact(
                name="data", repo="git://{{tasks.serve.ip}}/repo", revision="old", disable_submodules=True
            )
            _ = server >> [read(name="url", arguments=page), read(name="clone", arguments=code)]
            one, folder, keep = (
                write(name="one", arguments={"word": "hello"}),
                write_folder(name="folder"),
                kept(name="keep"),
            )
            _ = one >> read(name="file", arguments=one.get_artifact("made").with_name("data"))
            _ = folder >> read(name="tree", arguments=folder.get_artifact("folder").with_name("data"))
            _ = keep >> read(name="key", arguments=S3Artifact(name="data", key="hera/{{workflow.name}}/kept"))
            read(name="text", arguments=RawArtifact(name="data", data="raw text"))
    made = w.create(wait=True, poll_interval=1)
    keys = [
        artifact.s3.key.rpartition("/")[2]
        for node in made.status.nodes.values()
        for artifact in (node.outputs.artifacts or [] if node.outputs else [])
        if node.display_name in ("one", "folder", "keep")
    ]
    name = made.metadata.name
    keeper = next(node for node in made.status.nodes.values() if node.display_name == "keep")
    content = service.get_output_artifact(name, keeper.id, "kept")
    return {**results(made), "keys": sorted(keys), "content": content}


def loops(service) -> dict:
    """Items of an output parameter, fields of items, and a fan-in."""
    with Workflow(generate_name="hera-loops-", entrypoint="main", service_account_name=ACCOUNT) as w:
        with DAG(name="main"):
            made = make_items(name="made")
            each = describe(
                name="each",
                arguments={"name": "{{item.name}}", "size": "{{item.size}}"},
                with_param=made.get_parameter("items"),
            )
            describe(name="fixed", with_items=[{"name": "x", "size": 3}, {"name": "y", "size": 4}])
            double(name="counted", arguments={"x": "{{item}}"}, with_sequence=Sequence(count=3, start=5))
            both = Container(
                name="both",
                image=IMAGE,
                command=["echo"],
                args=["{{inputs.parameters.a}}"],
                inputs=[Parameter(name="a")],
            )
            _ = made >> each >> both(name="end", arguments={"a": each.result})
    return results(w.create(wait=True, poll_interval=1))


def retries(service) -> dict:
    with Workflow(generate_name="hera-retry-", entrypoint="main", service_account_name=ACCOUNT) as w:
        with Steps(name="main"):
            third_time(name="again")
    done = w.create(wait=True, poll_interval=1)
    attempts = [node for node in done.status.nodes.values() if node.type == "Pod"]
    return {"phase": done.status.phase, "attempts": sorted(node.phase for node in attempts)}


def sets(service) -> dict:
    """Containers of one pod, tried again; names of objects without a pod."""
    count = "echo x >> /shared/tries; [ $(wc -l < /shared/tries) = 2 ]"
    with Workflow(
        generate_name="hera-set-",
        entrypoint="main",
        service_account_name=ACCOUNT,
        volumes=[EmptyDirVolume(name="shared", mount_path="/shared")],
    ) as w:
        with ContainerSet(
            name="set",
            container_set_retry_strategy=ContainerSetRetryStrategy(retries=3, duration="10ms"),
            volume_mounts=[VolumeMount(name="shared", mount_path="/shared")],
        ) as together:
            first = ContainerNode(name="first", image=IMAGE, command=["sh", "-c", count])
            main = ContainerNode(name="main", image=IMAGE, command=["sh", "-c", "echo main"])
            _ = first >> main
        keep = Container(
            name="keep",
            image=IMAGE,
            command=["sh", "-c", "mkdir /tmp/k; touch /tmp/k/a.csv /tmp/k/b.txt"],
            outputs=[S3Artifact(name="kept", path="/tmp/k", key="hera/{{workflow.name}}")],
        )
        names = Data(
            name="names",
            source=S3Artifact(name="s", key="hera/{{workflow.name}}"),
            transformations=["filter(data, {# endsWith '.csv'})", "map(data, {sprig.trimPrefix('hera/', #)})"],
        )
        with Steps(name="main"):
            Step(name="together", template=together)
            Step(name="keep", template=keep)
            Step(name="names", template=names)
    done = w.create(wait=True, poll_interval=1)
    found = results(done)
    return {**found, "names": json.loads(found["names"])[0].partition("/")[2]}


def reference(service) -> dict:
    """A Workflow that is a WorkflowTemplate with other arguments; then waiting, and a schedule that pauses."""
    with WorkflowTemplate(
        name="hera-whole", entrypoint="main", arguments=[Parameter(name="x", value=1)], service_account_name=ACCOUNT
    ) as template:
        with DAG(name="main"):
            double(name="a", arguments={"x": "{{workflow.parameters.x}}"})
    template.create()
    with Workflow(
        generate_name="hera-whole-",
        workflow_template_ref=WorkflowTemplateRef(name="hera-whole"),
        arguments=[Parameter(name="x", value=9)],
    ) as w:
        pass
    w.create()
    done = w.wait(poll_interval=1)
    service.delete_workflow_template("hera-whole")
    with CronWorkflow(
        name="hera-pausing", entrypoint="main", schedules=["0 0 1 1 *"], service_account_name=ACCOUNT
    ) as cron:
        with DAG(name="main"):
            flip(name="a")
    linted = cron.lint().metadata.name
    cron.create()
    service.suspend_cron_workflow("hera-pausing", CronWorkflowSuspendRequest(name="hera-pausing"))
    paused = service.get_cron_workflow("hera-pausing").spec.suspend
    service.resume_cron_workflow("hera-pausing", CronWorkflowResumeRequest(name="hera-pausing"))
    resumed = service.get_cron_workflow("hera-pausing").spec.suspend
    service.delete_cron_workflow("hera-pausing")
    return {
        "done": results(done),
        "name": done.metadata.name,
        "linted": linted,
        "paused": [bool(paused), bool(resumed)],
    }


if __name__ == "__main__":
    host, token, namespace = sys.argv[1:4]
    global_config.host, global_config.token, global_config.namespace = host, token, namespace
    service = WorkflowsService(host=host, token=token, namespace=namespace)
    stories = [
        graph, sequence, container, refused, templates, schedule, verbs, artifacts, loops, retries, sets, reference
    ]  # fmt: skip
    wanted = sys.argv[4:]
    found = {story.__name__: story(service) for story in stories if not wanted or story.__name__ in wanted}
    found["version"] = service.get_version().version
    found["info"] = service.get_info().managed_namespace
    print(json.dumps(found, default=str))
