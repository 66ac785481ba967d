"""JSON and YAML give the same objects; only YAML loads the library for it."""

import subprocess
import sys

import pytest

from windlass.formats.json_or_yaml import parse


@pytest.mark.parametrize("text", ['{"a": [1, null, "x"]}', "a: [1, ~, x]", "a:\n- 1\n-\n- x\n"])
def test_both_are_read(text: str) -> None:
    assert parse(text) == {"a": [1, None, "x"]}


def test_an_empty_text_is_nothing() -> None:
    assert parse("") is None


@pytest.mark.parametrize("text", ["a: [1", '{"a": ', "a: b: c", "[" * 100_000])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse(text)


def test_json_loads_no_yaml_library() -> None:
    program = "import sys; from windlass.formats.json_or_yaml import parse; parse('{}'); print('yaml' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
