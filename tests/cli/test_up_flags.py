"""Flags of `windlass up` that decide which processes it starts, and with what."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from windlass.cli.manager_settings import UpSettings
from windlass.cli.up import components, up
from windlass.supervisor.datadir import DataDir, Lock


def argv_of(tmp_path: Path, settings: UpSettings) -> dict[str, tuple[str, ...]]:
    """The command of each process by its name."""
    return {one.name: tuple(one.argv) for one in components(settings, DataDir(tmp_path))}


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (UpSettings(), {"server", "manager", "node", "gateway"}),
        (UpSettings(no_gateway=True), {"server", "manager", "node"}),
        (UpSettings(no_node=True), {"server", "manager", "gateway"}),
        (UpSettings(no_manager=True), {"server", "node", "gateway"}),
    ],
    ids=["all", "no gateway", "no node", "no manager"],
)
def test_what_is_switched_off_is_not_started(tmp_path: Path, settings: UpSettings, names: set[str]) -> None:
    assert argv_of(tmp_path, settings).keys() == names


def test_the_way_to_the_clouds_metadata_is_opened_at_the_node_alone(tmp_path: Path) -> None:
    opened = argv_of(tmp_path, UpSettings(allow_metadata=True))
    closed = argv_of(tmp_path, UpSettings())

    assert [name for name, argv in opened.items() if "--allow-metadata" in argv] == ["node"]
    assert [name for name, argv in closed.items() if "--allow-metadata" in argv] == []


@pytest.mark.parametrize("flags", [[], ["--no-gateway"]], ids=["with", "without"])
def test_without_a_gateway_no_user_is_made_and_the_server_asks_nobody_about_tokens(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: list[str]
) -> None:
    seen: list[Any] = []

    def start(settings: UpSettings, data: DataDir, lock: Lock, gateway_url: str, password: str | None) -> None:
        lock.release()
        seen.append((bool(gateway_url), bool(password), bool(settings.authentication_token_webhook_config_file)))

    monkeypatch.setattr("windlass.cli.up.start", start)
    argv = [f"--data-dir={tmp_path}", "--port=0", "--gateway-port=0", *flags]
    done = CliRunner().invoke(up, argv, env={"WINDLASS_NO_GATEWAY": None}, catch_exceptions=False)

    has_gateway = not flags
    assert done.exit_code == 0, done.output
    assert seen == [(has_gateway, has_gateway, has_gateway)]
    assert (tmp_path / "gateway" / "gateway.db").exists() is has_gateway
