"""Compiles a seccomp profile to a classic BPF program (linux/filter.h, linux/seccomp.h). Pure."""

import itertools
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from windlass.node.seccomp.profile import ENOSYS, Action, Allow, Argument, Errno, Kill, Log, Profile, Rule
from windlass.node.seccomp.syscall_numbers import AARCH64, X86_64

_LOAD, _JUMP, _JUMP_EQ, _JUMP_GT, _JUMP_GE, _AND, _RETURN = 0x20, 0x05, 0x15, 0x25, 0x35, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_KILL_PROCESS, _ERRNO, _LOG, _ALLOW = 0x80000000, 0x00050000, 0x7FFC0000, 0x7FFF0000
_X32_BIT = 0x40000000
_MAX_INSTRUCTIONS = 4096
_WORD = 0xFFFFFFFF


class Architecture(NamedTuple):
    """A machine's system calls, and its number in struct seccomp_data."""

    audit: int
    numbers: Mapping[str, int]


ARCHITECTURES = {"x86_64": Architecture(0xC000003E, X86_64), "aarch64": Architecture(0xC00000B7, AARCH64)}


class NotCompilable(Exception):
    """The profile cannot be a filter on this machine; the message says why."""


class Instruction(NamedTuple):
    """An instruction; `yes` and `no` are labels to jump to, None is the next instruction."""

    code: int
    value: int
    yes: str | None = None
    no: str | None = None


Code = list[Instruction | str]
"""Instructions and labels, in order. Jumps go forward only, as the kernel demands."""


def compile_profile(profile: Profile, machine: str) -> bytes:
    """Return the program, an array of struct sock_filter. Raises NotCompilable."""
    if machine not in ARCHITECTURES:
        raise NotCompilable(f"seccomp profiles are not supported on {machine}")
    architecture = ARCHITECTURES[machine]
    # Numbers mean other calls on another architecture, so a program that switches (int 0x80) must not get further.
    code: Code = [
        Instruction(_LOAD, _ARCHITECTURE),
        Instruction(_JUMP_EQ, architecture.audit, "known", None),
        Instruction(_RETURN, _KILL_PROCESS),
        "known",
        Instruction(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":  # x32 calls have the same architecture, and a bit in their number
        code += [
            Instruction(_JUMP_GE, _X32_BIT, None, "native"),
            Instruction(_RETURN, _encoded(Errno(ENOSYS))),
            "native",
        ]
    labels = (f"right{index}" for index in itertools.count())
    code += _dispatch(_ranges(profile, architecture.numbers), labels)
    return _assemble(code)


def _encoded(action: Action) -> int:
    match action:
        case Allow():
            return _ALLOW
        case Log():
            return _LOG
        case Kill():
            return _KILL_PROCESS
        case Errno(number=number):
            return _ERRNO | number


# From rules to ranges of numbers that are handled alike


class _Range(NamedTuple):
    """Calls from number `first` to the next range's have the same code."""

    first: int
    code: tuple[Instruction | str, ...]


def _ranges(profile: Profile, numbers: Mapping[str, int]) -> list[_Range]:
    rules: dict[int, list[Rule]] = {}
    for rule in profile.rules:
        for name in rule.names & numbers.keys():
            rules.setdefault(numbers[name], []).append(rule)
    newest = max(numbers.values())
    ranges: list[_Range] = []
    for number in range(newest + 1):
        code = tuple(_rules_code(number, rules.get(number, ()), profile.default))
        if not ranges or ranges[-1].code != code:
            ranges.append(_Range(number, code))
    ranges.append(_Range(newest + 1, (Instruction(_RETURN, _encoded(Errno(ENOSYS))),)))
    return ranges


def _rules_code(number: int, rules: Sequence[Rule], default: Action) -> Code:
    """Return the code for one call: its rules in order, until one without conditions."""
    code: Code = []
    for index, rule in enumerate(rules):
        if not rule.arguments:
            return [*code, Instruction(_RETURN, _encoded(rule.action))]
        other = f"call{number}rule{index + 1}"
        for place, argument in enumerate(rule.arguments):
            holds = f"call{number}rule{index}argument{place + 1}"
            code += [*_condition(argument, holds, other), holds]
        code += [Instruction(_RETURN, _encoded(rule.action)), other]
    return [*code, Instruction(_RETURN, _encoded(default))]


def _condition(argument: Argument, yes: str, no: str) -> Code:
    """Compare a 64-bit argument, of which BPF loads the high and the low word apart."""
    low = _ARGUMENTS + 8 * argument.index
    high = low + 4  # both supported architectures are little-endian
    value = argument.masked if argument.operator == "masked_eq" else argument.value
    upper, lower = value >> 32 & _WORD, value & _WORD
    load_high, load_low = Instruction(_LOAD, high), Instruction(_LOAD, low)
    match argument.operator:
        case "masked_eq":
            masks = Instruction(_AND, argument.value >> 32 & _WORD), Instruction(_AND, argument.value & _WORD)
            tests = Instruction(_JUMP_EQ, upper, None, no), Instruction(_JUMP_EQ, lower, yes, no)
            return [load_high, masks[0], tests[0], load_low, masks[1], tests[1]]
        case "eq":
            return [load_high, Instruction(_JUMP_EQ, upper, None, no), load_low, Instruction(_JUMP_EQ, lower, yes, no)]
        case "ne":
            return [load_high, Instruction(_JUMP_EQ, upper, None, yes), load_low, Instruction(_JUMP_EQ, lower, no, yes)]
        case "gt" | "ge":
            last = Instruction(_JUMP_GT if argument.operator == "gt" else _JUMP_GE, lower, yes, no)
            return [*_compare_high(load_high, upper, yes, no), load_low, last]
        case "lt" | "le":
            last = Instruction(_JUMP_GE if argument.operator == "lt" else _JUMP_GT, lower, no, yes)
            return [*_compare_high(load_high, upper, no, yes), load_low, last]


def _compare_high(load: Instruction, upper: int, greater: str, less: str) -> Code:
    return [load, Instruction(_JUMP_GT, upper, greater, None), Instruction(_JUMP_EQ, upper, None, less)]


def _dispatch(ranges: Sequence[_Range], labels: Iterable[str]) -> Code:
    """Find the range of the loaded number by binary search.

    A conditional jump reaches 255 instructions at most, so the far side is reached by an unconditional one:

        jge middle, next, left;  ja right;  left: …;  right: …
    """
    if len(ranges) == 1:
        return list(ranges[0].code)
    middle, right = len(ranges) // 2, next(iter(labels))
    left = f"not-{right}"
    return [
        Instruction(_JUMP_GE, ranges[middle].first, None, left),
        Instruction(_JUMP, 0, right),
        left,
        *_dispatch(ranges[:middle], labels),
        right,
        *_dispatch(ranges[middle:], labels),
    ]


# From code to bytes


def _assemble(code: Code) -> bytes:
    places: dict[str, int] = {}
    instructions: list[Instruction] = []
    for each in code:
        if isinstance(each, str):
            places[each] = len(instructions)
        else:
            instructions.append(each)
    if len(instructions) > _MAX_INSTRUCTIONS:
        raise NotCompilable(f"the seccomp profile is too long: {len(instructions)} instructions")
    program = b""
    for here, each in enumerate(instructions):
        yes, no = (0 if label is None else places[label] - here - 1 for label in (each.yes, each.no))
        if each.code == _JUMP:
            program += struct.pack("=HBBI", each.code, 0, 0, yes)
        else:
            program += struct.pack("=HBBI", each.code, yes, no, each.value)
    return program
