"""What the containers beside a task's own one transfer on a cluster, and what they report about it. Data only.

The pod has one volume, laid out as the claim of an embedded Windlass is: `s3/bucket/key`, `minio/bucket/key`. An init
container fetches inputs into it; a sidecar publishes outputs from it, and at last the report, as an object beside them.
"""

from collections.abc import Sequence

import msgspec

from windlass.apps.pipelines.artifacts.stores.store_locations import PlacedArtifact
from windlass.kube.meta import Struct

VOLUME_PATH = "/var/run/windlass/artifacts"
"""Where both containers mount the volume."""
WORKSPACE_MOUNT = "/var/run/windlass/workspace"
SECRETS_PATH = "/var/run/windlass/secrets"
"""Where both containers find the Secrets of stores, a folder each."""
MAX_ARGUMENT = 64 << 10
"""Characters of one argument: the kernel limits each to 128 KiB."""


class InputArtifact(Struct):
    uri: str
    must_exist: bool = False
    workspace_path: str = ""
    """Where in the workspace of the run it belongs; empty for one that belongs into the pod's volume."""


class TransferPlan(Struct):
    namespace: str
    providers: str = ""
    """The key `providers` of the namespace's ConfigMap `kfp-launcher`."""
    inputs: list[InputArtifact] = []
    placed_inputs: list[PlacedArtifact] = []
    """Inputs that name their store; they must exist."""
    placed_outputs: list[PlacedArtifact] = []
    texts: dict[str, str] = {}
    """Contents of further files that the main container needs, by their path in the volume."""
    artifacts: dict[str, str] = {}
    """URIs of output artifacts, by name; the executor output may name others instead."""
    folders: list[str] = []
    """URIs of folders in which every entry is an output artifact."""
    executor_output: str = ""
    """Path of the executor-output file in the volume; empty if there is none to read."""
    parameters: str = ""
    """Path of the folder in the volume with output parameters, a file each."""
    result: str = ""
    """Path of the file in the volume with what the main container printed; empty if that is not asked for."""
    report: str = ""
    """The URI of the object for the report."""


class TransferReport(Struct):
    """What a pod left behind. It is written last: where there is one, everything is published."""

    executor_output: str | None = None
    """The executor-output file as it is; None if there is none."""
    parameters: dict[str, str] = {}
    problems: dict[str, str] = {}
    """Parameters that cannot be used, by name: too large, or no text."""
    result: str | None = None
    published: list[str] = []
    """URIs of the artifacts for which there was a file or a folder, also of those that name their store."""


def as_arguments(plan: TransferPlan) -> list[str]:
    """The plan as arguments of a program. Kubernetes replaces `$(NAME)` in arguments, so they have no dollar sign."""
    text = msgspec.json.encode(plan).decode().replace("$", "\\u0024")
    return [text[start : start + MAX_ARGUMENT] for start in range(0, len(text), MAX_ARGUMENT)]


def from_arguments(arguments: Sequence[str]) -> TransferPlan:
    """Raises msgspec.DecodeError."""
    return msgspec.json.decode("".join(arguments), type=TransferPlan)
