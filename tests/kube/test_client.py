import asyncio
from typing import Any

import pytest

from tests.kube.live import until
from tests.support import Windlass
from windlass.apis import crd
from windlass.apis.core_v1 import ConfigMap, Namespace, Pod, ServiceAccount
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup
from windlass.kube import client as client_module
from windlass.kube import errors
from windlass.kube.api import Change
from windlass.kube.client import Client
from windlass.kube.connect import by_kubeconfig
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.view import metadata_only, typed

MAP = KINDS.of(ConfigMap)


def a_map(room: str, name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=room, labels={"app": name}), data=data)


async def test_an_object_comes_back_typed_untyped_and_as_metadata(client: Client, room: str) -> None:
    made = await client.create(a_map(room, "a", x="1"))

    assert made.metadata.uid
    assert (await client.get(ConfigMap, "a", room)).data == {"x": "1"}
    assert (await client.get(MAP, "a", room))["data"] == {"x": "1"}
    assert (await client.get(metadata_only(ConfigMap), "a", room)).metadata.uid == made.metadata.uid


async def test_failures_are_the_class_of_their_reason(client: Client, room: str) -> None:
    await client.create(a_map(room, "a"))

    with pytest.raises(errors.AlreadyExists):
        await client.create(a_map(room, "a"))
    with pytest.raises(errors.NotFound, match='configmaps "b" not found'):
        await client.get(ConfigMap, "b", room)
    with pytest.raises(errors.Invalid) as refused:
        await client.create(a_map(room, "Not_A_Name"))
    assert [cause.field for cause in refused.value.causes] == ["metadata.name"]


async def test_an_update_of_an_old_version_is_a_conflict(client: Client, room: str) -> None:
    old: dict[str, Any] = await client.get(MAP, (await client.create(a_map(room, "a"))).metadata.name, room)
    await client.update(old | {"data": {"x": "1"}})

    with pytest.raises(errors.Conflict):
        await client.update(old | {"data": {"x": "2"}})


async def test_patches_of_all_types(client: Client, room: str) -> None:
    await client.create(a_map(room, "a", x="1"))
    key = Key(room, "a")

    await client.patch(MAP, key, {"data": {"y": "2"}})
    await client.patch(MAP, key, [{"op": "remove", "path": "/data/x"}], "json")
    patched = await client.patch(MAP, key, {"data": {"z": "3"}}, "strategic")

    assert patched["data"] == {"y": "2", "z": "3"}


async def test_apply_owns_its_fields_and_removes_those_it_no_longer_names(client: Client, room: str) -> None:
    await client.apply(a_map(room, "a", x="1", y="1"), manager="me")
    await client.patch(MAP, Key(room, "a"), {"data": {"theirs": "1"}})

    assert (await client.apply(a_map(room, "a", x="2"), manager="me")).data == {"x": "2", "theirs": "1"}
    with pytest.raises(errors.Conflict):
        await client.apply(a_map(room, "a", x="3"), manager="other", force=False)


async def test_a_dry_run_changes_nothing(client: Client, room: str) -> None:
    await client.create(a_map(room, "a"), dry_run=True)

    with pytest.raises(errors.NotFound):
        await client.get(ConfigMap, "a", room)


async def test_a_list_is_whole_however_many_pages_it_takes(
    client: Client, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "PAGE", 2)
    for n in range(5):
        await client.create(a_map(room, f"a{n}"))

    listing = await client.list(ConfigMap, room)

    assert [o.metadata.name for o in listing.items] == [f"a{n}" for n in range(5)]
    assert int(listing.resource_version) > 0
    assert await client.count(MAP, room) == 5


async def test_selectors_narrow_a_list(client: Client, room: str) -> None:
    for name in ("a", "b"):
        await client.create(a_map(room, name))

    assert [o.metadata.name for o in (await client.list(ConfigMap, room, labels="app=a")).items] == ["a"]
    assert [o["metadata"]["name"] for o in (await client.list(MAP, room, fields="metadata.name=b")).items] == ["b"]


async def test_a_deletion_can_be_meant_for_one_object_only(client: Client, room: str) -> None:
    made = await client.create(a_map(room, "a"))

    with pytest.raises(errors.Conflict):
        await client.delete(MAP, Key(room, "a"), uid="another")
    await client.delete(MAP, Key(room, "a"), uid=made.metadata.uid)

    with pytest.raises(errors.NotFound):
        await client.get(ConfigMap, "a", room)


