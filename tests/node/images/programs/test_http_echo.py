"""http_echo: the flags of hashicorp/http-echo, and the same text for every request."""

import http.client
import threading
from collections.abc import Iterator

import pytest

from windlass.node.images.programs import http_echo


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["-text=apple"], ("apple", "", 5678, 200)),
        (["--text", "a b", "-listen=:80"], ("a b", "", 80, 200)),
        (["-listen", "127.0.0.1:8080", "-status-code=404", "-text=x"], ("x", "127.0.0.1", 8080, 404)),
        (["-listen=[::1]:8080", "-text=x"], ("x", "::1", 8080, 200)),
    ],
)
def test_flags_are_those_of_the_original(words: list[str], asked: tuple[str, str, int, int]) -> None:
    assert http_echo.read(words, {}) == asked


def test_the_text_can_come_from_the_environment() -> None:
    assert http_echo.read([], {"ECHO_TEXT": "pear"})[0] == "pear"


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ([], "Missing -text option!"),
        (["apple"], "Too many arguments!"),
        (["-text"], "needs an argument: -text"),
        (["-text=x", "-port=80"], "not defined: -port"),
        (["-text=x", "-listen=80"], "-listen"),
        (["-text=x", "-listen=:http"], "-listen"),
        (["-text=x", "-listen=:70000"], "-listen"),
        (["-text=x", "-status-code=many"], "-status-code"),
    ],
)
def test_invalid_flags_are_named(words: list[str], part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert http_echo.main(words) == 127
    assert part in capsys.readouterr().err


@pytest.fixture
def echo() -> Iterator[http.client.HTTPConnection]:
    server = http_echo.Server("127.0.0.1", 0, "apple", 201)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
    try:
        yield connection
    finally:
        connection.close()
        server.shutdown()
        thread.join()
        server.server_close()


def test_every_request_is_answered_with_the_text(echo: http.client.HTTPConnection) -> None:
    for method, path, body in (("GET", "/", None), ("POST", "/any/path?x=1", b"data"), ("DELETE", "/x", None)):
        echo.request(method, path, body)
        answer = echo.getresponse()
        assert (answer.status, answer.read()) == (201, b"apple\n")
    echo.request("HEAD", "/")
    assert (answer := echo.getresponse()).status == 201
    assert answer.read() == b""


def test_health_is_well_whatever_the_status_code(echo: http.client.HTTPConnection) -> None:
    echo.request("GET", "/health")
    answer = echo.getresponse()
    assert (answer.status, answer.read()) == (200, b'{"status":"ok"}\n')
