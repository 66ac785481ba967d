"""Each notebook has a Secret with a token of its own."""

from base64 import b64decode

import msgspec
import pytest

from windlass.apis.core_v1 import Secret
from windlass.apps.notebooks.controllers.tokens import CONTROLLER
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import SERVER_TOKENS
from windlass.kube.client import Client
from windlass.kube.controller import Acted, Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.testing import NOW, MemoryServer

NAME = "lab-notebook-token"


def a_notebook(server: MemoryServer, **container: object) -> Notebook:
    wire = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {"name": "lab", "namespace": "ml"},
        "spec": {"template": {"spec": {"containers": [{"name": "lab", "image": "jupyter", **container}]}}},
    }
    return msgspec.convert(server.put(wire), Notebook)


@pytest.fixture
def server() -> MemoryServer:
    return MemoryServer(lambda: NOW)


def secrets(server: MemoryServer) -> list[Secret]:
    return [msgspec.convert(obj, Secret) for (kind, _), obj in server.objects.items() if kind == KINDS.of(Secret)]


async def provide(server: MemoryServer, notebook: Notebook, *seen: Secret) -> object:
    return await CONTROLLER.act(notebook, Observed.just(*seen, of=notebook, now=NOW), Client(server))


async def test_a_notebook_gets_256_random_bits_that_go_with_it(server: MemoryServer) -> None:
    notebook = a_notebook(server)
    await provide(server, notebook)

    (made,) = secrets(server)
    assert made.metadata.key == Key("ml", NAME)
    assert len(bytes.fromhex(b64decode(made.data["token"]).decode())) == 32
    assert made.metadata.owner_references[0].uid == notebook.metadata.uid
    assert SERVER_TOKENS.label in made.metadata.labels


async def test_a_token_that_the_cache_has_not_seen_yet_stays(server: MemoryServer) -> None:
    notebook = a_notebook(server)
    await provide(server, notebook)
    before = secrets(server)

    assert await provide(server, notebook) is None
    assert secrets(server) == before


async def test_a_token_of_the_users_own_needs_no_secret(server: MemoryServer) -> None:
    await provide(server, a_notebook(server, env=[{"name": "JUPYTER_TOKEN", "value": "mine"}]))

    assert secrets(server) == []


async def test_a_secret_of_someone_else_is_left_alone_and_reported(server: MemoryServer) -> None:
    client = Client(server)
    await client.create(Secret(metadata=ObjectMeta(name=NAME, namespace="ml")))

    answer = await provide(server, a_notebook(server))

    assert isinstance(answer, Acted)
    assert [event.reason for event in answer.events] == ["NameConflict"]
    assert secrets(server)[0].data == {}
