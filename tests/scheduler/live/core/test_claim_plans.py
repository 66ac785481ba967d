"""Volumes for claims that wait for their first consumer: the core chooses and reserves, the writer only writes."""

from typing import Any

import msgspec
import pytest

from tests.scheduler.builders import a_cluster, a_node, a_pod
from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim
from windlass.kube.meta import Key
from windlass.scheduler.live.core.claim_plans import ClaimsFailed, PromiseVolume, SelectNode, plan_claims
from windlass.scheduler.live.writers.claims import Claims
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot

KEY = Key("default", "c")


def a_claim(name: str = "c", **spec: Any) -> PersistentVolumeClaim:
    requests = {"resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "local"}
    metadata = {"name": name, "namespace": "default", "uid": name}
    return msgspec.convert({"metadata": metadata, "spec": {**requests, **spec}}, PersistentVolumeClaim)


def a_volume(name: str = "v") -> PersistentVolume:
    spec = {"capacity": {"storage": "2Gi"}, "storageClassName": "local"}
    body = {"metadata": {"name": name, "resourceVersion": "7"}, "spec": spec, "status": {"phase": "Available"}}
    return msgspec.convert(body, PersistentVolume)


def mounting(pod: str, claim: str) -> PodInfo:
    return a_pod(pod, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": claim}}])


def a_snapshot(pods: list[PodInfo], *volumes: PersistentVolume, provisioner: str = "") -> Snapshot:
    snapshot = a_cluster(a_node("n"), pods={"n": pods})
    snapshot.volumes = {volume.metadata.name: volume for volume in volumes}
    snapshot.classes["local"] = {"provisioner": provisioner}
    return snapshot


def test_a_volume_is_reserved_before_it_is_written_and_nobody_else_gets_it() -> None:
    first, second = mounting("p", "c"), mounting("q", "d")
    snapshot = a_snapshot([first, second], a_volume())
    snapshot.claims = {KEY: a_claim(), Key("default", "d"): a_claim("d")}

    plan = plan_claims(snapshot, first, "n")

    (write,) = plan.writes
    assert isinstance(write, PromiseVolume)
    assert (write.volume.metadata.name, write.claim.metadata.name, plan.are_bound) == ("v", "c", False)
    assert snapshot.reserved == {"v": KEY}
    with pytest.raises(ClaimsFailed, match="VolumeBinding"):
        plan_claims(snapshot, second, "n")


def test_a_volume_that_can_be_provisioned_is_requested_on_the_node() -> None:
    pod = mounting("p", "c")
    snapshot = a_snapshot([pod], provisioner="example.com/disks")
    snapshot.claims = {KEY: a_claim()}

    assert plan_claims(snapshot, pod, "n").writes == (SelectNode(KEY, "n"),)
    assert snapshot.reserved == {}


def test_bound_claims_need_nothing() -> None:
    pod = mounting("p", "c")
    snapshot = a_snapshot([pod], a_volume())
    bound = {"metadata": {"name": "c", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}
    snapshot.claims = {KEY: msgspec.convert({**bound, "spec": {"volumeName": "v"}}, PersistentVolumeClaim)}

    assert plan_claims(snapshot, pod, "n").are_bound


async def test_the_writer_writes_what_the_core_plans_and_leaves_the_snapshot_alone() -> None:
    pod = mounting("p", "c")
    snapshot = a_snapshot([pod], a_volume())
    snapshot.claims = {KEY: a_claim()}
    plan = plan_claims(snapshot, pod, "n")
    snapshot.reserved.clear()
    written: list[tuple[Key, Any]] = []

    class Api:
        async def patch(self, kind: Any, key: Key, patch: Any) -> None:
            written.append((key, patch))

    api: Any = Api()
    assert not await Claims(api, lambda pod, node: plan).are_bound(pod, "n")

    ((key, patch),) = written
    assert (key.name, patch["metadata"], patch["spec"]["claimRef"]["uid"]) == ("v", {"resourceVersion": "7"}, "c")
    assert snapshot.reserved == {}
