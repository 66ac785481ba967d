"""The port of gRPC, as a gateway on a cluster serves it, and the service accounts of two people's namespaces."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from tests.apps.pipelines.wire.grpc.clients import GrpcUser
from tests.apps.pipelines.wire.people import PipelinesUser
from tests.gateway.platform import WINDLASS, Platform
from tests.support import eventually, free_port


@pytest.fixture(scope="session")
def channel(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Iterator[grpc.Channel]:
    """A second gateway, which is a client of the same API server and has the same database."""
    home, port = tmp_path_factory.mktemp("grpc"), free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WINDLASS_", "XDG_", "KUBE"))}
    environment = {
        **kept,
        "HOME": str(home),
        "WINDLASS_DATA_DIR": str(home / "data"),
        "WINDLASS_PIPELINES_API_PORT": str(port),
        "WINDLASS_PIPELINES_DATABASE": f"sqlite:///{platform.data_dir}/pipelines/pipelines.db",
    }
    words = ["gateway", "--kubeconfig", str(platform.api.kubeconfig), "--gateway-port=0"]
    with (home / "log").open("w") as log:
        gateway = subprocess.Popen([*WINDLASS, *words], env=environment, stdout=log, stderr=log)
        try:
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                wait_until_ready(channel, gateway, home / "log")
                yield channel
        finally:
            gateway.terminate()
            gateway.wait(30)


def wait_until_ready(channel: grpc.Channel, gateway: "subprocess.Popen[bytes]", log: Path) -> None:
    def is_ready() -> bool:
        assert gateway.poll() is None, log.read_text()
        try:
            grpc.channel_ready_future(channel).result(timeout=1)
        except grpc.FutureTimeoutError:
            return False
        return True

    eventually(is_ready, 60, "the port of gRPC")


def grpc_user(platform: Platform, channel: grpc.Channel, person: PipelinesUser) -> GrpcUser:
    account = f"/api/v1/namespaces/{person.namespace}/serviceaccounts/default-editor"
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
    spec = {"audiences": ["pipelines.kubeflow.org"], "expirationSeconds": 7200}
    made = platform.api.create(f"{account}/token", {**body, "spec": spec})
    return GrpcUser(channel, made["status"]["token"], person.namespace)


@pytest.fixture(scope="session")
def anna_by_grpc(platform: Platform, channel: grpc.Channel, anna: PipelinesUser) -> GrpcUser:
    return grpc_user(platform, channel, anna)


@pytest.fixture(scope="session")
def bert_by_grpc(platform: Platform, channel: grpc.Channel, bert: PipelinesUser) -> GrpcUser:
    return grpc_user(platform, channel, bert)
