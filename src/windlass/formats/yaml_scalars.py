"""Values of YAML scalars, as PyYAML's safe loaders have them. Imports PyYAML; only the composer imports this."""

import re
from collections.abc import Callable
from typing import Any

import yaml

from windlass.formats.yaml_reader import BadYaml, Limits

_STANDARD = "tag:yaml.org,2002:"
STR, MAP, SEQ, SET = f"{_STANDARD}str", f"{_STANDARD}map", f"{_STANDARD}seq", f"{_STANDARD}set"
PAIRS = (f"{_STANDARD}omap", f"{_STANDARD}pairs")
MERGE = f"{_STANDARD}merge"
_INT, _FLOAT, _BOOL, _NULL = f"{_STANDARD}int", f"{_STANDARD}float", f"{_STANDARD}bool", f"{_STANDARD}null"
_TIMESTAMP, _BINARY, _EQUALS = f"{_STANDARD}timestamp", f"{_STANDARD}binary", f"{_STANDARD}value"

_Resolvers = dict[str, list[tuple[str, "re.Pattern[str]"]]]
_constructor: Any = yaml.constructor.SafeConstructor()
_CONSTRUCTORS: dict[str, Callable[[Any], Any]] = {
    _INT: _constructor.construct_yaml_int,
    _FLOAT: _constructor.construct_yaml_float,
    _BOOL: _constructor.construct_yaml_bool,
    _NULL: _constructor.construct_yaml_null,
    _TIMESTAMP: _constructor.construct_yaml_timestamp,
    _BINARY: _constructor.construct_yaml_binary,
    STR: _constructor.construct_yaml_str,
    _EQUALS: _constructor.construct_yaml_str,
}
_NAMES = {_INT: "a number", _FLOAT: "a number", _BOOL: "true or false", _TIMESTAMP: "a date", _BINARY: "base64"}


def _without(tag: str, resolvers: _Resolvers) -> _Resolvers:
    return {first: [entry for entry in entries if entry[0] != tag] for first, entries in resolvers.items()}


_loader: Any = yaml.SafeLoader
RESOLVERS: _Resolvers = _loader.yaml_implicit_resolvers
RESOLVERS_WITHOUT_DATES = _without(_TIMESTAMP, RESOLVERS)


def resolve(text: str, resolvers: _Resolvers) -> str:
    """Return the tag of a plain scalar."""
    for tag, pattern in resolvers.get(text[:1], ()):
        if pattern.match(text):
            return tag
    return STR


def construct(tag: str, text: str, limits: Limits) -> Any:
    """Return the value of a scalar. Raises BadYaml."""
    if tag == STR:
        return text
    if tag in (_INT, _FLOAT):
        if len(text) > limits.number:
            raise BadYaml(f"a number of more than {limits.number} characters")
        if text.isdecimal() and text.isascii() and text[0] != "0" and tag == _INT:
            return int(text)
    constructor = _CONSTRUCTORS.get(tag)
    if constructor is None:
        raise BadYaml(f"could not determine a constructor for the tag {tag[:100]!r}")
    try:
        return constructor(yaml.ScalarNode(tag, text))
    except (ValueError, LookupError, AttributeError, OverflowError, yaml.YAMLError) as error:
        reason = f": {error}" if tag == _TIMESTAMP and type(error) is ValueError else ""
        raise BadYaml(f"{text[:100]!r} is not {_NAMES.get(tag, tag)}{reason}") from error
