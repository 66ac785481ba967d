"""Seccomp profiles of the type `Localhost`: JSON files in the OCI's format, in DATA/node/seccomp."""

from pathlib import Path

import msgspec

from windlass.kube.json import parse_as
from windlass.node.seccomp.profile import EPERM, Action, Allow, Argument, Errno, Kill, Log, Operator, Profile, Rule

_OPERATORS: dict[str, Operator] = {
    "SCMP_CMP_EQ": "eq",
    "SCMP_CMP_NE": "ne",
    "SCMP_CMP_LT": "lt",
    "SCMP_CMP_LE": "le",
    "SCMP_CMP_GT": "gt",
    "SCMP_CMP_GE": "ge",
    "SCMP_CMP_MASKED_EQ": "masked_eq",
}


class BadProfile(Exception):
    """The file is not a profile that can be applied; the message names it."""


class _Arg(msgspec.Struct):
    index: int
    op: str
    value: int = 0
    valueTwo: int = 0


class _Syscall(msgspec.Struct):
    names: list[str]
    action: str
    args: list[_Arg] = []
    errnoRet: int | None = None


class _File(msgspec.Struct):
    defaultAction: str
    defaultErrnoRet: int | None = None
    syscalls: list[_Syscall] = []


def load(folder: Path, name: str) -> Profile:
    """Read a profile by its name relative to `folder`. Raises BadProfile."""
    if not name or name.startswith("/") or ".." in name.split("/"):
        raise BadProfile(f'localhostProfile "{name}" must be a relative path inside the seccomp folder of the node')
    try:
        return parse((folder / name).read_bytes())
    except OSError as error:
        raise BadProfile(f'cannot load seccomp profile "{folder / name}": {error.strerror}') from error
    except ValueError as error:
        raise BadProfile(f'cannot load seccomp profile "{folder / name}": {error}') from error


def parse(text: bytes) -> Profile:
    """Parse the JSON of a profile. Raises ValueError."""
    file = parse_as(text, _File)
    rules = [
        Rule(frozenset(each.names), _action(each.action, each.errnoRet), tuple(map(_argument, each.args)))
        for each in file.syscalls
    ]
    return Profile(tuple(rules), default=_action(file.defaultAction, file.defaultErrnoRet))


def _action(name: str, errno: int | None) -> Action:
    match name:
        case "SCMP_ACT_ALLOW":
            return Allow()
        case "SCMP_ACT_LOG":
            return Log()
        case "SCMP_ACT_ERRNO":
            return Errno(EPERM if errno is None else errno)
        case "SCMP_ACT_KILL" | "SCMP_ACT_KILL_THREAD" | "SCMP_ACT_KILL_PROCESS":
            return Kill()
        case _:
            raise ValueError(f"the action {name} is not supported")


def _argument(given: _Arg) -> Argument:
    if given.op not in _OPERATORS:
        raise ValueError(f"the operator {given.op} is not supported")
    if not 0 <= given.index <= 5:
        raise ValueError(f"a system call has no argument {given.index}")
    return Argument(given.index, _OPERATORS[given.op], given.value, given.valueTwo)
