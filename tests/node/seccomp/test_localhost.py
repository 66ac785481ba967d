"""Profiles in the OCI's JSON are read as container runtimes read them, and refused by name where they are not."""

import json
from pathlib import Path

import pytest

from windlass.node.seccomp.localhost import BadProfile, load, parse
from windlass.node.seccomp.profile import Allow, Argument, Errno, Kill, Profile, Rule


def test_a_profile_is_read() -> None:
    text = {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": 38,
        "architectures": ["SCMP_ARCH_X86_64"],
        "syscalls": [
            {"names": ["read", "write"], "action": "SCMP_ACT_ALLOW"},
            {
                "names": ["clone"],
                "action": "SCMP_ACT_KILL",
                "args": [{"index": 0, "value": 2, "valueTwo": 1, "op": "SCMP_CMP_MASKED_EQ"}],
            },
        ],
    }

    assert parse(json.dumps(text).encode()) == Profile(
        (
            Rule(frozenset({"read", "write"}), Allow()),
            Rule(frozenset({"clone"}), Kill(), (Argument(0, "masked_eq", 2, 1),)),
        ),
        default=Errno(38),
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("absent.json", None, "No such file"),
        ("../out.json", None, "must be a relative path"),
        ("/etc/passwd", None, "must be a relative path"),
        ("", None, "must be a relative path"),
        ("a.json", "{", "cannot load seccomp profile"),
        ("a.json", '{"defaultAction": "SCMP_ACT_TRACE"}', "SCMP_ACT_TRACE is not supported"),
    ],
)
def test_what_cannot_be_applied_is_named(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)

    with pytest.raises(BadProfile, match=message):
        load(tmp_path, name)
