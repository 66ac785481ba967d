"""Clients that others wrote, as judges: an operator on kopf, and the asynchronous Kubernetes client."""

import asyncio
import contextlib
import gc
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.conformance.builders import ANYTHING, a_definition, an_object, named
from tests.conformance.client import Caller
from tests.support import Windlass
from tests.support import eventually as eventually_here

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PATIENCE = 120
THEIRS = "ignore:unclosed:ResourceWarning"  # they leave TLS connections to the garbage collector

pytestmark = pytest.mark.filterwarnings(THEIRS)


@pytest.fixture(scope="module", autouse=True)
def garbage() -> Iterator[None]:
    """What they left open is collected here, not in somebody else's test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


async def eventually(check: Callable[[], Any]) -> Any:
    """Ask from another thread, so that the operator in this one can go on, until the answer is something true."""
    async with asyncio.timeout(PATIENCE):
        while not (found := await asyncio.to_thread(check)):
            await asyncio.sleep(0.02)
    return found


@pytest.fixture
def things(administrator: Caller, namespace: str) -> Any:
    """A kind of the test's own: its group and the path of its objects."""
    group = f"g{uuid4().hex[:8]}.example.com"
    schema = an_object(spec=ANYTHING, status=ANYTHING)
    definition = administrator.create(DEFINITIONS, a_definition(group, "Thing", schema, subresources={"status": {}}))
    path = f"/apis/{group}/v1/namespaces/{namespace}/things"
    eventually_here(lambda: administrator.ask("GET", path).status == 200, 60, "things are served")
    yield group, path
    administrator.delete(f"{DEFINITIONS}/{definition['metadata']['name']}")


@contextlib.asynccontextmanager
async def operating(kopf: Any, registry: Any, namespace: str) -> AsyncIterator[None]:
    stop, ready = asyncio.Event(), asyncio.Event()
    settings = kopf.OperatorSettings()
    settings.process.ultimate_exiting_timeout = None
    running = asyncio.create_task(
        kopf.operator(
            registry=registry, settings=settings, standalone=True, namespaces=[namespace],
            stop_flag=stop, ready_flag=ready,
        )
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE):
            await ready.wait()
            yield
    finally:
        stop.set()
        await running


async def test_an_operator_on_kopf_handles_creation_change_time_and_deletion(
    server: Windlass, administrator: Caller, namespace: str, things: tuple[str, str]
) -> None:
    kopf: Any = pytest.importorskip("kopf")
    group, path = things
    registry = kopf.OperatorRegistry()
    gone: list[str] = []

    @kopf.on.login(registry=registry)
    def login(**_: Any) -> Any:
        return kopf.ConnectionInfo(server=server.url, ca_path=str(server.ca), token=server.token)

    @kopf.on.create(group, "v1", "things", id="create", registry=registry)
    def create(body: Any, spec: Any, patch: Any, **_: Any) -> dict[str, Any]:
        kopf.info(body, reason="Made", message="by an operator")
        patch.status["size"] = spec["size"]
        return {"greeting": "hello"}

    @kopf.on.update(group, "v1", "things", field="spec.size", registry=registry)
    def resize(old: Any, new: Any, patch: Any, **_: Any) -> None:
        patch.status["resized"] = [old, new]

    @kopf.timer(group, "v1", "things", interval=0.1, registry=registry)
    def tick(status: Any, patch: Any, **_: Any) -> None:
        patch.status["ticks"] = status.get("ticks", 0) + 1

    @kopf.on.delete(group, "v1", "things", registry=registry)
    def delete(name: str, **_: Any) -> None:
        gone.append(name)

    def status(wanted: str) -> Any:
        return administrator.get(f"{path}/a").get("status", {}).get(wanted)

    async with operating(kopf, registry, namespace):
        administrator.create(path, named(f"{group}/v1", "Thing", "a", spec={"size": 1}))
        assert await eventually(lambda: status("create")) == {"greeting": "hello"}
        assert await eventually(lambda: status("size")) == 1
        await asyncio.to_thread(administrator.patch, f"{path}/a", {"spec": {"size": 2}})
        assert await eventually(lambda: status("resized")) == [1, 2]
        await eventually(lambda: (status("ticks") or 0) > 1)
        events = await eventually(lambda: administrator.get(f"/api/v1/namespaces/{namespace}/events")["items"])
        assert {(e["reason"], e["involvedObject"]["name"]) for e in events} == {("Made", "a")}
        await asyncio.to_thread(administrator.delete, f"{path}/a")
        await eventually(lambda: administrator.is_gone(f"{path}/a"))
    assert set(gone) == {"a"}, "at least once, which is what kopf promises where it hears of its own writes late"


async def test_the_asynchronous_client_watches_and_finds_kinds_by_itself(
    server: Windlass, namespace: str, things: tuple[str, str]
) -> None:
    with warnings.catch_warnings(action="ignore"):
        from kubernetes_asyncio import client, config, dynamic, watch
    group, _ = things
    configuration = client.Configuration()
    await config.load_kube_config(str(server.kubeconfig), client_configuration=configuration)
    async with client.ApiClient(configuration) as api:
        core = client.CoreV1Api(api)
        for name in ("a", "b"):
            metadata = client.V1ObjectMeta(name=name, labels={"test": "watch"})
            await core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=metadata))
        seen: list[tuple[str, str]] = []
        async with asyncio.timeout(PATIENCE), watch.Watch() as events:
            async for event in events.stream(
                core.list_namespaced_config_map, namespace, label_selector="test=watch", timeout_seconds=PATIENCE
            ):
                seen.append((event["type"], event["object"].metadata.name))
                if len(seen) == 2:
                    await core.delete_collection_namespaced_config_map(namespace, label_selector="test=watch")
                if len(seen) == 4:
                    break
        assert seen == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a"), ("DELETED", "b")]

        found = await dynamic.DynamicClient(api)
        kind = await found.resources.get(api_version=f"{group}/v1", kind="Thing")
        body = named(f"{group}/v1", "Thing", "a", spec={"size": 1})
        await kind.create(namespace=namespace, body=body)
        applied = await kind.server_side_apply(
            namespace=namespace, name="a", body={**body, "spec": {"size": 2}}, field_manager="m", force_conflicts=True
        )
        assert applied.spec.size == 2
        removed = await kind.delete(namespace=namespace, name="a")
        assert removed.status == "Success"
