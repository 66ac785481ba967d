"""The Node of this machine: what it says of itself, and how it is kept in a real API server."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.kube.live import bare_server, client
from windlass.kube.client import Client
from windlass.kube.json import Object, dig
from windlass.kube.lease import LEASE
from windlass.kube.meta import Key
from windlass.node import machine
from windlass.node.machine import Capacity
from windlass.node.registration import NODE, Identity, Registration, annotations, labels, new_node, node_status

__all__ = ["bare_server", "client"]

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
GI = 2**30
CAPACITY = Capacity(cpu=4, memory=8 * GI, disk=100 * GI, pods=110, extended={"example.com/dongle": 2})


def identity(name: str = "here", **more: Any) -> Identity:
    return Identity(name, "10.244.0.1", 10250, CAPACITY, "sandbox", **more)


def test_a_new_node_says_what_it_is() -> None:
    taint = {"key": "gpu", "effect": "NoSchedule"}

    node = new_node(identity(pod_cidr="10.244.0.0/16", taints=(taint,), labels={"disk": "ssd"}))

    assert node["metadata"]["name"] == "here"
    assert node["spec"] == {"podCIDR": "10.244.0.0/16", "podCIDRs": ["10.244.0.0/16"], "taints": [taint]}
    assert new_node(identity())["spec"] == {}


def test_labels_are_the_well_known_ones_and_what_the_settings_add() -> None:
    found = labels(identity(labels={"disk": "ssd", "kubernetes.io/hostname": "mine"}))

    machine_kind = machine.node_info("")["architecture"]
    assert found == {
        "kubernetes.io/hostname": "mine",
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": machine_kind,
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": machine_kind,
        "disk": "ssd",
    }


def test_annotations_tell_what_is_missing_on_this_machine() -> None:
    assert annotations(identity()) == {"windlass.dev/runtime": "sandbox"}
    assert annotations(identity(limits="cgroup v2", problems=("no nft", "no uv"))) == {
        "windlass.dev/runtime": "sandbox",
        "windlass.dev/limits": "cgroup v2",
        "windlass.dev/problems": "no nft; no uv",
    }


def conditions(status: Object) -> dict[str, tuple[str, str, str]]:
    return {each["type"]: (each["status"], each["reason"], each["message"]) for each in status["conditions"]}


@pytest.mark.parametrize(
    ("memory", "disk", "memory_is_short", "disk_is_short"),
    [
        (GI, 0.5, False, False),
        (100 * 2**20, 0.10, False, False),
        (100 * 2**20 - 1, 0.5, True, False),
        (GI, 0.0999, False, True),
        (0, 0.0, True, True),
    ],
)
def test_conditions_are_worded_as_kubelet_words_them(
    memory: int, disk: float, memory_is_short: bool, disk_is_short: bool
) -> None:
    found = conditions(node_status(identity(), {}, memory, disk, NOW))

    assert found == {
        "MemoryPressure": ("True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available")
        if memory_is_short
        else ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        "DiskPressure": ("True", "KubeletHasDiskPressure", "kubelet has disk pressure")
        if disk_is_short
        else ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        "PIDPressure": ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        "Ready": ("True", "KubeletReady", "kubelet is posting ready status"),
    }


def test_a_condition_keeps_its_time_while_it_holds() -> None:
    first = node_status(identity(), {}, GI, 0.5, NOW)
    later = node_status(identity(), first, 0, 0.5, NOW.replace(hour=9))
    given_up = {"conditions": [{"type": "Ready", "status": "Unknown", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
    back = node_status(identity(), given_up, GI, 0.5, NOW)

    times = {each["type"]: (each["lastTransitionTime"], each["lastHeartbeatTime"]) for each in later["conditions"]}
    early, late = "2026-01-02T03:04:05Z", "2026-01-02T09:04:05Z"
    assert times["MemoryPressure"] == (late, late)
    assert times["Ready"] == times["DiskPressure"] == (early, late)
    assert {each["lastTransitionTime"] for each in back["conditions"]} == {early}


def test_a_status_tells_room_and_addresses() -> None:
    status = node_status(identity(), {}, GI, 0.5, NOW)

    assert status["capacity"]["example.com/dongle"] == "2"
    assert status["allocatable"]["cpu"] == "4"
    assert {each["type"]: each["address"] for each in status["addresses"]} == {
        "InternalIP": "10.244.0.1",
        "Hostname": "localhost",
    }
    assert status["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 10250}}
    assert status["nodeInfo"]["operatingSystem"] == "linux"


def test_a_gpu_that_is_gone_is_reported_and_what_others_offer_stays() -> None:
    before = {"capacity": {"nvidia.com/gpu": "1", "example.com/by-hand": "4"}}

    status = node_status(identity(), before, GI, 0.5, NOW)

    assert (status["capacity"]["nvidia.com/gpu"], status["allocatable"]["nvidia.com/gpu"]) == ("0", "0")
    assert "example.com/by-hand" not in status["capacity"]
    assert "amd.com/gpu" not in status["capacity"]


# Against a real server


async def test_a_node_registers_and_is_found_again_with_what_people_gave_it(client: Client, tmp_path: Path) -> None:
    first = identity("again", problems=("no nft",), labels={"disk": "ssd"})
    made = await Registration(client, first, tmp_path).register()
    assert conditions(made["status"])["Ready"][0] == "True"
    taints = [{"key": "mine", "effect": "NoSchedule"}]
    mine: Object = {"metadata": {"labels": {"by": "hand"}}, "spec": {"taints": taints}}
    await client.patch(NODE, Key("", "again"), mine)
    await client.patch(
        NODE, Key("", "again"), {"status": {"capacity": {"example.com/by-hand": "4"}}}, subresource="status"
    )

    after = await Registration(client, identity("again", limits="cgroup v2"), tmp_path).register()

    assert after["metadata"]["uid"] == made["metadata"]["uid"]
    assert {"by": "hand", "disk": "ssd"}.items() <= after["metadata"]["labels"].items()
    assert after["spec"]["taints"] == taints
    assert after["status"]["capacity"]["example.com/by-hand"] == "4"
    values = {
        name: value for name, value in after["metadata"]["annotations"].items() if name.startswith("windlass.dev/")
    }
    assert values == {"windlass.dev/runtime": "sandbox", "windlass.dev/limits": "cgroup v2"}


async def test_a_node_that_was_given_up_or_deleted_comes_back(client: Client, tmp_path: Path) -> None:
    registration = Registration(client, identity("back"), tmp_path)
    made = await registration.register()
    assert await registration.check(overdue=False) is False
    assert await registration.check(overdue=True) is True

    lost = [{**each, "status": "Unknown"} for each in made["status"]["conditions"]]
    await client.set_status(NODE, Key("", "back"), {"conditions": lost})
    assert await registration.check(overdue=False) is True
    assert conditions((await client.get(NODE, "back"))["status"])["Ready"][:2] == ("True", "KubeletReady")

    await client.delete(NODE, Key("", "back"))
    assert await registration.check(overdue=False) is True
    anew = await client.get(NODE, "back")
    assert anew["metadata"]["uid"] != made["metadata"]["uid"]


async def test_the_lease_is_made_once_and_renewed(client: Client, tmp_path: Path) -> None:
    registration = Registration(client, identity("leased"), tmp_path)
    node = await registration.register()

    await registration.renew()
    first = await client.get(LEASE, "leased", "kube-node-lease")
    await registration.renew()
    second = await client.get(LEASE, "leased", "kube-node-lease")

    assert dig(first, "metadata", "ownerReferences")[0]["uid"] == node["metadata"]["uid"]
    assert (dig(first, "spec", "holderIdentity"), dig(first, "spec", "leaseDurationSeconds")) == ("leased", 40)
    assert first["metadata"]["uid"] == second["metadata"]["uid"]
    assert dig(first, "spec", "renewTime") < dig(second, "spec", "renewTime")
