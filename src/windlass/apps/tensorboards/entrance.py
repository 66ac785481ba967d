"""The entrance to TensorBoards."""

from windlass.apis.app import Entrance
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.names import PATH_PREFIX, SERVER_TOKENS


def why_not_ready(board: Tensorboard) -> None:
    """Return no reason: conditions of a TensorBoard have no message, and events about it give the cause."""


ENTRANCE = Entrance(
    prefix=PATH_PREFIX, kind=Tensorboard, enter="get", why_not_ready=why_not_ready, server_tokens=SERVER_TOKENS
)
