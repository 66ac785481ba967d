"""Which device is whose."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.kube.json import Object
from windlass.node.devices import (
    Devices,
    InsufficientDevices,
    device_environment,
    device_files,
    exclusive_device_environment,
)

GPU = "nvidia.com/gpu"


def asking(count: int | str, name: str = "main", resource: str = GPU) -> Object:
    return {"name": name, "resources": {"limits": {resource: str(count), "cpu": "1"}}}


def test_each_device_has_one_holder_until_it_is_taken_back() -> None:
    devices = Devices({GPU: 3})

    assert devices.allocate("a", asking(2)) == {GPU: (0, 1)}
    assert devices.allocate("b", asking(1)) == {GPU: (2,)}
    with pytest.raises(InsufficientDevices, match=r"1 nvidia\.com/gpu requested, 0 of 3 free"):
        devices.allocate("c", asking(1))
    devices.release("a")
    assert devices.allocate("c", asking(1)) == {GPU: (0,)}
    assert devices.allocate("c", asking(1, "second")) == {GPU: (1,)}


def test_a_container_that_is_started_again_has_the_same_devices() -> None:
    devices = Devices({GPU: 2})
    first = devices.allocate("a", asking(1))
    devices.allocate("b", asking(1))

    assert devices.allocate("a", asking(1)) == first


def test_who_is_refused_holds_nothing() -> None:
    devices = Devices({GPU: 1, "amd.com/gpu": 2})
    both = {"name": "main", "resources": {"limits": {"amd.com/gpu": "2", GPU: "2"}}}

    with pytest.raises(InsufficientDevices):
        devices.allocate("a", both)

    assert devices.allocate("b", asking(2, resource="amd.com/gpu")) == {"amd.com/gpu": (0, 1)}


@pytest.mark.parametrize(
    "container",
    [{"name": "main"}, {"name": "main", "resources": {"limits": {"cpu": "1"}}}, asking(0), asking(1, resource="x.y/z")],
)
def test_who_asks_for_no_device_gets_none(container: Object) -> None:
    assert Devices({GPU: 1}).allocate("a", container) == {}


def test_an_init_container_leaves_its_devices_to_the_next_of_its_pod_and_to_no_other() -> None:
    devices = Devices({GPU: 2})

    assert devices.allocate("a", asking(1, "init"), reusable=True) == {GPU: (0,)}
    assert devices.allocate("a", asking(2, "init2"), reusable=True) == {GPU: (0, 1)}
    with pytest.raises(InsufficientDevices):
        devices.allocate("b", asking(1))
    assert devices.allocate("a", asking(1, "side")) == {GPU: (0,)}
    assert devices.allocate("a", asking(1)) == {GPU: (1,)}
    with pytest.raises(InsufficientDevices):
        devices.allocate("a", asking(1, "third"))


def test_a_pod_takes_what_its_init_container_had_before_it_takes_more() -> None:
    devices = Devices({GPU: 2})
    devices.allocate("a", asking(1, "init"), reusable=True)

    assert devices.allocate("a", asking(1)) == {GPU: (0,)}
    assert devices.allocate("b", asking(1)) == {GPU: (1,)}


def test_what_pods_hold_outlives_the_agent(tmp_path: Path) -> None:
    path = tmp_path / "devices.json"
    devices = Devices({GPU: 2}, path)
    devices.allocate("a", asking(1))
    devices.allocate("b", asking(1))

    again = Devices({GPU: 2}, path)
    assert again.allocate("b", asking(1)) == {GPU: (1,)}
    with pytest.raises(InsufficientDevices):
        again.allocate("c", asking(1))
    again.keep_only({"b"})
    assert Devices({GPU: 2}, path).allocate("c", asking(1)) == {GPU: (0,)}
    assert [each.name for each in tmp_path.iterdir()] == ["devices.json"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y"]), st.integers(0, 3)), max_size=20))
def test_no_device_is_ever_given_twice(asked: list[tuple[str, str, int]]) -> None:
    devices, held = Devices({GPU: 4}), dict[tuple[str, str], tuple[int, ...]]()
    for uid, name, count in asked:
        if count == 3:
            devices.release(uid)
            held = {key: value for key, value in held.items() if key[0] != uid}
            continue
        try:
            given_now = devices.allocate(uid, asking(count, name)).get(GPU, ())
        except InsufficientDevices:
            assert sum(map(len, held.values())) + count > 4
            continue
        if given_now:
            assert held.setdefault((uid, name), given_now) == given_now
        indices = [index for each in held.values() for index in each]
        assert len(indices) == len(set(indices))
        assert set(indices) <= set(range(4))


def test_only_gpus_have_to_be_hidden() -> None:
    assert Devices({GPU: 1}).exist
    assert Devices({"amd.com/gpu": 1}).exist
    assert not Devices({GPU: 0, "example.com/dongle": 2}).exist
    assert not Devices({}).exist


def test_a_container_sees_its_own_devices_and_no_others() -> None:
    assert exclusive_device_environment({}) == {"CUDA_VISIBLE_DEVICES": "", "ROCR_VISIBLE_DEVICES": ""}
    assert exclusive_device_environment({GPU: (1, 3)}) == {"CUDA_VISIBLE_DEVICES": "1,3", "ROCR_VISIBLE_DEVICES": ""}
    assert exclusive_device_environment({"amd.com/gpu": (0,)}) == {
        "CUDA_VISIBLE_DEVICES": "",
        "ROCR_VISIBLE_DEVICES": "0",
    }


def test_where_there_is_nothing_to_hide_only_own_devices_are_reported_of() -> None:
    assert device_environment({"example.com/dongle": (0,)}) == {}
    assert device_environment({GPU: (1, 3)}) == {"CUDA_VISIBLE_DEVICES": "1,3"}


def test_the_files_of_a_device_are_those_that_are_there() -> None:
    nvidia = [*(f"/dev/nvidia{index}" for index in range(3)), "/dev/nvidiactl", "/dev/nvidia-uvm"]
    amd = ["/dev/dri/card0", "/dev/dri/renderD128", "/dev/dri/renderD129", "/dev/kfd"]

    assert device_files({}, nvidia + amd) == ()
    assert device_files({GPU: (1,)}, nvidia + amd) == ("/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm")
    assert device_files({"amd.com/gpu": (1,)}, nvidia + amd) == ("/dev/dri/renderD129", "/dev/kfd")
    assert device_files({GPU: (7,)}, ["/dev/nvidia0"]) == ()
