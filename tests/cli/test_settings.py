"""Flags, environment and defaults become one struct; the struct becomes flags again."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from windlass.cli.manager_settings import ControllerFlags, ManagerSettings, UpSettings
from windlass.cli.settings import (
    ServerFlags,
    Settings,
    as_flags,
    data_dir_at,
    default_data_dir,
    environment_for,
    flags_of,
    takes,
)
from windlass.supervisor.datadir import DataDir

STRUCTS = [Settings, ServerFlags, UpSettings, ManagerSettings]


def parsed(struct: type[Settings], *argv: str, env: dict[str, str] | None = None) -> Settings:
    seen: list[Settings] = []

    @click.command()
    @takes(struct)
    def command(settings: Settings) -> None:
        seen.append(settings)

    result = CliRunner().invoke(
        command, list(argv), env={"WINDLASS_NO_GATEWAY": None, **(env or {})}, catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return seen[0]


def test_a_flag_wins_over_the_environment_and_that_over_the_default() -> None:
    env = {"WINDLASS_PORT": "7000", "WINDLASS_LISTEN": "0.0.0.0"}
    settings = parsed(UpSettings, "--port", "7001", env=env)

    assert isinstance(settings, UpSettings)
    assert (settings.port, settings.listen, settings.detach) == (7001, "0.0.0.0", False)


def test_a_child_does_not_take_from_the_environment_what_is_off() -> None:
    env = {"WINDLASS_NO_GATEWAY": "true", "WINDLASS_NO_NODE": "true", "WINDLASS_PORT": "7000", "HOME": "/root"}

    assert environment_for(UpSettings(no_node=True), env) == {
        "WINDLASS_NO_NODE": "true",
        "WINDLASS_PORT": "7000",
        "HOME": "/root",
    }


def test_a_relative_path_means_where_the_command_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert parsed(Settings, "--data-dir", "here").data_dir == tmp_path / "here"


@pytest.mark.parametrize(
    ("state_home", "expected"),
    [
        ("/var/state", "/var/state/windlass"),
        ("", "/home/ann/.local/state/windlass"),
        ("rel", "/home/ann/.local/state/windlass"),
    ],
)
def test_the_default_data_dir_is_the_xdg_state_folder(
    state_home: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("XDG_STATE_HOME", state_home)

    assert default_data_dir() == Path(expected)


@pytest.mark.parametrize("struct", STRUCTS)
def test_every_field_is_a_flag_with_a_help_sentence(struct: type[Settings]) -> None:
    described = {one.name: flag.help for one, flag in flags_of(struct)}

    assert set(described) == {one.name for one in fields(struct)}
    assert all(len(help) > 10 for help in described.values())


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1)


@given(
    st.builds(
        UpSettings,
        data_dir=st.sampled_from([Path("/a"), Path("/with space/=x"), Path("/-dash")]),
        debug=st.booleans(),
        port=st.integers(0, 65535),
        listen=texts,
        token_auth_file=st.none() | st.just(Path(__file__)),
        oidc_username_prefix=st.none() | texts,
        oidc_groups_prefix=st.text("ab-=:", max_size=4),
        detach=st.booleans(),
        no_manager=st.booleans(),
    )
)
def test_flags_of_settings_give_the_same_settings_again(settings: UpSettings) -> None:
    assert parsed(UpSettings, *as_flags(settings, UpSettings)) == settings


def test_the_server_is_handed_what_up_was_told_whatever_its_environment_says() -> None:
    told = parsed(UpSettings, "--port", "7001", env={"WINDLASS_PORT": "7000"})
    server = parsed(ServerFlags, *as_flags(told, ServerFlags), env={"WINDLASS_PORT": "7000"})

    assert isinstance(server, ServerFlags)
    assert server.port == 7001


def test_an_option_that_may_be_repeated_is_handed_on_as_often() -> None:
    told = parsed(UpSettings, "--enable-scheme=TFJob", "--enable-scheme", "MPIJob,JAXJob")
    handed = parsed(ManagerSettings, *as_flags(told, ControllerFlags))

    assert isinstance(handed, ManagerSettings)
    assert handed.enable_scheme == ("TFJob", "MPIJob,JAXJob")
    assert parsed(ManagerSettings, env={"WINDLASS_ENABLE_SCHEME": "TFJob,MPIJob"}) == ManagerSettings(
        enable_scheme=("TFJob,MPIJob",)
    )


@pytest.mark.parametrize(
    ("argv", "value"),
    [([], None), (["--leader-elect"], "true"), (["--leader-elect=false"], "false"), (["--leader-elect=true"], "true")],
)
def test_a_truth_may_go_without_its_value(argv: list[str], value: str | None) -> None:
    settings = parsed(ManagerSettings, *argv, "--enable-gang-scheduling")

    flags: dict[str, Any] = {"enable_gang_scheduling": "true"}
    assert settings == ManagerSettings(leader_elect=value, **flags)


@pytest.mark.parametrize(("environment", "runtime"), [("/run/user/7", "/run/user/7"), ("", "/tmp")])
def test_the_data_directory_knows_the_runtime_folder_of_the_environment(
    environment: str, runtime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", environment)

    assert data_dir_at(Path("/data")) == DataDir(Path("/data"), runtime=Path(runtime))
