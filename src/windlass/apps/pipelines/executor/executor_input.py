"""The executor input of a task: its resolved inputs, and where its outputs go."""

from typing import Any

from windlass.apps.pipelines.artifacts.uris import join_uri, local_path
from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.placeholders import Scope, is_of_container, job_names, resolve_constant
from windlass.apps.pipelines.executor.platform.task_config import task_config
from windlass.apps.pipelines.executor.values import TASK_CONFIG, declared_inputs, input_values, section, typed
from windlass.apps.pipelines.model import Artifact, Task

PARAMETERS_PATH = "/tmp/kfp/outputs"
"""The folder in a container to which it writes its output parameters, a file each."""
OUTPUT_FILE = "output_metadata.json"


def executor_input(context: TaskContext) -> Json:
    """Return the ExecutorInput, with the component's defaults. Raises ValueError with the reason."""
    whole: Json = {"inputs": _inputs(context), "outputs": _outputs(context)}
    return {**whole, "inputs": whole["inputs"] | {"parameterValues": _with_container_constants(context, whole)}}


def scope(context: TaskContext) -> Scope:
    """Return what placeholders of the task refer to. Raises ValueError if its inputs are not valid."""
    whole = executor_input(context)
    names = job_names(context.run, context.task, context.pipeline_root)
    return Scope(names=names, parameters=whole["inputs"]["parameterValues"], executor_input=whole)


def task_root(context: TaskContext) -> str:
    """Return the URI below which the task's artifacts are."""
    run, task = context.run, context.task
    return join_uri(context.pipeline_root, run.pipeline_name, run.run_id, task.name, task.task_id)


def output_file(context: TaskContext) -> str:
    """Return the path of the executor-output file in the container; its folder is that of the task root.

    Raises ValueError if the pipeline root has no local path.
    """
    return f"{local_path(task_root(context))}/{OUTPUT_FILE}"


def parameters_folder(task: Task) -> str:
    """Return the path in the claim of the files of output parameters; every attempt has its own."""
    return f".parameters/{task.task_id}-{task.attempt}"


def output_uri(context: TaskContext, name: str) -> str:
    return join_uri(task_root(context), name)


def _inputs(context: TaskContext) -> Json:
    values = input_values(context)
    for name, declared in declared_inputs(context).items():
        if declared.get("parameterType") == TASK_CONFIG:
            names = job_names(context.run, context.task, context.pipeline_root)
            values[name] = task_config(context, Scope(names=names, parameters=values))
    inputs: Json = {"parameterValues": values} if values else {"parameterValues": {}}
    artifacts = {name: {"artifacts": [_input(one) for one in many]} for name, many in context.artifacts.items() if many}
    return inputs | ({"artifacts": artifacts} if artifacts else {})


def _with_container_constants(context: TaskContext, whole: Json) -> Json:
    """Return the parameters, with what only the container has in constants: `{{$}}` and the paths of its outputs.

    These stay in the task's recorded inputs as they are, so that they do not keep it from being cached.
    """
    values: Json = whole["inputs"]["parameterValues"]
    names = job_names(context.run, context.task, context.pipeline_root)
    whole_scope, declared = Scope(names=names, parameters=values, executor_input=whole), declared_inputs(context)
    resolved = {
        name: typed(name, resolve_constant(constant, whole_scope), str(declared[name].get("parameterType") or ""))
        for name, constant in context.constants.items()
        if name in values and name in declared and is_of_container(constant)
    }
    return values | resolved


def _input(artifact: Artifact) -> Json:
    return {
        "name": artifact.artifact_id,
        "type": {"schemaTitle": artifact.type, "schemaVersion": artifact.schema_version},
        "uri": artifact.uri,
        "metadata": artifact.metadata,
    }


def _outputs(context: TaskContext) -> Json:
    declared = section(context.component, "outputDefinitions")
    parameters = {
        _checked(name): {"outputFile": f"{PARAMETERS_PATH}/{name}"} for name in section(declared, "parameters")
    }
    artifacts = {
        _checked(name): {"artifacts": [_output(context, name, definition)]}
        for name, definition in section(declared, "artifacts").items()
    }
    outputs: Json = {"outputFile": output_file(context)}
    return (
        ({"parameters": parameters} if parameters else {}) | ({"artifacts": artifacts} if artifacts else {}) | outputs
    )


def _output(context: TaskContext, name: str, definition: Json) -> dict[str, Any]:
    return {
        "name": name,
        "type": section(definition, "artifactType"),
        "uri": output_uri(context, name),
        "metadata": section(definition, "metadata"),
    }


def _checked(name: str) -> str:
    """Refuse the name of an output that is not the name of a file."""
    if "/" in name or "\0" in name or name in ("", ".", "..", OUTPUT_FILE):
        raise ValueError(f"outputDefinitions: {name!r} cannot be the name of an output")
    return name
