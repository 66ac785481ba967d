"""The names that Kubernetes accepts, and its own words for those that it does not.

Each `*_errors` function returns every message that applies, in Kubernetes' order; an empty list means the value is
good. The common case (a good value) costs one regular expression match.
"""

import re
from typing import Final

_LABEL_FMT: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_FMT: Final = _LABEL_FMT + r"(\." + _LABEL_FMT + ")*"
_DNS1035_FMT: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED_FMT: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE_FMT: Final = f"({_QUALIFIED_FMT})?"
_WILDCARD_FMT: Final = r"\*\." + _SUBDOMAIN_FMT
_ENV_FMT: Final = "[-._a-zA-Z][-._a-zA-Z0-9]*"
_RELAXED_ENV_FMT: Final = "[ -<>-~]+"
_C_IDENTIFIER_FMT: Final = "[A-Za-z_][A-Za-z0-9_]*"
_CONFIG_KEY_FMT: Final = "[-._a-zA-Z0-9]+"
_HTTP_HEADER_FMT: Final = "[-A-Za-z0-9]+"
_PERCENT_FMT: Final = "[0-9]+%"

_label = re.compile(_LABEL_FMT).fullmatch
_subdomain = re.compile(_SUBDOMAIN_FMT).fullmatch
_dns1035 = re.compile(_DNS1035_FMT).fullmatch
_qualified = re.compile(_QUALIFIED_FMT).fullmatch
_value = re.compile(_VALUE_FMT).fullmatch
_wildcard = re.compile(_WILDCARD_FMT).fullmatch
_env = re.compile(_ENV_FMT).fullmatch
_relaxed_env = re.compile(_RELAXED_ENV_FMT).fullmatch
_c_identifier = re.compile(_C_IDENTIFIER_FMT).fullmatch
_config_key = re.compile(_CONFIG_KEY_FMT).fullmatch
_http_header = re.compile(_HTTP_HEADER_FMT).fullmatch
_percent = re.compile(_PERCENT_FMT).fullmatch
_port_charset = re.compile("[-a-z0-9]+").fullmatch
_port_letter = re.compile("[a-z]").search

EMPTY: Final = "must be non-empty"


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} bytes"


def _shape(message: str, fmt: str, *examples: str) -> str:
    """Kubernetes' sentence for a value that does not have the right form."""
    listed = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {listed}regex used for validation is '{fmt}')"


_LABEL_ERROR: Final = _shape(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    "with an alphanumeric character",
    _LABEL_FMT,
    "my-name",
    "123-abc",
)
_SUBDOMAIN_ERROR: Final = _shape(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character",
    _SUBDOMAIN_FMT,
    "example.com",
)
_DNS1035_ERROR: Final = _shape(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character",
    _DNS1035_FMT,
    "my-name",
    "abc-123",
)
_QUALIFIED_ERROR: Final = _shape(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    _QUALIFIED_FMT,
    "MyName",
    "my.name",
    "123-abc",
)
_VALUE_ERROR: Final = _shape(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character",
    _VALUE_FMT,
    "MyValue",
    "my_value",
    "12345",
)
_WILDCARD_ERROR: Final = _shape(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    _WILDCARD_FMT,
    "*.example.com",
)
_ENV_ERROR: Final = _shape(
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not "
    "start with a digit",
    _ENV_FMT,
    "my.env-name",
    "MY_ENV.NAME",
    "MyEnvName1",
)
_CONFIG_KEY_ERROR: Final = _shape(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    _CONFIG_KEY_FMT,
    "key.name",
    "KEY_NAME",
    "key-name",
)
_HTTP_HEADER_ERROR: Final = _shape(
    "a valid HTTP header must consist of alphanumeric characters or '-'", _HTTP_HEADER_FMT, "X-Header-Name"
)
_C_IDENTIFIER_ERROR: Final = _shape(
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
    "characters or '_'",
    _C_IDENTIFIER_FMT,
    "my_name",
    "MY_NAME",
    "MyName",
)
_PERCENT_ERROR: Final = _shape(
    "a valid percent string must be a numeric string followed by an ending '%'", _PERCENT_FMT, "1%", "93%"
)
_RELAXED_ENV_ERROR: Final = (
    "a valid environment variable name must consist only of printable ASCII characters other than '='"
)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def dns_label_errors(text: str) -> list[str]:
    """A lowercase RFC 1123 label of at most 63 bytes: namespaces, containers, volumes."""
    errors = [_too_long(63)] if _size(text) > 63 else []
    if not _label(text):
        # For a name that is a valid subdomain, the message says that dots are not allowed.
        errors.append("must not contain dots" if _subdomain(text) else _LABEL_ERROR)
    return errors


