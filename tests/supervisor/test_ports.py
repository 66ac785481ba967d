"""A port that cannot be had: why, and what to type instead."""

import os
import re
import socket
from collections.abc import Iterator

import pytest

from windlass.supervisor import ports, process
from windlass.supervisor.errors import SupervisorError


@pytest.fixture
def busy() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_free_port_is_taken_as_given() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    assert ports.choose_port("127.0.0.1", port, command="windlass up") == port


def test_port_0_becomes_a_free_one() -> None:
    assert ports.choose_port("127.0.0.1", 0, command="windlass up") > 1023


def test_a_busy_port_names_its_owner_and_the_command_that_would_work(busy: int) -> None:
    with pytest.raises(SupervisorError) as failure:
        ports.choose_port("127.0.0.1", busy, command="windlass up")

    me = f"pid {os.getpid()} ({process.name(os.getpid())})"
    advice = re.fullmatch(
        rf"port {busy} is taken by (.*)\. Stop it, or: windlass up --port (\d+)", failure.value.message
    )
    assert advice is not None
    assert advice[1] == me
    assert ports.choose_port("127.0.0.1", int(advice[2]), command="windlass up") == int(advice[2])


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(SupervisorError, match=r"192\.0\.2\.1 is not an address of this machine"):
        ports.choose_port("192.0.2.1", 0, command="windlass up")


@pytest.mark.parametrize(
    ("listen", "url"),
    [
        ("127.0.0.1", "https://127.0.0.1:6443"),
        ("0.0.0.0", "https://127.0.0.1:6443"),
        ("::1", "https://[::1]:6443"),
        ("lab.example", "https://lab.example:6443"),
    ],
)
def test_the_url_is_one_that_works_on_this_machine(listen: str, url: str) -> None:
    assert ports.url(listen, 6443) == url


def test_a_pid_used_again_is_not_taken_for_the_one_noted() -> None:
    me = os.getpid()

    assert process.is_alive(me, process.birth(me))
    assert not process.is_alive(me, process.birth(me) + 1)
    assert not process.is_alive(0)


def test_memory_of_a_live_process_is_known_and_of_none_is_not() -> None:
    assert (process.memory(os.getpid()) or 0) > 1_000_000
    assert process.memory(2**22 + 1) is None
