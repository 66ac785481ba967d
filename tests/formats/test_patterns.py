"""Regular expressions of users: Go's, with any text in a moment, and the runtime of RE2 only if it is needed."""

import random
import subprocess
import sys
import time

import pytest

from windlass.formats import re2
from windlass.formats.patterns import BadPattern, check, matcher, matches, size

HOSTILE = {
    "(.|.){40}!!": "a" * 1000,
    "(.|.)" * 20 + "!!": "a" * 1000,
    ".?" * 60 + "a" * 60 + "!": "a" * 60,
    "(a?){60}a{60}!": "a" * 60,
    "(a|b|ab){30}c": "ab" * 500,
    "(a{0,30}){30}b": "a" * 900,
    "a{0,900}" * 9 + "b": "a" * 1000,
    "(a+)+$": "a" * 1000 + "b",
    "a*a*a*a*b": "a" * 2000,
    "((){1000}){1000}": "",
}


@pytest.mark.parametrize("pattern", HOSTILE)
def test_no_pattern_takes_long(pattern: str) -> None:
    text, begin = HOSTILE[pattern], time.process_time()
    try:
        found = bool(matcher(pattern)(text))
    except BadPattern:
        found = False
    assert not found
    assert time.process_time() - begin < 2


def test_patterns_at_random_are_found_where_re2_finds_them() -> None:
    dice = random.Random(20261119)
    parts = (
        "a", "b", ".", "[ab]", "[^b]", r"\w", "a?", "b*", "a+", "(a|b)", "(a|.)", "a{2,5}", "(a?b?){3}", "(ab)*",
        "^", "$", r"\b", "|", "(a*)?", "()*", "(a{0,3}){2}", r"\s", r"[\s-]", "[[:alpha:]]", "(?i)B", "{", "a{,2}", "-",
    )  # fmt: skip
    for _ in range(1000):
        pattern = "".join(dice.choice(parts) for _ in range(dice.randint(1, 12)))
        text = "".join(dice.choice("ab- \v\n") for _ in range(dice.choice((0, 3, 20))))
        try:
            expected = re2.is_found(pattern, text)
        except BadPattern:
            with pytest.raises(BadPattern):
                check(pattern)
            continue
        assert bool(matcher(pattern)(text)) == expected, (pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)FAILED", "(a+)+$", r"\pL", r"\p{Greek}", "[[:alpha:]]+", "(?P<n>a)", r"\Qa.b\E", r"a\z", "a{1000}",
        "a{,3}", r"[^\s]", "(?s:.)", "x{", "}", "]", "(" * 1000 + ")" * 1000, "(?U)a+", r"\x{263a}", r"\123",
    ],
)  # fmt: skip
def test_patterns_of_go_are_accepted(pattern: str) -> None:
    check(pattern)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "error parsing regexp: missing closing ): `(`"),
        ("a)", "error parsing regexp: unexpected )"),
        ("a**", "error parsing regexp: invalid nested repetition operator: `**`"),
        ("*a", "error parsing regexp: missing argument to repetition operator: `*`"),
        ("a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"),
        ("(a{100}){100}", "error parsing regexp: invalid repeat count"),
        ("(?=a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"),
        (r"(a)\1", "error parsing regexp: invalid escape sequence"),
        ("[a", "error parsing regexp: missing closing ]: `[a`"),
        ("a*+", "error parsing regexp: invalid nested repetition operator"),
        ("(?>a)", "error parsing regexp: invalid or unsupported Perl syntax"),
        ("(?P=n)", "error parsing regexp: invalid or unsupported Perl syntax"),
        ("(" * 1001 + ")" * 1001, "error parsing regexp: expression nests too deeply"),
    ],
)
def test_other_patterns_are_refused_in_the_words_of_go(pattern: str, problem: str) -> None:
    with pytest.raises(BadPattern) as caught:
        check(pattern)
    assert str(caught.value).startswith(problem)


def test_a_pattern_and_a_text_that_take_long_together_are_refused() -> None:
    pattern = ".{0,1000}a.{1000}" * 10
    assert size(pattern) > 20_000
    with pytest.raises(BadPattern, match="too long"):
        matches(pattern, "a" * 32_768)
    assert matches("x+$", "x" * 100_000)


def test_a_usual_pattern_does_without_the_runtime() -> None:
    program = (
        "import sys; from windlass.formats.patterns import check, matches;"
        r"print(matches('^node-\\d+$', 'node-12'), matches('exit code (137|143)', 'exit code 143'), check('^(a+)+$'),"
        "'cel_expr_python' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["True", "True", "None", "False"]
