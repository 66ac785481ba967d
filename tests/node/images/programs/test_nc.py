"""nc tells whether something listens, and refuses what it does not do."""

import socket

import pytest

from windlass.node.images.programs import nc


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("-z demo-master-0 23456", ("demo-master-0", 23456, 5.0)),
        ("-z -w 1 demo-master-0 23456", ("demo-master-0", 23456, 1.0)),
        ("-w 0 -z ::1 80", ("::1", 80, 0.1)),
        ("demo-master-0 23456", None),
        ("-z demo-master-0", None),
        ("-z demo-master-0 http", None),
        ("-z demo-master-0 65536", None),
        ("-z -w soon demo-master-0 80", None),
        ("-l -p 80", None),
        ("", None),
    ],
)
def test_only_looking_is_understood(words: str, asked: tuple[str, int, float] | None) -> None:
    assert nc.read(words.split()) == asked


def test_a_port_is_there_while_somebody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert nc.main(["-z", "127.0.0.1", port]) == 0

    assert nc.main(["-z", "-w", "1", "127.0.0.1", port]) == 1


def test_nothing_listens_at_a_name_that_nobody_has() -> None:
    assert nc.main(["-z", "no.such.host.invalid", "80"]) == 1


def test_another_use_is_refused_by_its_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert nc.main(["-l", "-p", "80"]) == 1
    assert capsys.readouterr().err == nc.USAGE
