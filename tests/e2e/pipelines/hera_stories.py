"""Stories told with the unmodified Hera, in an environment of its own.

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
    ClusterWorkflowTemplate,
    Container,
    CronWorkflow,
    Parameter,
    Steps,
    Suspend,
    Task,
    Workflow,
    WorkflowsService,
    WorkflowTemplate,
    script,
)
from hera.workflows.models import (
    TemplateRef,
    WorkflowResubmitRequest,
    WorkflowResumeRequest,
    WorkflowRetryRequest,
    WorkflowSetRequest,
    WorkflowStopRequest,
    WorkflowSubmitRequest,
    WorkflowTerminateRequest,
)

IMAGE = "python:3.11"
ACCOUNT = "default-editor"


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


def results(workflow) -> dict:
    """The results of nodes by their display names, and whether the Workflow succeeded."""
    nodes = workflow.status.nodes.values()
    found = {node.display_name: node.outputs.result for node in nodes if node.outputs and node.outputs.result}
    return {"phase": workflow.status.phase, **found}


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


if __name__ == "__main__":
    host, token, namespace = sys.argv[1:4]
    global_config.host, global_config.token, global_config.namespace = host, token, namespace
    service = WorkflowsService(host=host, token=token, namespace=namespace)
    stories = [graph, sequence, container, refused, templates, schedule, verbs]
    wanted = sys.argv[4:]
    found = {story.__name__: story(service) for story in stories if not wanted or story.__name__ in wanted}
    found["version"] = service.get_version().version
    found["info"] = service.get_info().managed_namespace
    print(json.dumps(found, default=str))
