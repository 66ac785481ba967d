"""The manager looks after Volcano's kinds where nobody else does, or where it is asked to."""

import pytest

from tests.kube.live import bare_server, client
from windlass.cli.failure import Failure
from windlass.cli.manager_volcano import volcano_controllers
from windlass.kube.client import Client

__all__ = ["bare_server", "client"]


@pytest.mark.parametrize(
    ("asked", "is_embedded", "runs"),
    [
        ([], True, True),
        (["volcano"], True, True),
        (["tfjob", "volcano"], True, True),
        (["tfjob"], True, False),
        ([], False, False),
        (["tfjob"], False, False),
        (["tfjob", "volcano"], False, True),
    ],
)
async def test_where_volcanos_controllers_run(client: Client, asked: list[str], is_embedded: bool, runs: bool) -> None:
    found = await volcano_controllers(client, frozenset(asked), is_embedded=is_embedded, namespace="")

    assert bool(found) == runs


async def test_queues_are_in_no_namespace_so_neither_can_the_manager_be(client: Client) -> None:
    with pytest.raises(Failure, match="leave out --namespace"):
        await volcano_controllers(client, frozenset(["volcano"]), is_embedded=False, namespace="n")
