"""YAML of anybody: the values of PyYAML's safe loader, without recursion and within limits."""

import subprocess
import sys
import time
import tracemalloc
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from windlass.formats import yaml_reader
from windlass.formats.yaml_reader import MAX_DEPTH, MAX_PATH, BadYaml, Limits, Notes, as_json, read, read_all

# --- the same values as yaml.safe_load

SCALARS = st.sampled_from(
    """a|1|-7|+3|0|007|0o7|0x1F|0b101|1_000|190:20:30|-1:30|1.5|-2.5e+3|1e3|.5|.inf|-.INF|.nan|1:30.5|true|Yes|off|y|n|~
    |null|Null|2024-02-29|2024-02-29T01:02:03Z|2001-12-14t21:59:43.10-05:00|<<|'1'|"true"|''|'it''s'|"\\u0041\\n"|08|0x|1e
    |!!str 1|!!int '3'|!!float 1|!!bool yes|!!null ''|!!binary aGk=|! 1|é|日本|a:b|a#b|-x|!!timestamp 2001-01-01|1__2
    |+.5|99999999999999999999|""".replace("\n    ", "").split("|")
)
KEYS = st.sampled_from(["a", "b", "c", "d", "1", "2.5", "true", "~", "'<<'", '"k"', "2024-01-01", "é"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Documents in flow style with anchors, aliases, merge keys, tags and repeated keys."""
    anchors: list[str] = []
    mappings: list[str] = []

    def value(depth: int) -> str:
        kind = draw(st.integers(0, 6 if depth < 4 else 1))
        if kind == 1 and anchors:
            return f"*{draw(st.sampled_from(anchors))} "
        if kind <= 2:
            return draw(SCALARS.filter(lambda text: text != "<<"))
        name = f"n{draw(st.integers(0, 10**9))}"
        prefix = f"&{name} " if name not in anchors and draw(st.booleans()) else ""
        if kind <= 4:
            tag = draw(st.sampled_from(["", "", "", "!!seq "]))
            text = f"{prefix}{tag}[{', '.join(value(depth + 1) for _ in range(draw(st.integers(0, 4))))}]"
        else:
            text = prefix + mapping(depth)
            if prefix:
                mappings.append(name)
        if prefix:
            anchors.append(name)
        return text

    def mapping(depth: int) -> str:
        pairs = [f"{draw(KEYS)}: {value(depth + 1)}" for _ in range(draw(st.integers(0, 4)))]
        if mappings and draw(st.booleans()):
            merged = draw(st.lists(st.sampled_from(mappings), min_size=1, max_size=3))
            text = f"*{merged[0]} " if len(merged) == 1 else f"[{', '.join(f'*{name} ' for name in merged)}]"
            pairs.insert(draw(st.integers(0, len(pairs))), f"<<: {text}")
        return f"{draw(st.sampled_from(['', '', '!!map ']))}{{{', '.join(pairs)}}}"

    return value(0)


def by_pyyaml(text: str, loader: Any = yaml.SafeLoader) -> Any:
    try:
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError, LookupError, AttributeError):
        return BadYaml


def by_reader(text: str | bytes) -> Any:
    try:
        return read(text)
    except BadYaml:
        return BadYaml


def ordered(value: Any) -> str:
    """Show a value with its types and the order of keys."""
    return repr(value)


@given(documents())
def test_a_document_has_the_value_of_the_safe_loader(text: str) -> None:
    assert ordered(by_reader(text)) == ordered(by_pyyaml(text))


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text() | st.dates() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text() | st.integers(0, 9), inner, max_size=5),
    max_leaves=40,
)


@given(PLAIN, st.booleans())
def test_written_values_are_read_as_the_safe_loader_reads_them(value: Any, is_flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=is_flow, allow_unicode=True, sort_keys=False)
    assert ordered(by_reader(text)) == ordered(yaml.safe_load(text)) == ordered(by_reader(text.encode()))


@given(SCALARS)
def test_each_scalar_alone_has_the_value_of_the_safe_loader(text: str) -> None:
    assert ordered(by_reader(text)) == ordered(by_pyyaml(text))


@given(st.text("ab:-?!&*#|>%@`'\"[]{}, \n\t<~01.", max_size=40))
def test_any_text_has_the_value_of_the_safe_loader_or_is_refused_by_both(text: str) -> None:
    assert ordered(by_reader(text)) == ordered(by_pyyaml(text, yaml.CSafeLoader))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing",
        "--- a\n...\n",
        "a: b: c",
        "a: 1\n---\nb: 2\n",
        "? a\n: 1\n? b",
        "!!set {a, b}",
        "!!omap [a: 1, b: 2]",
        "!!pairs [a: 1, a: 2]",
        "!!omap [a]",
        "!!set [a]",
        "!!str [a]",
        "!!map [a]",
        "!!python/object:os.system x",
        "!foo x",
        "{[a]: b}",
        "[a]: b",
        "? {a: b}\n: c",
        "a: *b",
        "&a [&a x]",
        "<<: x",
        "<<: [x]",
        "- <<",
        "%YAML 1.1\n--- a",
        "%TAG !e! tag:yaml.org,2002:\n--- !e!int '3'",
        "a: |\n  x\n\n  y\nb: >-\n  c\n  d\n",
        "=: 1",
        "\ufeffa: 1",
        "\x00",
        "a: &x\n  k: 1\nb:\n  <<: *x\n  k: 2\n  j: 3\n",
        "a: &x {k: 1}\nb: {<<: *x, <<: {k: 5}}\n",
        "- &a x\n- {*a : 1}",
    ],
)
def test_rare_forms_have_the_value_of_the_safe_loader(text: str) -> None:
    assert ordered(by_reader(text)) == ordered(by_pyyaml(text))


def test_a_plain_equals_sign_is_a_text() -> None:
    assert read("- =\n- '='") == ["=", "="]


def test_utf_16_is_read() -> None:
    assert read("a: é".encode("utf-16")) == {"a": "é"}


@pytest.mark.parametrize("text", [b"\xff\xfea", b"a: \xe9", b"\xc3"])
def test_bytes_that_are_no_text_are_refused(text: bytes) -> None:
    assert by_reader(text) is BadYaml


def test_documents_are_told_apart() -> None:
    assert read_all("a: &x 1\n---\nb: &x 2\n---\n") == [{"a": 1}, {"b": 2}, None]
    with pytest.raises(BadYaml, match="undefined alias"):
        read_all("a: &x 1\n---\nb: *x\n")
    with pytest.raises(BadYaml, match="single document"):
        read("a\n---\nb\n")


@pytest.mark.parametrize(
    "text", ["!!int x", "!!bool x", "!!float x", "!!timestamp x", "2024-13-45", "!!int ''", "!!binary é"]
)
def test_a_scalar_that_is_not_of_its_tag_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(BadYaml, match=r"is not .* \(line 2, column 6\)"):
        read(f"x: y\nkey: {text}")


def test_dates_stay_texts_where_json_is_meant() -> None:
    assert read("- 2024-01-01\n- 2024-01-01 10:00:00", dates=False) == ["2024-01-01", "2024-01-01 10:00:00"]
    assert as_json(read("- 2024-01-01\n- 2024-01-01 10:00:00")) == ["2024-01-01", "2024-01-01T10:00:00"]


@pytest.mark.parametrize("text", ["{~: 1}", "{true: 1}", "{[1]: 1}"])
def test_what_json_cannot_say_is_refused(text: str) -> None:
    with pytest.raises(BadYaml):
        as_json(read(text))


# --- limits

N = 100_000
NESTED = {
    "lists": "[" * N,
    "closed lists": "[" * N + "]" * N,
    "mappings": '{"a":' * N,
    "lists of mappings": "[{a: " * N,
    "items on one line": "- " * N,
    "lines": "".join(f"{' ' * depth}a:\n" for depth in range(1_000)),
    "lines of items": "".join(f"{' ' * depth}-\n" for depth in range(1_000)),
    "pairs in lists": "[a: " * N,
    "tagged lists": "!!seq [" * N,
    "anchored lists": "".join(f"&a{number} [" for number in range(N)),
    "aliases": "- &a0 [x]\n" + "".join(f"- &a{number} [*a{number - 1}]\n" for number in range(1, 1_000)),
    "merged": "a0: &a0 {k: [x]}\n" + "".join(f"a{n}: &a{n} {{k: *a{n - 1}}}\n" for n in range(1, 1_000)),
}


@pytest.mark.parametrize("name", NESTED)
def test_deep_nesting_is_refused_where_the_limit_is_exceeded(name: str) -> None:
    begin = time.process_time()
    with pytest.raises(BadYaml, match=rf"nested deeper than {MAX_DEPTH} levels \(line \d+, column \d+\)"):
        read(NESTED[name])
    assert time.process_time() - begin < 1


def test_values_at_the_limit_are_read() -> None:
    value = read("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    for _ in range(MAX_DEPTH - 1):
        (value,) = value
    assert value == []


@pytest.mark.parametrize("text", ["? " * N, "{? " * N, "{[" * N, "? [" * N])
def test_nested_keys_are_refused(text: str) -> None:
    with pytest.raises(BadYaml, match=r"unhashable key.* \(line 1, column \d+\)"):
        read(text)


def bomb(levels: int, width: int = 10, leaf: str = "x") -> str:
    lines = [f"a0: &a0 [{leaf}, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        bomb(9),
        bomb(60, 2),
        bomb(3, 10, "x" * 1_000_000),
        "&a [*a]",
        "a: &a\n  b: *a",
        "a: &a\n  <<: *a",
        "&a {*a : b}",
        "a0: &a0 {k0: x}\n" + "".join(f"a{n}: &a{n} {{<<: *a{n - 1}, k{n}: x}}\n" for n in range(1, 3_000)),
    ],
)
def test_aliases_that_grow_without_measure_are_refused(text: str) -> None:
    with pytest.raises(BadYaml, match="excessive aliasing"):
        read(text)


@pytest.mark.parametrize("text", [bomb(3), "a: &a {b: 1}\nc: {<<: *a, d: *a}", "x", "[]"])
def test_ordinary_aliases_pass(text: str) -> None:
    assert ordered(read(text)) == ordered(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" + "a, " * 500_000 + "]", "more than 400000 values"),
        ("- 1" + "0" * 600, "a number of more than 512 characters"),
        ("- 1" + ":1" * 600, "a number of more than 512 characters"),
        ("- 0x" + "f" * 600, "a number of more than 512 characters"),
        ("- 1_" + "_" * 600, "a number of more than 512 characters"),
        ("- 1." + "0" * 600, "a number of more than 512 characters"),
        ("99999999999999999999: a", "a number of more than 64 bits"),
        ("".join(f"%TAG !a{number}! x\n" for number in range(N)) + "--- a", "more than 100 %TAG directives"),
        ("#" * (33 << 20), "the text has more than 33554432 characters"),
    ],
)
def test_whatever_costs_more_than_its_length_is_limited(text: str, problem: str) -> None:
    begin = time.process_time()
    with pytest.raises(BadYaml, match=problem):
        read(text)
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    "text",
    ["#" * 2_000_000, "#\n" * 500_000, '"' + "\\u0041" * 300_000 + '"', '"' + "\n" * 500_000 + '"', "a\n\n" * 500_000],
)
def test_large_texts_of_few_values_are_read_at_once(text: str) -> None:
    begin = time.process_time()
    read(text)
    assert time.process_time() - begin < 2


def test_limits_can_be_larger_for_an_own_file() -> None:
    with pytest.raises(BadYaml, match="more than 3 values"):
        read("[a, b, c]", limits=Limits(values=3))
    assert len(read("[" + "a, " * 500_000 + "]", limits=yaml_reader.OWN_FILE)) == 500_000


# --- places


def test_repeated_keys_are_noted_with_their_lines() -> None:
    notes = Notes()
    read("a: 1\nb:\n  c: 1\n  c: 2\na: &x {d: 1}\n'b': *x\n", notes=notes)
    assert notes.repeated == [(4, "c"), (5, "a"), (6, "b")]


@pytest.mark.parametrize("has_lines", [False, True])
def test_notes_of_fields_below_a_long_key_take_little_memory(has_lines: bool) -> None:
    fields = ",".join(f"a{number}: 1" for number in range(5_000))
    notes = Notes(has_lines=has_lines)
    tracemalloc.start()
    try:
        read(f"? {'k' * 100_000}\n: {{{fields}}}", notes=notes)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert max(map(len, notes.lines), default=0) == (MAX_PATH if has_lines else 0)


def test_lines_of_fields_are_noted() -> None:
    notes = Notes(has_lines=True)
    read("a: 1\nb:\n- c: 1\n  d:\n    e: 5\n- x\n- [y,\n   {z: 1}]\n", notes=notes)
    assert notes.lines == {
        "": 1, "a": 1, "b": 2, "b[0]": 3, "b[0].c": 3, "b[0].d": 4, "b[0].d.e": 5, "b[1]": 6, "b[2]": 7, "b[2][0]": 7,
        "b[2][1]": 8, "b[2][1].z": 8,
    }  # fmt: skip


def test_an_error_has_its_line() -> None:
    with pytest.raises(BadYaml) as caught:
        read("a: 1\nb: [\n")
    assert caught.value.line == 2
    assert "expected" in caught.value.problem


def test_the_module_loads_no_yaml_library() -> None:
    program = "import sys; from windlass.formats import yaml_reader, yaml_writer; print('yaml' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
