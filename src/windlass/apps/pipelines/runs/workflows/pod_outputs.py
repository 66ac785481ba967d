"""Reads what the pods of Workflows left behind, from the folder of their namespace's artifact claim."""

from windlass.apps.pipelines.argo.observation import InputAnswer, InputLookup, Outputs, OutputsRequest, PodOutputs
from windlass.apps.pipelines.argo.pods.pod_manifest import STATE_ROOT
from windlass.apps.pipelines.argo.pods.wrapper import PARAMETERS_FOLDER, PLACED_PREFIX, RESULT_FILE
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.artifacts.uris import claim_path

MAX_PARAMETER = 256 * 1024
"""Bytes of an output parameter or a result."""


class ClaimOutputs:
    """The claim of a namespace, as `Outputs`. Its methods raise NoFolder."""

    def __init__(self, folders: ClaimFolders) -> None:
        self._folders = folders

    async def parameter(self, namespace: str, pod: str, name: str) -> str | None:
        return await self._text(namespace, f"{STATE_ROOT}/{pod}/{PARAMETERS_FOLDER}/{name}")

    async def result(self, namespace: str, pod: str) -> str | None:
        return await self._text(namespace, f"{STATE_ROOT}/{pod}/{RESULT_FILE}")

    async def artifact_exists(self, namespace: str, uri: str) -> bool:
        path = claim_path(uri)
        return path is not None and await self._folders.exists(namespace, path)

    async def is_placed(self, namespace: str, pod: str, name: str) -> bool:
        return await self._folders.exists(namespace, f"{STATE_ROOT}/{pod}/{PLACED_PREFIX}{name}")

    async def _text(self, namespace: str, path: str) -> str | None:
        content = await self._folders.read(namespace, path, MAX_PARAMETER)
        return content.decode(errors="replace") if content is not None else None


async def read_outputs(outputs: Outputs, namespace: str, request: OutputsRequest) -> PodOutputs:
    """Everything that a request names."""
    try:
        return PodOutputs(
            parameters={name: await outputs.parameter(namespace, request.pod, name) for name in request.parameters},
            artifacts={
                name: await outputs.artifact_exists(namespace, uri)
                and (name not in request.placed or await outputs.is_placed(namespace, request.pod, name))
                for name, uri in request.artifacts.items()
            },
            result=await outputs.result(namespace, request.pod) if request.has_result else None,
        )
    except NoFolder as error:
        return PodOutputs(error=f"outputs cannot be read: {error}")


async def find_input(outputs: Outputs, namespace: str, lookup: InputLookup) -> InputAnswer:
    """Whether the claim has an input artifact; a namespace without a claim has none."""
    try:
        return InputAnswer(exists=await outputs.artifact_exists(namespace, lookup.uri))
    except NoFolder:
        return InputAnswer(exists=False)
