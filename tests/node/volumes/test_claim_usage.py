import asyncio
from pathlib import Path
from typing import Any

import pytest

from windlass.kube.json import Object
from windlass.node.volumes import claim_usage
from windlass.node.volumes.claim_usage import ClaimReading, Readings, metrics, newly_full, pod_volumes, read_claim


def a_volume(size: str = "1Mi", **csi: Any) -> Object:
    return {
        "metadata": {"name": "pvc-1"},
        "spec": {
            "capacity": {"storage": size},
            "claimRef": {"namespace": "n", "name": "c"},
            "csi": {"driver": "shared.windlass.dev", "volumeHandle": "pvc-1", **csi},
        },
    }


def a_reading(used: int) -> ClaimReading:
    return ClaimReading("n", "c", used, 100, 100 - used)


def test_a_bound_volume_with_a_folder_is_measured(tmp_path: Path) -> None:
    assert read_claim(a_volume(), tmp_path) is None
    (tmp_path / "volumes" / "pvc-1").mkdir(parents=True)
    (tmp_path / "volumes" / "pvc-1" / "file").write_bytes(b"x" * 500_000)

    reading = read_claim(a_volume(), tmp_path)

    assert reading is not None
    assert 500_000 <= reading.used <= 520_000
    assert reading.available == (1 << 20) - reading.used
    assert read_claim(a_volume(driver="example.com"), tmp_path) is None
    assert read_claim(a_volume(volumeHandle="../x"), tmp_path) is None


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ({}, {"v": a_reading(89)}, []),
        ({}, {"v": a_reading(90)}, ["v"]),
        ({"v": a_reading(50)}, {"v": a_reading(120)}, ["v"]),
        ({"v": a_reading(95)}, {"v": a_reading(99)}, []),
        ({}, {"v": ClaimReading("n", "c", 5, 0, 0)}, []),
    ],
)
def test_a_volume_is_reported_when_it_becomes_nearly_full(before: Readings, after: Readings, names: list[str]) -> None:
    assert newly_full(before, after) == names


async def test_a_full_volume_is_warned_of_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "volumes" / "pvc-1").mkdir(parents=True)
    (tmp_path / "volumes" / "pvc-1" / "file").write_bytes(b"x" * 5000)
    monkeypatch.setattr(claim_usage, "INTERVAL_SECONDS", 0.0)
    warnings, readings, passes = list[str](), Readings(), asyncio.Event()

    class Volumes(list[Object]):
        def __iter__(self) -> Any:
            if readings and len(warnings) == 1:
                passes.set()
            return super().__iter__()

    watching = claim_usage.watch_usage(
        Volumes([a_volume("5k")]), tmp_path, readings, lambda _, message: warnings.append(message)
    )
    task = asyncio.create_task(watching)
    await asyncio.wait_for(passes.wait(), 30)
    task.cancel()

    assert len(warnings) == 1
    assert "of 5000 bytes" in warnings[0]


def test_readings_are_reported_as_kubelet_does() -> None:
    pod: Object = {
        "metadata": {"namespace": "n", "name": "p"},
        "spec": {
            "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "c"}}, {"name": "e", "emptyDir": {}}]
        },
    }

    assert 'kubelet_volume_stats_used_bytes{namespace="n",persistentvolumeclaim="c"} 40' in metrics([a_reading(40)])
    (volume,) = pod_volumes(pod, [a_reading(40)])
    assert volume["pvcRef"] == {"name": "c", "namespace": "n"}
    assert (volume["name"], volume["usedBytes"], volume["capacityBytes"], volume["availableBytes"]) == (
        "d",
        40,
        100,
        60,
    )
