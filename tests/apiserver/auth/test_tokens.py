"""Kubernetes' token file, and the credentials that the server makes for its own."""

import stat
from pathlib import Path

import pytest
import yaml

from windlass.apiserver.auth.credentials import ADMIN, SCHEDULER, Credentials, kubeconfig, node_user, write_kubeconfig
from windlass.apiserver.auth.tokens import BadTokenFile, read_token_file
from windlass.apiserver.auth.user import User


def test_a_token_file_gives_users_with_uids_and_groups(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text('abc,jane,42,"devs,ops"\n\ndef,bob,43\nghi,eve,44,solo\n')

    assert read_token_file(file) == [
        ("abc", User("jane", "42", ("devs", "ops", "system:authenticated"))),
        ("def", User("bob", "43", ("system:authenticated",))),
        ("ghi", User("eve", "44", ("solo", "system:authenticated"))),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("abc,jane,1\ndef,bob\n", "line 2: must have at least 3 columns (token, user name, user uid), found 2"),
        (",jane,1\n", "line 1: the token is empty"),
        ("abc,,1\n", "line 1: the user name is empty"),
        ("abc,jane,1\nabc,bob,2\n", "line 2: the same token is on line 1"),
        ('abc,jane,1\nabc,"bob,2\n', "line 2: "),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text(text)

    with pytest.raises(BadTokenFile) as refused:
        read_token_file(file)

    assert complaint in str(refused.value)
    assert str(file) in str(refused.value)


def test_a_missing_token_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadTokenFile, match=r"none\.csv"):
        read_token_file(tmp_path / "none.csv")


def test_tokens_outlive_a_restart_and_only_their_owner_can_read_them(tmp_path: Path) -> None:
    first = Credentials.load_or_create(tmp_path / "credentials")
    token = first.issue(node_user("laptop"))

    second = Credentials.load_or_create(tmp_path / "credentials")

    assert second.issue(node_user("laptop")) == token
    assert dict(second.tokens())[token] == User(
        "system:node:laptop", "system:node:laptop", ("system:nodes", "system:authenticated")
    )
    assert {user for _, user in second.tokens()} == {ADMIN, node_user("laptop")}
    assert stat.S_IMODE((tmp_path / "credentials").stat().st_mode) == 0o700
    assert {stat.S_IMODE(f.stat().st_mode) for f in (tmp_path / "credentials").iterdir()} == {0o600}


def test_a_kubeconfig_is_yaml_that_only_its_owner_can_read(tmp_path: Path) -> None:
    credentials = Credentials.load_or_create(tmp_path)

    path = credentials.write_kubeconfig("scheduler", SCHEDULER, "https://127.0.0.1:6443", b"PEM")

    written = yaml.safe_load(path.read_text())
    assert path == tmp_path / "scheduler.kubeconfig"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert written["users"] == [
        {"name": "system:kube-scheduler", "user": {"token": credentials.issue(SCHEDULER)}},
    ]
    assert written["clusters"][0]["cluster"] == {
        "server": "https://127.0.0.1:6443",
        "certificate-authority-data": "UEVN",
    }
    assert written["contexts"][0]["context"] == {"cluster": "windlass", "user": "system:kube-scheduler"}


def test_a_kubeconfig_that_others_could_read_is_closed_again(tmp_path: Path) -> None:
    config = kubeconfig("https://a", b"PEM", certificate=(b"cert", b"key"), namespace="ml")
    write_kubeconfig(tmp_path / "config", config)
    (tmp_path / "config").chmod(0o644)

    write_kubeconfig(tmp_path / "config", config)

    assert stat.S_IMODE((tmp_path / "config").stat().st_mode) == 0o600
    assert yaml.safe_load((tmp_path / "config").read_text()) == config
