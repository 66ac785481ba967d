"""Which filter a container gets: its own profile's, its pod's, its namespace's default, or none."""

from pathlib import Path

import pytest

from windlass.kube.json import Object
from windlass.node.seccomp.bpf import compile_profile
from windlass.node.seccomp.runtime_default import runtime_default
from windlass.node.seccomp.selection import (
    NAMESPACE_DEFAULT,
    BadSeccompProfile,
    container_filter,
    requested_profile,
)

LABELLED: Object = {"metadata": {"labels": {NAMESPACE_DEFAULT: "RuntimeDefault"}}}


def profile(kind: str, name: str = "") -> Object:
    return {"securityContext": {"seccompProfile": {"type": kind, **({"localhostProfile": name} if name else {})}}}


@pytest.mark.parametrize(
    ("pod", "container", "namespace", "expected"),
    [
        ({}, {}, None, ("", "")),
        ({}, {}, LABELLED, ("RuntimeDefault", "")),
        (profile("Unconfined"), {}, LABELLED, ("Unconfined", "")),
        (profile("RuntimeDefault"), {}, None, ("RuntimeDefault", "")),
        (profile("RuntimeDefault"), profile("Unconfined"), None, ("Unconfined", "")),
        (profile("Unconfined"), profile("Localhost", "mine.json"), None, ("Localhost", "mine.json")),
        ({}, {}, {"metadata": {"labels": {NAMESPACE_DEFAULT: "Other"}}}, ("", "")),
    ],
)
def test_the_container_wins_over_the_pod_and_the_pod_over_the_namespace(
    pod: Object, container: Object, namespace: Object | None, expected: tuple[str, str]
) -> None:
    assert requested_profile({"spec": pod}, container, namespace) == expected


@pytest.mark.parametrize("dropped", ["ALL", "CAP_SYS_CHROOT", "sys_chroot"])
def test_a_dropped_capability_takes_its_calls_away(tmp_path: Path, dropped: str) -> None:
    container: Object = {"securityContext": {"capabilities": {"drop": [dropped]}}}

    with_it = container_filter("RuntimeDefault", "", {}, tmp_path, "x86_64")
    without = container_filter("RuntimeDefault", "", container, tmp_path, "x86_64")

    assert with_it == compile_profile(runtime_default({"SYS_CHROOT"}), "x86_64")
    assert without == compile_profile(runtime_default(()), "x86_64")


def test_unconfined_and_absent_have_no_filter(tmp_path: Path) -> None:
    assert container_filter("Unconfined", "", {}, tmp_path, "x86_64") == b""
    assert container_filter("", "", {}, tmp_path, "x86_64") == b""


def test_a_missing_localhost_profile_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSeccompProfile, match=r"mine\.json"):
        container_filter("Localhost", "mine.json", {}, tmp_path, "x86_64")
