"""The administrator's form defaults: read again when they change, kept when they become unusable."""

import logging
from pathlib import Path

import pytest
import yaml

from windlass.apps.notebooks.web.spawner_config import (
    DEFAULTS,
    RELOAD_SECONDS,
    BadSpawnerConfig,
    SpawnerConfig,
    parsed,
)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spawner_ui_config.yaml"


@pytest.fixture
def config(path: Path, clock: Clock) -> SpawnerConfig:
    return SpawnerConfig(path, clock)


def a_file(cpu: str) -> str:
    return yaml.safe_dump({"spawnerFormDefaults": {"cpu": {"value": cpu, "limitFactor": "none"}}})


def test_a_file_replaces_the_defaults_key_by_key(path: Path, config: SpawnerConfig) -> None:
    path.write_text(a_file("2"))

    assert config.defaults() == {**DEFAULTS, "cpu": {"value": "2", "limitFactor": "none"}}


@pytest.mark.parametrize("is_named", [True, False])
def test_without_a_file_the_built_in_defaults_hold(path: Path, is_named: bool) -> None:
    assert SpawnerConfig(path if is_named else None).defaults() == DEFAULTS


def test_a_change_counts_after_a_minute_at_most(path: Path, config: SpawnerConfig, clock: Clock) -> None:
    path.write_text(a_file("1"))
    assert config.defaults()["cpu"]["value"] == "1"
    path.write_text(a_file("2"))
    clock.now += RELOAD_SECONDS - 1
    assert config.defaults()["cpu"]["value"] == "1", "the file is not read for every request"
    clock.now += 1

    assert config.defaults()["cpu"]["value"] == "2"
    assert RELOAD_SECONDS <= 60


def test_a_file_that_is_made_later_counts_and_one_that_is_deleted_does_not(
    path: Path, config: SpawnerConfig, clock: Clock
) -> None:
    assert config.defaults() == DEFAULTS
    path.write_text(a_file("2"))
    clock.now += RELOAD_SECONDS
    assert config.defaults()["cpu"]["value"] == "2"
    path.unlink()
    clock.now += RELOAD_SECONDS
    assert config.defaults() == DEFAULTS
    path.write_text(a_file("2"))
    clock.now += RELOAD_SECONDS

    assert config.defaults()["cpu"]["value"] == "2", "the same text as before the deletion"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"spawnerFormDefaults: [", "line 2"),
        (b"", "no mapping spawnerFormDefaults"),
        (b"spawnerFormDefaults: {cpu: '2'}", "spawnerFormDefaults.cpu"),
        (b"\xff\xfe\xff", "cannot be read"),
    ],
    ids=["no YAML", "empty", "wrong shape", "no UTF-8"],
)
def test_a_bad_file_keeps_what_was_read_before_and_is_logged(
    path: Path, config: SpawnerConfig, clock: Clock, caplog: pytest.LogCaptureFixture, content: bytes, said: str
) -> None:
    path.write_text(a_file("2"))
    before = config.defaults()
    path.write_bytes(content)
    clock.now += RELOAD_SECONDS
    with caplog.at_level(logging.WARNING):
        assert config.defaults() == before

    (record,) = caplog.records
    assert str(path) in record.getMessage()
    assert said in record.getMessage()
    assert "\n" not in record.getMessage()
    path.write_text(a_file("3"))
    clock.now += RELOAD_SECONDS
    assert config.defaults()["cpu"]["value"] == "3"


def test_a_bad_file_is_logged_once_and_not_each_minute(
    path: Path, config: SpawnerConfig, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_text("nonsense")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert config.defaults() == DEFAULTS
            clock.now += RELOAD_SECONDS

    assert len(caplog.records) == 1


def test_a_file_that_was_mended_by_undoing_the_change_counts(path: Path, config: SpawnerConfig, clock: Clock) -> None:
    for text in (a_file("2"), "nonsense", a_file("2")):
        path.write_text(text)
        clock.now += RELOAD_SECONDS
        assert config.defaults()["cpu"]["value"] == "2"


@pytest.mark.parametrize(
    ("field", "where"),
    [
        ({"image": "a"}, "spawnerFormDefaults.image"),
        ({"shm": True}, "spawnerFormDefaults.shm"),
        ({"workspaceVolume": {"readOnly": True}}, "spawnerFormDefaults.workspaceVolume"),
        ({"cpu": {"value": "1", "limitFactor": "much"}}, "spawnerFormDefaults.cpu.limitFactor"),
        ({"memory": {"value": "1Gi", "limitFactor": "inf"}}, "spawnerFormDefaults.memory.limitFactor"),
        ({"gpus": {"value": {"vendors": "nvidia.com/gpu"}}}, "spawnerFormDefaults.gpus"),
        ({"gpus": {"value": {"vendors": ["nvidia.com/gpu"]}}}, "spawnerFormDefaults.gpus"),
        ({"affinityConfig": {"value": "", "options": ["a"]}}, "spawnerFormDefaults.affinityConfig"),
        ({"tolerationGroup": {"value": "", "options": {"a": 1}}}, "spawnerFormDefaults.tolerationGroup"),
    ],
)
def test_a_field_of_the_wrong_shape_is_named(field: dict[str, object], where: str) -> None:
    with pytest.raises(BadSpawnerConfig) as caught:
        parsed(yaml.safe_dump({"spawnerFormDefaults": field}))

    assert str(caught.value).startswith(f"{where}: ")


@pytest.mark.parametrize(
    "field",
    [
        {"workspaceVolume": {"value": None}},
        {"cpu": {"value": "1", "limitFactor": 1.5}},
        {"gpus": {"value": {"num": "none"}}},
        {"affinityConfig": {"value": "", "options": None}},
        {"hideTag": True},
        {"ofAnotherRelease": ["a"]},
    ],
)
def test_what_upstream_takes_is_taken(field: dict[str, object]) -> None:
    assert parsed(yaml.safe_dump({"spawnerFormDefaults": field})) == {**DEFAULTS, **field}