def dns_subdomain_errors(text: str) -> list[str]:
    """A lowercase RFC 1123 subdomain of at most 253 bytes: most object names."""
    errors = [_too_long(253)] if _size(text) > 253 else []
    if not _subdomain(text):
        errors.append(_SUBDOMAIN_ERROR)
    return errors


def dns1035_label_errors(text: str, too_long: str = "") -> list[str]:
    """A label that starts with a letter: service names. `too_long` replaces the message for one that is too long."""
    errors = [too_long or _too_long(63)] if _size(text) > 63 else []
    if not _dns1035(text):
        errors.append(_DNS1035_ERROR)
    return errors


def wildcard_subdomain_errors(text: str) -> list[str]:
    """`*.` and a subdomain: ingress hosts."""
    errors = [_too_long(253)] if _size(text) > 253 else []
    if not _wildcard(text):
        errors.append(_WILDCARD_ERROR)
    return errors


def label_key_errors(text: str) -> list[str]:
    """A qualified name, `[prefix/]name`: label and annotation keys, taints, extended resources, finalizers."""
    if len(text) <= 63 and _qualified(text):
        return []
    prefix, slash, name = text.partition("/")
    if "/" in name:
        return [
            "a valid label key "
            + _QUALIFIED_ERROR
            + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    errors: list[str] = []
    if not slash:
        name = text
    elif not prefix:
        errors.append(f"prefix part {EMPTY}")
    else:
        errors.extend(f"prefix part {error}" for error in dns_subdomain_errors(prefix))
    if not name:
        errors.append(f"name part {EMPTY}")
    elif _size(name) > 63:
        errors.append(f"name part {_too_long(63)}")
    if not _qualified(name):
        errors.append(f"name part {_QUALIFIED_ERROR}")
    return errors


def label_value_errors(text: str) -> list[str]:
    """A label's value: empty, or at most 63 bytes of letters, digits, `-`, `_` and `.`."""
    errors = [_too_long(63)] if _size(text) > 63 else []
    if not _value(text):
        errors.append(_VALUE_ERROR)
    return errors


def path_segment_errors(text: str, *, prefix: bool = False) -> list[str]:
    """A name that can stand in a URL path: RBAC objects. `prefix` is for generateName."""
    if not prefix and text in (".", ".."):
        return [f"may not be '{text}'"]
    return [f"may not contain '{bad}'" for bad in ("/", "%") if bad in text]


def env_name_errors(text: str, *, relaxed: bool = True) -> list[str]:
    """The name of an environment variable; Kubernetes is relaxed about them since 1.32."""
    if relaxed:
        if not text:
            return [f"environment variable name {EMPTY}"]
        return [] if _relaxed_env(text) else [_RELAXED_ENV_ERROR]
    errors = [] if _env(text) else [_ENV_ERROR]
    return errors + _hidden_name_errors(text)


def config_key_errors(text: str) -> list[str]:
    """A key in a ConfigMap's or Secret's data."""
    errors = ["must be no more than 253 characters"] if _size(text) > 253 else []
    if not _config_key(text):
        errors.append(_CONFIG_KEY_ERROR)
    return errors + _hidden_name_errors(text)


def _hidden_name_errors(text: str) -> list[str]:
    if text in (".", ".."):
        return [f"must not be '{text}'"]
    return ["must not start with '..'"] if text.startswith("..") else []


def port_name_errors(text: str) -> list[str]:
    """An IANA service name: container port names and named target ports."""
    errors: list[str] = []
    if len(text) > 15:
        errors.append("must be no more than 15 characters")
    if not _port_charset(text):
        errors.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _port_letter(text):
        errors.append("must contain at least one letter (a-z)")
    if "--" in text:
        errors.append("must not contain consecutive hyphens")
    if text and (text[0] == "-" or text[-1] == "-"):
        errors.append("must not begin or end with a hyphen")
    return errors


def port_number_errors(port: int) -> list[str]:
    return [] if 1 <= port <= 65535 else ["must be between 1 and 65535, inclusive"]


def http_header_errors(text: str) -> list[str]:
    return [] if _http_header(text) else [_HTTP_HEADER_ERROR]


def c_identifier_errors(text: str) -> list[str]:
    return [] if _c_identifier(text) else [_C_IDENTIFIER_ERROR]


def percent_errors(text: str) -> list[str]:
    return [] if _percent(text) else [_PERCENT_ERROR]
