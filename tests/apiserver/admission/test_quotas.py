import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import Answer, Windlass
from windlass.apis.quota_usage import Usage
from windlass.apiserver.admission.tally import Tally
from windlass.apiserver.store import Store
from windlass.kube.json import encode
from windlass.kube.quantity import Quantity


def a_pod(name: str = "p", **container: Any) -> Any:
    spec = {"containers": [{"name": "c", "image": "i", **container}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def asking(**requests: str) -> Any:
    return {"resources": {"requests": requests}}


def a_claim(name: str, size: str, storage_class: str = "fast") -> Any:
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": storage_class}
    spec |= {"resources": {"requests": {"storage": size}}}
    return {"metadata": {"name": name}, "spec": spec}


def a_service(name: str, **spec: Any) -> Any:
    return {"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], **spec}}


def limit(server: Windlass, room: str, hard: dict[str, str], name: str = "q", **spec: Any) -> None:
    quota = {"metadata": {"name": name}, "spec": {"hard": hard, **spec}}
    server.create(f"/api/v1/namespaces/{room}/resourcequotas", quota)


def post(server: Windlass, room: str, plural: str, obj: Any, group: str = "api/v1", query: str = "") -> Answer:
    return server.request("POST", f"/{group}/namespaces/{room}/{plural}{query}", obj)


def refused(answer: Answer) -> str:
    assert answer.status == 403, answer.body
    return answer.json()["message"]


def test_a_pod_beyond_the_quota_is_refused_in_kubernetes_words(bare: Windlass, room: str) -> None:
    limit(bare, room, {"pods": "2", "requests.cpu": "1500m"})
    assert post(bare, room, "pods", a_pod("a", **asking(cpu="1"))).status == 201

    answer = post(bare, room, "pods", a_pod("b", **asking(cpu="1")))

    assert refused(answer) == (
        'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=1, '
        "limited: requests.cpu=1500m"
    )
    assert answer.json()["details"] == {"name": "b", "kind": "pods"}


def test_all_that_is_exceeded_is_named_in_order(bare: Windlass, room: str) -> None:
    limit(bare, room, {"pods": "0", "requests.memory": "1Gi"})

    answer = post(bare, room, "pods", a_pod("a", **asking(memory="2Gi")))

    assert refused(answer).endswith(
        "requested: pods=1,requests.memory=2Gi, used: pods=0,requests.memory=0, limited: pods=0,requests.memory=1Gi"
    )


def test_a_container_must_say_how_much_it_needs_of_what_is_limited(bare: Windlass, room: str) -> None:
    limit(bare, room, {"limits.cpu": "4", "requests.memory": "1Gi"})

    answer = post(bare, room, "pods", a_pod("a"))

    assert refused(answer) == (
        'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: c; requests.memory for: c'
    )


@pytest.mark.parametrize(
    ("hard", "name", "first", "second"),
    [
        ("requests.nvidia.com/gpu", "4", {"nvidia.com/gpu": "3"}, {"nvidia.com/gpu": "2"}),
        ("limits.ephemeral-storage", "1Gi", {"ephemeral-storage": "600Mi"}, {"ephemeral-storage": "600Mi"}),
        ("count/pods", "1", {}, {}),
    ],
)
def test_pods_are_held_to_every_kind_of_limit(
    bare: Windlass, room: str, hard: str, name: str, first: Any, second: Any
) -> None:
    limit(bare, room, {hard: name})

    assert post(bare, room, "pods", a_pod("a", resources={"limits": first})).status == 201
    assert "exceeded quota: q" in refused(post(bare, room, "pods", a_pod("b", resources={"limits": second})))


def test_a_pod_that_has_ended_makes_room(bare: Windlass, room: str) -> None:
    limit(bare, room, {"pods": "1"})
    post(bare, room, "pods", a_pod("a"))
    assert post(bare, room, "pods", a_pod("b")).status == 403

    bare.patch(f"/api/v1/namespaces/{room}/pods/a/status", {"status": {"phase": "Succeeded"}})
    assert post(bare, room, "pods", a_pod("b")).status == 201

    bare.request("DELETE", f"/api/v1/namespaces/{room}/pods/b")
    assert post(bare, room, "pods", a_pod("c")).status == 201


def test_only_pods_in_scope_count_and_are_refused(bare: Windlass, room: str) -> None:
    limit(bare, room, {"pods": "1"}, "short", scopes=["Terminating"])
    limit(bare, room, {"pods": "0"}, "cheap", scopes=["BestEffort"])
    urgent = {"scopeName": "PriorityClass", "operator": "In", "values": ["system-node-critical"]}
    limit(bare, room, {"pods": "0"}, "urgent", scopeSelector={"matchExpressions": [urgent]})

    def made(name: str, **spec: Any) -> Answer:
        pod = a_pod(name, **asking(cpu="1"))
        pod["spec"] |= spec
        return post(bare, room, "pods", pod)

    assert made("long").status == 201
    assert made("short", activeDeadlineSeconds=60).status == 201
    assert "quota: short, requested: pods=1, used: pods=1, " in refused(made("shorter", activeDeadlineSeconds=5))
    assert "quota: urgent" in refused(made("urgent", priorityClassName="system-node-critical"))
    assert "quota: cheap" in refused(post(bare, room, "pods", a_pod("cheap")))


def test_a_service_may_not_change_its_type_beyond_the_quota(bare: Windlass, room: str) -> None:
    limit(bare, room, {"services": "2", "services.nodeports": "1", "services.loadbalancers": "0"})
    assert post(bare, room, "services", a_service("a", type="NodePort")).status == 201
    assert post(bare, room, "services", a_service("b")).status == 201

    path = f"/api/v1/namespaces/{room}/services/b"
    assert refused(bare.patch(path, {"spec": {"type": "NodePort"}})) == (
        'services "b" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, '
        "limited: services.nodeports=1"
    )
    assert bare.patch(path, {"metadata": {"labels": {"a": "b"}}}).status == 200
    assert "services=2" in refused(post(bare, room, "services", a_service("c")))


def test_claims_are_held_to_size_number_and_class(bare: Windlass, room: str) -> None:
    slow = "slow.storageclass.storage.k8s.io/persistentvolumeclaims"
    limit(bare, room, {"requests.storage": "10Gi", slow: "0"})
    bare.create(
        "/apis/storage.k8s.io/v1/storageclasses",
        {"metadata": {"name": room}, "provisioner": "none", "allowVolumeExpansion": True},
    )
    assert post(bare, room, "persistentvolumeclaims", a_claim("a", "6Gi", room)).status == 201

    assert "requests.storage=5Gi" in refused(post(bare, room, "persistentvolumeclaims", a_claim("b", "5Gi")))
    assert slow in refused(post(bare, room, "persistentvolumeclaims", a_claim("c", "1Gi", "slow")))


def test_a_resize_of_a_claim_is_charged_for_its_growth(bare: Windlass, room: str) -> None:
    limit(bare, room, {"requests.storage": "10Gi", "persistentvolumeclaims": "1"})
    storage_class = {"metadata": {"name": f"c-{room}"}, "provisioner": "none", "allowVolumeExpansion": True}
    bare.create("/apis/storage.k8s.io/v1/storageclasses", storage_class)
    claim = bare.create(f"/api/v1/namespaces/{room}/persistentvolumeclaims", a_claim("a", "6Gi", f"c-{room}"))
    path = f"/api/v1/namespaces/{room}/persistentvolumeclaims/{claim['metadata']['name']}"
    bare.patch(f"{path}/status", {"status": {"phase": "Bound", "capacity": {"storage": "6Gi"}}})

    def resized(size: str) -> Answer:
        return bare.patch(path, {"spec": {"resources": {"requests": {"storage": size}}}})

    assert "requested: requests.storage=5Gi, used: requests.storage=6Gi" in refused(resized("11Gi"))
    assert resized("10Gi").status == 200


@pytest.mark.parametrize(
    ("hard", "group", "plural", "obj"),
    [
        ("secrets", "api/v1", "secrets", {}),
        ("count/secrets", "api/v1", "secrets", {}),
        ("configmaps", "api/v1", "configmaps", {}),
        ("count/leases.coordination.k8s.io", "apis/coordination.k8s.io/v1", "leases", {"spec": {}}),
    ],
)
def test_objects_of_any_kind_are_counted(
    bare: Windlass, room: str, hard: str, group: str, plural: str, obj: Any
) -> None:
    limit(bare, room, {hard: "1"})

    assert post(bare, room, plural, {"metadata": {"name": "a"}, **obj}, group).status == 201
    answer = post(bare, room, plural, {"metadata": {"name": "b"}, **obj}, group)
    assert f"requested: {hard}=1, used: {hard}=1, limited: {hard}=1" in refused(answer)


def test_custom_resources_are_counted(bare: Windlass, room: str) -> None:
    schema = {"openAPIV3Schema": {"type": "object"}}
    crd = {
        "metadata": {"name": "tallies.quota.example.com"},
        "spec": {
            "group": "quota.example.com",
            "scope": "Namespaced",
            "names": {"plural": "tallies", "kind": "Tally"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    bare.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
    limit(bare, room, {"count/tallies.quota.example.com": "1"})
    kind = {"apiVersion": "quota.example.com/v1", "kind": "Tally"}

    assert post(bare, room, "tallies", {**kind, "metadata": {"name": "a"}}, "apis/quota.example.com/v1").status == 201
    answer = post(bare, room, "tallies", {**kind, "metadata": {"name": "b"}}, "apis/quota.example.com/v1")
    assert refused(answer).startswith('tallies.quota.example.com "b" is forbidden: exceeded quota: q, requested: count')


def test_a_trial_is_refused_too_and_uses_nothing(bare: Windlass, room: str) -> None:
    limit(bare, room, {"configmaps": "1"})
    for _ in range(2):
        assert post(bare, room, "configmaps", {"metadata": {"name": "a"}}, query="?dryRun=All").status == 201
    assert post(bare, room, "configmaps", {"metadata": {"name": "a"}}).status == 201
    assert post(bare, room, "configmaps", {"metadata": {"name": "b"}}, query="?dryRun=All").status == 403


@pytest.mark.parametrize("plural", ["pods", "configmaps"])
def test_many_at_once_stay_within_the_quota_together(bare: Windlass, room: str, plural: str) -> None:
    limit(bare, room, {plural: "10"})

    def create(number: int) -> int:
        obj = a_pod(f"p-{number}") if plural == "pods" else {"metadata": {"name": f"p-{number}"}}
        return post(bare, room, plural, obj).status

    with ThreadPoolExecutor(50) as pool:
        statuses = list(pool.map(create, range(50)))

    assert (statuses.count(201), statuses.count(403)) == (10, 40)
    assert len(bare.get(f"/api/v1/namespaces/{room}/{plural}")["items"]) == 10


# The running total


def amount_of(value: bytes) -> Usage:
    return {"sum": Quantity.parse(int(value))}


STEPS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-1, 5), st.booleans()), max_size=25)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_a_tally_is_always_the_sum_of_the_newest_state(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, bool]]
) -> None:
    asyncio.run(_follow(tmp_path_factory.mktemp("tally") / "store.db", steps))


async def _follow(path: Path, steps: list[tuple[str, int, bool]]) -> None:
    store = Store.open(path)
    try:
        tally = Tally(store, "/pods", "ns", amount_of)
        for name, number, durable in steps:
            key = ("/pods", "ns", name)
            if number >= 0:
                done = store.put(key, encode(number))
            elif store.newest(key) is not None:
                done = store.delete(key, b"0")
            else:
                continue
            expected = sum(int(row.value) for row in store.newest_rows("/pods", "ns"))
            assert tally.totals().get("sum", Quantity(0)) == Quantity.parse(expected)
            if durable:
                await done
                assert tally.totals()["sum"] == Quantity.parse(expected)
    finally:
        await store.close()


async def test_a_tally_counts_what_watchers_have_not_been_told_of_yet(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store.db")
    try:
        tally = Tally(store, "/pods", "ns", amount_of)
        assert tally.totals() == {}
        await store.put(("/pods", "ns", "a"), b"3")
        assert tally.totals()["sum"] == Quantity.parse(3)
    finally:
        await store.close()
