"""A compiled profile answers each call as the profile says, in an interpreter of classic BPF and in the kernel."""

import errno
import platform
import struct
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.node.seccomp.bpf import ARCHITECTURES, NotCompilable, compile_profile
from windlass.node.seccomp.profile import Allow, Argument, Errno, Kill, Log, Operator, Profile, Rule
from windlass.node.seccomp.runtime_default import ALLOWED, runtime_default

ALLOW, LOG, KILL, ERRNO = 0x7FFF0000, 0x7FFC0000, 0x80000000, 0x00050000
MACHINES = sorted(ARCHITECTURES)
WORDS = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 2**31, 2**32 - 1, 2**32, 2**63]))


def answer(program: bytes, number: int, *arguments: int, audit: int) -> int:
    """Run a program on a call, as the kernel does, and return its verdict."""
    data = struct.pack("=IIQ6Q", number, audit, 0, *[*arguments, *[0] * 6][:6])
    code = list(struct.iter_unpack("=HBBI", program))
    register, here = 0, 0
    while True:
        operation, yes, no, value = code[here]
        here += 1
        match operation:
            case 0x20:
                register = struct.unpack_from("=I", data, value)[0]
            case 0x54:
                register &= value
            case 0x05:
                here += value
            case 0x15 | 0x25 | 0x35:
                holds = {0x15: register == value, 0x25: register > value, 0x35: register >= value}[operation]
                here += yes if holds else no
            case 0x06:
                return value
            case _:
                raise AssertionError(f"the kernel does not know instruction {operation:#x} in a filter")


def ask(profile: Profile, call: str, *arguments: int, machine: str = "x86_64") -> int:
    architecture = ARCHITECTURES[machine]
    return answer(compile_profile(profile, machine), architecture.numbers[call], *arguments, audit=architecture.audit)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_known_call_is_allowed_or_refused_as_listed(machine: str) -> None:
    program, architecture = compile_profile(runtime_default(()), machine), ARCHITECTURES[machine]
    conditional = {"clone", "clone3", "personality", "socket"}

    for name in architecture.numbers.keys() - conditional:
        expected = ALLOW if name in ALLOWED else ERRNO | errno.EPERM
        assert answer(program, architecture.numbers[name], audit=architecture.audit) == expected, name


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "name",
    [
        *("mount", "unshare", "setns", "pivot_root", "bpf", "perf_event_open", "keyctl", "add_key", "init_module"),
        *("finit_module", "kexec_load", "reboot", "swapon", "io_uring_setup", "userfaultfd", "open_by_handle_at"),
    ],
)
def test_calls_that_containers_must_not_make_are_refused(machine: str, name: str) -> None:
    assert ask(runtime_default({"SYS_CHROOT"}), name, machine=machine) == ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_is_killed_and_unknown_calls_do_not_exist(machine: str) -> None:
    program, architecture = compile_profile(runtime_default(()), machine), ARCHITECTURES[machine]
    newest = max(architecture.numbers.values())

    assert answer(program, 0, audit=0x40000003) == KILL
    assert answer(program, newest + 1, audit=architecture.audit) == ERRNO | errno.ENOSYS
    assert answer(program, 0xFFFFFFFF, audit=architecture.audit) == ERRNO | errno.ENOSYS


def test_x32_calls_do_not_exist() -> None:
    program = compile_profile(Profile((), default=Allow()), "x86_64")

    assert answer(program, 0x40000000 | 59, audit=0xC000003E) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize(
    ("call", "argument", "verdict"),
    [
        ("clone", 0x01200011, ALLOW),
        ("clone", 0x3D0F00, ALLOW),
        ("clone", 0x10000011, ERRNO | errno.EPERM),
        ("clone", 0x00020011, ERRNO | errno.EPERM),
        ("clone", 0x40000000, ERRNO | errno.EPERM),
        ("clone3", 0, ERRNO | errno.ENOSYS),
        ("personality", 0, ALLOW),
        ("personality", 0xFFFFFFFF, ALLOW),
        ("personality", 0x40000, ERRNO | errno.EPERM),
        ("socket", 2, ALLOW),
        ("socket", 40, ERRNO | errno.EPERM),
        ("socket", (7 << 32) | 40, ERRNO | errno.EPERM),
        ("socket", 38, ERRNO | errno.EPERM),
    ],
)
@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide(machine: str, call: str, argument: int, verdict: int) -> None:
    assert ask(runtime_default(()), call, argument, machine=machine) == verdict


def test_a_capability_allows_its_calls() -> None:
    assert ask(runtime_default(()), "chroot") == ERRNO | errno.EPERM
    assert ask(runtime_default({"SYS_CHROOT"}), "chroot") == ALLOW


COMPARISONS: dict[Operator, Callable[[int, int], bool]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": lambda left, right: left < right,
    "le": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "ge": lambda left, right: left >= right,
}


@given(st.sampled_from(sorted(COMPARISONS)), WORDS, WORDS, st.booleans())
def test_64_bit_arguments_are_compared_whole(operator: Operator, left: int, right: int, same: bool) -> None:
    left = right if same else left
    profile = Profile((Rule(frozenset({"read"}), Log(), (Argument(1, operator, right),)),), default=Kill())

    assert ask(profile, "read", 0, left) == (LOG if COMPARISONS[operator](left, right) else KILL)


@given(WORDS, WORDS, WORDS)
def test_a_masked_comparison(mask: int, expected: int, value: int) -> None:
    profile = Profile((Rule(frozenset({"read"}), Log(), (Argument(5, "masked_eq", mask, expected),)),), default=Kill())

    assert ask(profile, "read", 0, 0, 0, 0, 0, value) == (LOG if value & mask == expected else KILL)


def test_all_conditions_of_a_rule_must_hold_and_the_first_rule_wins() -> None:
    both = Rule(frozenset({"read"}), Errno(5), (Argument(0, "eq", 1), Argument(1, "eq", 2)))
    profile = Profile((both, Rule(frozenset({"read"}), Log()), Rule(frozenset({"read"}), Kill())), default=Allow())

    assert ask(profile, "read", 1, 2) == ERRNO | 5
    assert ask(profile, "read", 1, 3) == LOG
    assert ask(profile, "write", 1, 3) == ALLOW


def test_a_machine_without_a_table_is_named() -> None:
    with pytest.raises(NotCompilable, match="not supported on riscv64"):
        compile_profile(runtime_default(()), "riscv64")


INSIDE = """
import ctypes, errno, os, socket, subprocess, sys, threading
from windlass.node.runtimes.sandbox import syscalls
syscalls.no_new_privileges()
syscalls.set_filter(bytes.fromhex(sys.argv[1]))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000) == -1 and ctypes.get_errno() == errno.EPERM, "unshare"
thread = threading.Thread(target=print, args=("a thread",))
thread.start()
thread.join()
assert subprocess.run(["true"]).returncode == 0
assert socket.socket().close() is None
try:
    socket.socket(40, socket.SOCK_STREAM)
except PermissionError:
    print("no vsock")
"""


@pytest.mark.skipif(platform.machine() not in ARCHITECTURES, reason="no table of system calls for this machine")
def test_the_kernel_takes_the_default_filter_and_programs_run_under_it() -> None:
    program = compile_profile(runtime_default(()), platform.machine())

    result = subprocess.run([sys.executable, "-c", INSIDE, program.hex()], capture_output=True, text=True, check=False)

    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split("\n") == ["a thread", "no vsock", ""]
