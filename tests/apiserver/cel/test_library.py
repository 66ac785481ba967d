from typing import Any

import pytest

from windlass.apiserver.cel.runtime import CompileError, EvaluationError, Variables, compiled, environment

VARIABLES: Variables = (("self", "dyn"),)


def evaluate(source: str, value: Any = None) -> Any:
    return compiled(source, VARIABLES).run(environment(VARIABLES).bind({"self": value}))


@pytest.mark.parametrize(
    "expression",
    [
        "has({'a': 1}.a) && !has({'a': 1}.b)",
        "[1, 2].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2].exists_one(x, x == 2)",
        "[1, 2].map(x, x * 2) == [2, 4] && [1, 2].filter(x, x > 1) == [2]",
        "{'a': 1}.all(k, v, k == 'a' && v == 1)",
        "[3, 1].transformList(i, v, i + v) == [3, 2]",
        "'a-b'.split('-').join('+') == 'a+b' && 'AbC'.lowerAscii() == 'abc'",
        "'%s has %d'.format(['x', 2]) == 'x has 2'",
        "'abc'.indexOf('c') == 2 && ['a', 'b', 'a'].lastIndexOf('a') == 2 && ['a'].indexOf('z') == -1",
        "[1, 2, 3].isSorted() && !['b', 'a'].isSorted()",
        "[1, 2, 3].sum() == 6 && [1, 3].max() == 3 && [1.5, 2.5].min() == 1.5 && [].sum() == 0",
        "'abc 123 45'.find('[0-9]+') == '123' && 'x'.find('[0-9]+') == ''",
        "'1a 2b 3c'.findAll('([0-9])([a-z])') == ['1a', '2b', '3c'] && '1 2 3'.findAll('[0-9]', 2) == ['1', '2']",
        "url('https://user@example.com:8080/a/b?q=1&q=2').getHost() == 'example.com:8080'",
        "url('https://[::1]:8080/a').getHostname() == '::1' && url('https://x:80/').getPort() == '80'",
        "url('/a/b').getScheme() == '' && url('https://x/a%20b').getEscapedPath() == '/a%20b'",
        "url('https://x/?q=1&q=2').getQuery() == {'q': ['1', '2']}",
        "isURL('https://example.com') && !isURL('example') && !isURL('../x')",
        "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('500m').isLessThan(quantity('1'))",
        "quantity('1k') == quantity('1000') && quantity('1').compareTo(quantity('2')) == -1",
        "quantity('1').add(quantity('2')).sub(1).asInteger() == 2 && quantity('-1').sign() == -1",
        "!quantity('1500m').isInteger() && quantity('1500m').asApproximateFloat() == 1.5",
        "isQuantity('10Gi') && !isQuantity('10Zi')",
        "ip('::1').family() == 6 && ip('127.0.0.1').isLoopback() && isIP('1.2.3.4') && !isIP('1.2.3')",
        "ip('169.254.1.1').isLinkLocalUnicast() && ip('8.8.8.8').isGlobalUnicast() && ip('0.0.0.0').isUnspecified()",
        "ip.isCanonical('::1') && !ip.isCanonical('0:0:0:0:0:0:0:1') && string(ip('0:0:0:0:0:0:0:1')) == '::1'",
        "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.0'))",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && cidr('10.1.2.3/16').masked() == cidr('10.1.0.0/16')",
        "cidr('10.1.2.3/16').prefixLength() == 16 && cidr('10.1.2.3/16').ip() == ip('10.1.2.3') && isCIDR('::/0')",
        "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.2.3-rc1').compareTo(semver('1.2.3')) == -1",
        "isSemver('1.2.3') && !isSemver('1.2') && semver('4.5.6').minor() == 5",
        "optional.of(1).orValue(2) == 1 && {'a': 1}[?'b'].orValue(3) == 3",
        "sets.contains([1, 2], [2]) && math.greatest(1, 5) == 5 && cel.bind(x, 2, x * x) == 4",
        "int('3') + 1 == 4 && string(1.5) == '1.5' && double(2) == 2.0",
        "timestamp('2024-01-01T00:00:00Z') + duration('24h') == timestamp('2024-01-02T00:00:00Z')",
        "type(self) == null_type && self == null",
    ],
)
def test_kubernetes_cel_library_is_there(expression: str) -> None:
    assert evaluate(expression) is True


@pytest.mark.parametrize(
    ("expression", "value", "message"),
    [
        ("self.b", {"a": 1}, "no such key: b"),
        ("self[3]", [1], "index out of bounds: 3"),
        ("1 / self", 0, "division by zero"),
        ("self + 1", "x", "no such overload"),
        ("[].max() == 1", None, "max called on empty list"),
        (
            "self.all(i, self.all(j, self.all(k, i + j + k >= 0)))",
            list(range(100)),
            "operation cancelled: actual cost limit exceeded",
        ),
    ],
)
def test_what_fails_is_told_as_kubernetes_does(expression: str, value: Any, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        evaluate(expression, value)

    assert str(caught.value) == message


def test_errors_that_decisions_depend_on_have_fields() -> None:
    with pytest.raises(EvaluationError) as missing:
        evaluate("self.b", {"a": 1})
    with pytest.raises(EvaluationError) as exhausted:
        evaluate("self.all(i, self.all(j, self.all(k, i + j + k >= 0)))", list(range(100)))

    assert (missing.value.missing_key, missing.value.is_exhausted) == ("b", False)
    assert (exhausted.value.missing_key, exhausted.value.is_exhausted) == (None, True)


@pytest.mark.parametrize("expression", ["self.", "nope(self)", "quantity('1').isLessThan(1)", "1 + 'a'", "undeclared"])
def test_what_cannot_be_compiled_shows_where(expression: str) -> None:
    with pytest.raises(CompileError, match=r"^ERROR: <input>:1:\d+: "):
        evaluate(expression)


def test_no_regular_expression_can_hang_the_server() -> None:
    assert evaluate("self.matches('^(a+)+$')", "a" * 5000 + "!") is False
    assert evaluate("self.find('(a+)+$')", "a" * 5000 + "!") == ""
