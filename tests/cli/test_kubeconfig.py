"""Windlass' context in a kubeconfig that has others: they stay, and so does a file that cannot be understood."""

import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from windlass.cli.failure import Failure
from windlass.cli.kubeconfig import merge, merge_into, named, user_kubeconfig

OWN: dict[str, Any] = {
    "clusters": [
        {"name": "windlass", "cluster": {"server": "https://127.0.0.1:6443", "certificate-authority": "pki/ca.crt"}}
    ],
    "users": [{"name": "kubernetes-admin", "user": {"token": "t0"}}],
    "contexts": [{"name": "windlass", "context": {"cluster": "windlass", "user": "kubernetes-admin"}}],
    "current-context": "windlass",
}
ENTRIES = named(OWN, Path("/data"))
WORK: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Config",
    "preferences": {"colors": True},
    "clusters": [{"name": "work", "cluster": {"server": "https://work"}}],
    "users": [{"name": "ann", "user": {"exec": {"command": "login"}}}],
    "contexts": [{"name": "work", "context": {"cluster": "work", "user": "ann", "namespace": "ml"}}],
    "current-context": "work",
}


def test_windlass_is_added_and_everything_else_stays() -> None:
    merged = merge(WORK, ENTRIES, use=False)

    assert merged["clusters"] == [*WORK["clusters"], {"name": "windlass", "cluster": ENTRIES["cluster"]}]
    assert merged["users"] == [*WORK["users"], {"name": "windlass", "user": {"token": "t0"}}]
    assert merged["contexts"][1] == {"name": "windlass", "context": {"cluster": "windlass", "user": "windlass"}}
    assert (merged["preferences"], merged["current-context"]) == ({"colors": True}, "work")


def test_the_current_context_moves_only_when_asked_or_when_there_is_none() -> None:
    assert merge(WORK, ENTRIES, use=True)["current-context"] == "windlass"
    assert merge({}, ENTRIES, use=False)["current-context"] == "windlass"


def test_merging_again_replaces_what_was_merged_before() -> None:
    once = merge(WORK, ENTRIES, use=False)
    changed = {**ENTRIES, "user": {"token": "t1"}}
    twice = merge(once, changed, use=False)

    assert [entry["name"] for entry in twice["users"]] == ["ann", "windlass"]
    assert twice["users"][1]["user"] == {"token": "t1"}


def test_paths_in_it_hold_from_another_folder() -> None:
    assert ENTRIES["cluster"]["certificate-authority"] == "/data/pki/ca.crt"


def test_the_written_file_is_for_its_owner_and_leaves_no_lock(tmp_path: Path) -> None:
    target = tmp_path / "new" / "config"

    assert merge_into(target, ENTRIES, use=False) == "windlass"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [path.name for path in target.parent.iterdir()] == ["config"]
    assert yaml.safe_load(target.read_text())["kind"] == "Config"


def test_a_link_to_a_kubeconfig_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text(yaml.safe_dump(WORK))
    link.symlink_to(real)
    merge_into(link, ENTRIES, use=False)

    assert link.is_symlink()
    assert len(yaml.safe_load(real.read_text())["contexts"]) == 2


@pytest.mark.parametrize("content", ["{unclosed", "- a\n- list", "kind: Deployment", "clusters: 5", "\x00"])
def test_a_file_that_is_no_kubeconfig_is_left_as_it_is(content: str, tmp_path: Path) -> None:
    target = tmp_path / "config"
    target.write_text(content)

    with pytest.raises(Failure, match="was not changed"):
        merge_into(target, ENTRIES, use=False)
    assert target.read_text() == content


def test_a_kubeconfig_that_another_program_writes_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "config.lock").touch()

    with pytest.raises(Failure, match=r"another program is writing it. If none is, delete .*config\.lock"):
        merge_into(tmp_path / "config", ENTRIES, use=False)
    assert (tmp_path / "config.lock").exists()


@pytest.mark.parametrize(
    ("variable", "target"),
    [
        ("", "/home/ann/.kube/config"),
        ("/a:/b", "/a"),
        (":/b", "/b"),
        ("/data/kubeconfig", "/home/ann/.kube/config"),
        ("/data/kubeconfig:/b", "/b"),
    ],
)
def test_the_target_is_kubectls_own_but_never_windlass_file(
    variable: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("KUBECONFIG", variable)

    assert user_kubeconfig(Path("/data/kubeconfig")) == Path(target)
