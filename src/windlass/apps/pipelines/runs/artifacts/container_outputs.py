"""What a container left in the claim of its namespace: the executor-output file and the files of its parameters."""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence

from msgspec.structs import replace

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.artifacts.uris import claim_path
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.executor_input import output_file, parameters_folder
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs
from windlass.apps.pipelines.model import Artifact
from windlass.apps.pipelines.runs.artifacts.exchange import BadOutputs
from windlass.kube.json import check_depth, is_object

MAX_EXECUTOR_OUTPUT = 16 << 20
MAX_PARAMETER = 4 << 20
"""Bytes of one parameter; what is larger belongs into an artifact."""


async def read_outputs(folders: ClaimFolders, context: TaskContext) -> ContainerOutputs:
    """Raises BadOutputs."""
    namespace = context.run.namespace
    try:
        written = await folders.read(namespace, output_file(context).lstrip("/"), MAX_EXECUTOR_OUTPUT + 1)
        parameters = await _parameters(folders, context)
    except NoFolder as error:
        raise BadOutputs(f"The outputs cannot be read: {error}") from error
    return ContainerOutputs(executor_output=decoded_output(written), parameters=parameters)


async def _parameters(folders: ClaimFolders, context: TaskContext) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in declared_parameters(context):
        content = await folders.read(
            context.run.namespace, f"{parameters_folder(context.task)}/{name}", MAX_PARAMETER + 1
        )
        if content is None:
            continue
        if len(content) > MAX_PARAMETER:
            raise BadOutputs(f"The output parameter {name} is larger than {MAX_PARAMETER >> 20} MiB: use an artifact")
        try:
            found[name] = content.decode()
        except UnicodeDecodeError as error:
            raise BadOutputs(f"The output parameter {name} is not UTF-8 text: {error}") from error
    return found


def declared_parameters(context: TaskContext) -> Iterable[str]:
    declared = context.component.get("outputDefinitions", {}).get("parameters", {})
    return list(declared) if is_object(declared) else ()


def decoded_output(content: bytes | None) -> dict[str, object] | None:
    """The content of an executor-output file; None if there is none. Raises BadOutputs."""
    if content is None or not content.strip():
        return None
    if len(content) > MAX_EXECUTOR_OUTPUT:
        raise BadOutputs(f"The executor output is larger than {MAX_EXECUTOR_OUTPUT >> 20} MiB")
    try:
        output = json.loads(content)  # has NaN, as Python writes it
        check_depth(output)
    except (ValueError, RecursionError) as error:
        raise BadOutputs(f"The executor output is not JSON: {error}") from error
    if not is_object(output):
        raise BadOutputs("The executor output is not a JSON object")
    return output


async def with_content(
    folders: ClaimFolders, artifacts: Sequence[Artifact], is_elsewhere: Callable[[Artifact], Awaitable[bool]]
) -> list[Artifact]:
    """The artifacts, each with whether there is a file or folder for it; those elsewhere are not checked."""
    checked: list[Artifact] = []
    for artifact in artifacts:
        path = claim_path(artifact.uri)
        if path is not None and not await is_elsewhere(artifact):
            try:
                there = await folders.exists(artifact.namespace, path)
            except NoFolder:
                there = False
            artifact = artifact if there else replace(artifact, has_content=False)
        checked.append(artifact)
    return checked
