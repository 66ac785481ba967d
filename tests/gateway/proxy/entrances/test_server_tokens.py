"""The gateway sends a server the token of its own object, and of no other."""

from base64 import b64encode

import pytest

from windlass.apis.access import Access
from windlass.apis.core_v1 import Secret
from windlass.gateway.proxy.entrances.server_tokens import ServerTokens
from windlass.kube.cache import Store
from windlass.kube.meta import ObjectMeta


def a_secret(data: str = b64encode(b"abc").decode(), label: str = "lab") -> Secret:
    metadata = ObjectMeta(name="lab-notebook-token", namespace="ml", labels={"notebook-name": label})
    return Secret(metadata=metadata, data={"token": data})


def tokens(*secrets: Secret) -> ServerTokens:
    return ServerTokens({"notebook-name": a_store(*secrets), "windlass.dev/server-token": a_store(OF_BOARD)})


def a_store(*secrets: Secret) -> Store[Secret]:
    store: Store[Secret] = Store()
    for secret in secrets:
        store.put(secret)
    return store


OF_BOARD = Secret(
    metadata=ObjectMeta(
        name="lab-tensorboard-token", namespace="ml", labels={"windlass.dev/server-token": "tensorboards"}
    ),
    data={"token": b64encode(b"def").decode()},
)


LAB = Access("update", "kubeflow.org", "notebooks", "ml", "lab")


BOARD = Access("get", "tensorboard.kubeflow.org", "tensorboards", "ml", "lab")


def test_a_server_gets_its_own_token() -> None:
    assert tokens(a_secret()).of(LAB) == "abc"
    assert tokens(a_secret()).of(BOARD) == "def"


def test_jupyter_and_programs_of_windlass_each_find_it_where_they_look() -> None:
    assert tokens().headers(BOARD) == [("Authorization", "token def"), ("x-windlass-server-token", "def")]
    assert tokens().headers(LAB) == []


@pytest.mark.parametrize(
    "access",
    [
        None,
        Access("update", "kubeflow.org", "notebooks", "other", "lab"),
        Access("update", "kubeflow.org", "notebooks", "ml", "other"),
        Access("update", "kubeflow.org", "pvcviewers", "ml", "lab"),
    ],
)
def test_nothing_else_gets_it(access: Access | None) -> None:
    assert tokens(a_secret()).of(access) == ""


@pytest.mark.parametrize(
    "secret", [a_secret("not base64"), a_secret(label="other"), a_secret(b64encode(b"\xff").decode())]
)
def test_a_secret_that_is_not_one_of_ours_is_no_token(secret: Secret) -> None:
    assert tokens(secret).of(LAB) == ""
