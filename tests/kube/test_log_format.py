"""A record is one line of the log, whatever text is in it; a traceback stays readable."""

import ast
import io
import logging
from pathlib import Path

import msgspec
import pytest

import windlass
from windlass.kube.log_format import LineFormatter, escaped, escaped_json


@pytest.fixture
def written() -> tuple[logging.Logger, io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter())
    log = logging.Logger("windlass.here")
    log.addHandler(handler)
    return log, stream


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\n2026-01-01 00:00:00,000 INFO    x: forged", "a\\r\\n2026-01-01 00:00:00,000 INFO    x: forged"),
        ("\x1b[2J\x07\x00\t", "\\x1b[2J\\x07\\x00\\t"),
        ("\x7f\x85\x9b2J", "\\x7f\\x85\\x9b2J"),
        ("\u2028\u202e\u2066\udcff", "\\u2028\\u202e\\u2066\\udcff"),
        ("C:\\new é 漢 🙂 'x'", "C:\\new é 漢 🙂 'x'"),
    ],
)
def test_what_users_write_stays_on_its_line(written: tuple[logging.Logger, io.StringIO], text: str, shown: str) -> None:
    log, stream = written
    log.warning("refused name=%s", text)

    assert stream.getvalue().endswith(f" WARNING windlass.here: refused name={shown}\n")
    assert stream.getvalue().count("\n") == 1
    assert escaped(text) == shown


def test_a_traceback_keeps_its_lines_and_forges_none(written: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = written
    try:
        raise ValueError("a\n2026-01-01 00:00:00,000 INFO    x: forged\x1b[2J")
    except ValueError:
        log.exception("request failed path=%s", "/a\nb")

    first, *rest = stream.getvalue().splitlines()
    assert first.endswith("request failed path=/a\\nb")
    assert rest[0] == "    Traceback (most recent call last):"
    assert rest[-2:] == ["    ValueError: a", "    2026-01-01 00:00:00,000 INFO    x: forged\\x1b[2J"]
    assert all(line.startswith("    ") for line in rest)


def test_a_line_of_json_has_no_controls_and_means_the_same() -> None:
    facts = {"user": "a\x7f\x1b[2J\x9b2J\u202e\u2066é漢\n"}
    line = escaped_json(msgspec.json.encode(facts))

    assert msgspec.json.decode(line) == facts
    assert line.decode() == '{"user":"a\\u007f\\u001b[2J\\u009b2J\\u202e\\u2066é漢\\n"}'


def test_a_line_of_json_escapes_every_character_that_a_line_of_a_log_does() -> None:
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    line = escaped_json(msgspec.json.encode(everything)).decode()

    assert escaped(line) == line
    assert msgspec.json.decode(line) == everything


def test_no_process_has_a_format_of_its_own() -> None:
    folder = Path(windlass.__file__).parent
    for path in folder.rglob("*.py"):
        if path.name == "log_format.py":
            continue
        called = {
            node.func.attr
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        assert called.isdisjoint({"basicConfig", "dictConfig", "fileConfig"}), path
