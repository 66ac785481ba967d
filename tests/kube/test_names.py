"""Names that Kubernetes takes, and its words for those that it does not."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.kube import names

_LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_DNS1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


@pytest.mark.parametrize(
    ("check", "good"),
    [
        (names.dns_label_errors, ["a", "a-1", "0", "x" * 63]),
        (names.dns_subdomain_errors, ["a", "a.b-c.d", "0.1", "x" * 253]),
        (names.dns1035_label_errors, ["a", "a1", "a-b"]),
        (names.label_key_errors, ["a", "A.b_c-d", "example.com/a", "x" * 63, "kubernetes.io/hostname"]),
        (names.label_value_errors, ["", "a", "A_b.c-1", "x" * 63]),
        (names.path_segment_errors, ["system:admin", "a b", "..."]),
        (names.env_name_errors, ["A", "1 weird:name", "a.b"]),
        (names.config_key_errors, ["a.txt", "_", "...a"[3:]]),
        (names.port_name_errors, ["http", "a-1"]),
        (names.wildcard_subdomain_errors, ["*.example.com"]),
        (names.percent_errors, ["25%"]),
    ],
)
def test_good_names_pass(check: Callable[[str], list[str]], good: list[str]) -> None:
    assert [check(name) for name in good] == [[] for _ in good]


@pytest.mark.parametrize(
    ("check", "bad", "errors"),
    [
        (names.dns_label_errors, "A", [_LABEL]),
        (names.dns_label_errors, "", [_LABEL]),
        (names.dns_label_errors, "a.b", ["must not contain dots"]),
        (names.dns_label_errors, "x" * 64, ["must be no more than 63 bytes"]),
        (names.dns_label_errors, "a\n", [_LABEL]),
        (names.dns_subdomain_errors, "a..b", [_SUBDOMAIN]),
        (names.dns_subdomain_errors, "_", [_SUBDOMAIN]),
        (names.dns1035_label_errors, "1a", [_DNS1035]),
        (names.label_key_errors, "", ["name part must be non-empty", f"name part {_QUALIFIED}"]),
        (names.label_key_errors, "/a", ["prefix part must be non-empty"]),
        (names.label_key_errors, "A/a", [f"prefix part {_SUBDOMAIN}"]),
        (names.label_key_errors, "a/" + "x" * 64, ["name part must be no more than 63 bytes"]),
        (
            names.label_key_errors,
            "a/b/c",
            [
                f"a valid label key {_QUALIFIED} with an optional DNS subdomain prefix and '/' "
                "(e.g. 'example.com/MyName')"
            ],
        ),
        (names.label_value_errors, "é" * 32, ["must be no more than 63 bytes", names.label_value_errors("-")[0]]),
        (names.path_segment_errors, "..", ["may not be '..'"]),
        (names.path_segment_errors, "a/b%", ["may not contain '/'", "may not contain '%'"]),
        (names.config_key_errors, "..", ["must not be '..'"]),
        (names.config_key_errors, "..a", ["must not start with '..'"]),
        (names.env_name_errors, "", ["environment variable name must be non-empty"]),
        (
            names.env_name_errors,
            "a=b",
            ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
        ),
        (
            names.port_name_errors,
            "-UPPER--very-long",
            [
                "must be no more than 15 characters",
                "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                "must not contain consecutive hyphens",
                "must not begin or end with a hyphen",
            ],
        ),
        (names.port_name_errors, "80", ["must contain at least one letter (a-z)"]),
    ],
)
def test_bad_names_are_refused_in_kubernetes_words(
    check: Callable[[str], list[str]], bad: str, errors: list[str]
) -> None:
    assert check(bad) == errors


def test_port_numbers_have_a_range() -> None:
    assert names.port_number_errors(80) == []
    assert names.port_number_errors(0) == ["must be between 1 and 65535, inclusive"]


@given(st.text(max_size=70))
def test_every_good_label_is_a_good_subdomain_and_a_good_label_value(text: str) -> None:
    if not names.dns_label_errors(text):
        assert names.dns_subdomain_errors(text) == []
        assert names.label_value_errors(text) == []
        assert names.label_key_errors(text) == []
