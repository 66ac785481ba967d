"""Reads what the pods of Workflows left behind, from the folder of their namespace's artifact claim."""

from windlass.pipelines.argo.observation import Outputs, OutputsRequest, PodOutputs
from windlass.pipelines.argo.pods import CLAIM_ROOT, STATE_ROOT
from windlass.pipelines.argo.wrapper import PARAMETERS_FOLDER, RESULT_FILE
from windlass.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder

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

    async def artifact_exists(self, namespace: str, key: str) -> bool:
        return await self._folders.exists(namespace, f"{CLAIM_ROOT}/{key}")

    async def _text(self, namespace: str, path: str) -> str | None:
        content = await self._folders.read(namespace, path, MAX_PARAMETER)
        return content.decode(errors="replace") if content is not None else None


async def read_outputs(outputs: Outputs, namespace: str, request: OutputsRequest) -> PodOutputs:
    """Everything that a request names."""
    try:
        return PodOutputs(
            parameters={name: await outputs.parameter(namespace, request.pod, name) for name in request.parameters},
            artifacts={name: await outputs.artifact_exists(namespace, key) for name, key in request.artifacts.items()},
            result=await outputs.result(namespace, request.pod) if request.has_result else None,
        )
    except NoFolder as error:
        return PodOutputs(error=f"outputs cannot be read: {error}")