async def test_a_collection_is_deleted_by_label(client: Client, room: str) -> None:
    for name in ("a", "b"):
        await client.create(a_map(room, name))

    await client.delete_collection(MAP, room, labels="app=a")

    assert [o.metadata.name for o in (await client.list(ConfigMap, room)).items] == ["b"]


async def test_a_watch_tells_what_happens_after_a_version(client: Client, room: str) -> None:
    start = (await client.list(ConfigMap, room)).resource_version
    await client.create(a_map(room, "a"))
    await client.patch(MAP, Key(room, "a"), {"data": {"x": "1"}})
    await client.delete(MAP, Key(room, "a"))

    seen: list[Change[ConfigMap]] = []
    async for change in client.watch(typed(ConfigMap), room, resource_version=start):
        seen += [change] if change.object else []
        if change.type == "DELETED":
            break

    assert [change.type for change in seen] == ["ADDED", "MODIFIED", "DELETED"]


async def test_a_watch_may_begin_with_all_there_is(client: Client, room: str) -> None:
    await client.create(a_map(room, "a"))
    names: list[str] = []

    async for change in client.watch(metadata_only(ConfigMap), room, initial_events=True):
        if change.synced:
            break
        if change.object:
            names.append(change.object.metadata.name)

    assert names == ["a"]


async def test_an_object_of_a_megabyte_fits_in_a_watch(client: Client, room: str) -> None:
    start = (await client.list(ConfigMap, room)).resource_version
    await client.create(a_map(room, "a", big="x" * 900_000))

    async for change in client.watch(typed(ConfigMap), room, resource_version=start):
        if change.object:
            assert len(change.object.data["big"]) == 900_000
            break


async def test_a_foreign_kind_is_found_by_discovery(client: Client, room: str) -> None:
    definition = crd.definition(PodGroup)
    names = {"kind": "Crew", "listKind": "CrewList", "plural": "crews", "singular": "crew"}
    definition["metadata"]["name"] = "crews.test.windlass.dev"
    definition["spec"] |= {"group": "test.windlass.dev", "names": names}
    await client.apply(definition)

    crew = {"apiVersion": "test.windlass.dev/v1beta1", "kind": "Crew", "metadata": {"name": "a", "namespace": room}}

    async def created() -> Any:
        try:
            return await client.create(crew)
        except errors.NotFound:
            await client.served(refresh=True)
            return None

    made = await until(created)
    assert made["metadata"]["uid"]
    found = await client.find_kind("test.windlass.dev/v1beta1", "Crew")
    assert (found.plural, found.namespaced) == ("crews", True)


async def test_an_unknown_kind_is_not_found_in_kubectls_words(client: Client) -> None:
    with pytest.raises(errors.NotFound, match='no matches for kind "Nothing" in version "v1"'):
        await client.create({"apiVersion": "v1", "kind": "Nothing", "metadata": {"name": "a"}})


async def test_discovery_agrees_with_the_declared_kinds(client: Client) -> None:
    served = {(kind.api_version, kind.name): kind for kind in await client.served()}

    for declared in KINDS:
        if found := served.get((declared.api_version, declared.name)):
            assert (found.plural, found.namespaced) == (declared.plural, declared.namespaced), declared
            assert found.status == declared.status, declared
    assert ("v1", "Pod") in served


async def test_a_service_account_gets_a_token_that_works(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="robot", namespace=room)))

    assert (await client.token_for(Key(room, "robot"))).count(".") == 2


async def test_a_kubeconfig_leads_over_tls_to_the_same_server(bare_server: Windlass, client: Client, room: str) -> None:
    await client.create(a_map(room, "a", x="1"))

    async with await by_kubeconfig(bare_server.kubeconfig) as remote:
        assert (await remote.get(ConfigMap, "a", room)).data == {"x": "1"}


async def test_a_server_that_is_not_there_is_an_error_that_names_it(tmp_path: Any) -> None:
    from windlass.kube.connect import by_socket

    async with by_socket(tmp_path / "none.sock") as nowhere:
        with pytest.raises(errors.ServiceUnavailable, match=r"none\.sock does not answer"):
            await nowhere.get(Namespace, "default")


async def test_a_namespaced_kind_is_never_asked_for_without_a_namespace(client: Client) -> None:
    with pytest.raises(ValueError, match="say in which namespace"):
        await client.get(Pod, "a")


async def test_requests_may_run_at_the_same_time(client: Client, room: str) -> None:
    await asyncio.gather(*(client.create(a_map(room, f"a{n}")) for n in range(50)))

    assert await client.count(Kind(group="", version="v1", name="ConfigMap", plural="configmaps"), room) == 50
