"""TensorBoards over the logs of a v1 task: `/apps/tensorboard` of upstream's UI server, with the caller's own rights.

The dashboard names the board of a place in the same way (ui/src/apps/pipelines/kinds/pipelinesTensorboard.ts), so that
both have one.
"""

import re

from windlass.apis.wellknown import CLAIM_SCHEME
from windlass.apps.pipelines.names import ARTIFACTS_CLAIM
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, of_kubernetes
from windlass.apps.pipelines.wire.names import check_namespace, dns_name
from windlass.apps.tensorboards.kinds import GROUP, Tensorboard
from windlass.apps.tensorboards.names import prefix
from windlass.kube.errors import AlreadyExists, ApiError, NotFound
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import untyped

BOARDS = KINDS.of(Tensorboard)
MAX_NAME = 50
STORES = {"s3": "s3", "gs": "gs", "gcs": "gs"}
_SERIES = re.compile(r"[\w .-]+:(?=[a-z0-9]+://)", re.ASCII)
_PLACE = re.compile(r"([a-z0-9]+)://([^/]+)/?(.*)", re.DOTALL)


async def get_board(call: Call) -> Object:
    """The address of the board; empty while there is none, or it is not ready."""
    key, _ = await _board(call)
    try:
        board = await call.caller.client.get(untyped(BOARDS), key.name, key.namespace)
    except NotFound:
        return _answer("")
    except ApiError as error:
        raise of_kubernetes(error) from error
    return _answer(prefix(key) if dig(board, "status", "readyReplicas") else "")


async def create_board(call: Call) -> Object:
    key, logs = await _board(call)
    metadata = {"name": key.name, "namespace": key.namespace}
    board: Object = {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "Tensorboard",
        "metadata": metadata,
        "spec": {"logspath": logs},
    }
    try:
        await call.caller.client.create(board, kind=BOARDS)
    except AlreadyExists:
        pass  # the same place has the same board
    except ApiError as error:
        raise of_kubernetes(error) from error
    return _answer(prefix(key))


async def delete_board(call: Call) -> Object:
    key, _ = await _board(call)
    try:
        await call.caller.client.delete(BOARDS, key)
    except NotFound:
        pass
    except ApiError as error:
        raise of_kubernetes(error) from error
    return _answer("")


def _answer(address: str) -> Object:
    return {"podAddress": address, "tfVersion": "", "image": ""}


async def _board(call: Call) -> tuple[Key, str]:
    """The key of the board of `logdir`, and where it reads. Raises InvalidArgument."""
    source = call.query("logdir")
    logs = logs_of(source)
    if not logs:
        raise InvalidArgument("logdir: must be a URI with minio, s3, gs, gcs, volume or pvc")
    namespace = await call.namespace_or_own(check_namespace(call.query("namespace")), "A TensorBoard")
    return Key(namespace, board_name(source)), logs


def logs_of(source: str) -> str:
    """The `logspath` of what a task calls its logs; empty where no TensorBoard can read them.

    Several series are `name:place,name:place`: the first is shown.
    """
    first = _SERIES.sub("", source.split(",")[0].strip(), count=1)
    match = _PLACE.fullmatch(first)
    if match is None:
        return ""
    scheme, place, path = match.groups()
    if scheme in ("volume", "pvc"):
        return f"{CLAIM_SCHEME}{place}/{path}".rstrip("/")
    if scheme == "minio":
        return f"{CLAIM_SCHEME}{ARTIFACTS_CLAIM}/minio/{place}/{path}".rstrip("/")
    return f"{STORES[scheme]}://{first.partition('://')[2]}" if scheme in STORES else ""


def board_name(source: str) -> str:
    """The name of the board of a place: the same each time, and another for each place."""
    digest = 0x811C9DC5
    for character in source:
        digest = (digest ^ ord(character)) * 0x01000193 % (1 << 32)
    word = dns_name(source.rstrip("/").rpartition("/")[2]).lstrip("0123456789-") or "logs"
    return f"{word[: MAX_NAME - 9].rstrip('-')}-{digest:08x}"
