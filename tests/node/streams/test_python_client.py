"""The `kubernetes` Python client, which speaks WebSocket in its own way."""

import gc
import json
import threading
from collections.abc import Iterator

import pytest
import yaml
from kubernetes import client, config
from kubernetes.stream import portforward, stream

from tests.node.streams.node_thread import NodeThread
from tests.node.streams.test_kubectl_streams import echo  # noqa: F401 - a fixture
from tests.support import Windlass

pytestmark = [
    # this client leaves its sockets to the garbage collector
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def leave_nothing() -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("Kubernetes port forward"):
            thread.join(60)
    gc.collect()


@pytest.fixture(scope="module")
def core(streams_server: Windlass, node: NodeThread) -> client.CoreV1Api:
    settings = client.Configuration()
    config.load_kube_config(str(streams_server.kubeconfig), client_configuration=settings)
    node.run("snake", "sleep", "1000")
    return client.CoreV1Api(client.ApiClient(settings))


def test_exec_gives_all_output_at_once(core: client.CoreV1Api) -> None:
    said = stream(
        core.connect_get_namespaced_pod_exec, "snake", "default",
        command=["sh", "-c", "echo out; echo err >&2"], stdin=False, stdout=True, stderr=True, tty=False,
    )  # fmt: skip

    assert sorted(said.split()) == ["err", "out"]


def test_exec_takes_input_and_tells_the_exit_code(core: client.CoreV1Api) -> None:
    talk = stream(
        core.connect_get_namespaced_pod_exec, "snake", "default",
        command=["sh", "-c", "read line; echo got $line; exit 5"],
        stdin=True, stdout=True, stderr=True, tty=False, _preload_content=False,
    )  # fmt: skip
    talk.write_stdin("hello\n")
    talk.run_forever(timeout=60)

    assert talk.read_stdout() == "got hello\n"
    status = yaml.safe_load(talk.read_channel(3))
    assert (status["reason"], status["details"]["causes"][0]["message"]) == ("NonZeroExitCode", "5"), json.dumps(status)
    talk.close()


def test_a_port_is_forwarded(core: client.CoreV1Api, echo: int) -> None:  # noqa: F811 - the fixture
    forward = portforward(core.connect_get_namespaced_pod_portforward, "snake", "default", ports=str(echo))
    connection = forward.socket(echo)
    connection.setblocking(True)
    connection.sendall(b"hello")

    assert connection.recv(100) == b"HELLO"
    connection.close()
    assert forward.error(echo) is None


def test_logs_are_followed_line_by_line(core: client.CoreV1Api, node: NodeThread) -> None:
    node.run("snake-talks", "sh", "-c", "echo one; echo two")
    node.ended("snake-talks")

    assert core.read_namespaced_pod_log("snake-talks", "default").split() == ["one", "two"]
