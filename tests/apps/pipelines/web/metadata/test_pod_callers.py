"""Who calls the metadata store from the pods' network without a token."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from multidict import CIMultiDict

from windlass.apis.core_v1 import Pod, PodSpec, PodStatus
from windlass.apps.pipelines.web.metadata.pod_callers import pod_caller
from windlass.apps.pipelines.wire.errors import Unauthenticated, Unavailable
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Http2Request
from windlass.kube.errors import ServiceUnavailable
from windlass.kube.meta import ObjectMeta

ADDRESS = "10.244.0.7"


def a_pod(phase: str = "Running", *, account: str = "default-editor", host_network: bool = False) -> Pod:
    return Pod(
        metadata=ObjectMeta(name="p", namespace="team"),
        spec=PodSpec(service_account_name=account, host_network=host_network),
        status=PodStatus(phase=phase, pod_ip=ADDRESS),
    )


class Pods:
    """The API server, and the gateway's part that knows tokens."""

    def __init__(self, *pods: Pod, is_down: bool = False) -> None:
        self._pods, self._is_down = pods, is_down
        self.asked: list[str] = []

    async def list(self, kind: object, fields: str) -> Any:
        self.asked.append(fields)
        if self._is_down:
            raise ServiceUnavailable("down")
        return SimpleNamespace(items=list(self._pods))

    async def identity(self, token: str, path: str) -> None:
        return None


async def called(pods: Pods, *, peer: tuple[str, int] | None = (ADDRESS, 40000), **headers: str) -> Any:
    transport: Any = SimpleNamespace(get_extra_info=lambda name: peer)
    request = Http2Request(
        method="POST", path="/", raw_path="/", host="", headers=CIMultiDict(headers), transport=transport
    )
    context = SimpleNamespace(client=pods, bearer_tokens=pods)
    return await pod_caller(cast(GatewayContext, context), request)


async def test_a_running_pod_is_its_service_account_in_its_namespace() -> None:
    pods = Pods(a_pod(), a_pod("Succeeded", account="earlier"))
    caller = await called(pods)

    assert (caller.identity.user, caller.namespace) == ("system:serviceaccount:team:default-editor", "team")
    assert "system:serviceaccounts:team" in caller.identity.groups
    assert pods.asked == [f"status.podIP={ADDRESS}"]


@pytest.mark.parametrize(
    "pods",
    [
        Pods(),
        Pods(a_pod("Succeeded"), a_pod("Failed")),
        Pods(a_pod(), a_pod(account="another")),
        Pods(a_pod(host_network=True)),
    ],
)
async def test_an_address_that_is_not_of_one_running_pod_is_nobody(pods: Pods) -> None:
    with pytest.raises(Unauthenticated, match="Send a bearer token"):
        await called(pods)


async def test_a_connection_without_an_address_is_nobody() -> None:
    pods = Pods(a_pod())

    with pytest.raises(Unauthenticated):
        await called(pods, peer=None)
    assert pods.asked == []


async def test_a_wrong_token_is_not_replaced_by_the_address() -> None:
    with pytest.raises(Unauthenticated, match="not valid"):
        await called(Pods(a_pod()), Authorization="Bearer wrong")


async def test_the_api_server_may_be_away() -> None:
    with pytest.raises(Unavailable):
        await called(Pods(is_down=True))
