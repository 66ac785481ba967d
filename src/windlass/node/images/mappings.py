# pyright: strict
"""Reads and edits images.yaml, and the built-in rules that follow it."""

import os
from functools import cache
from pathlib import Path

import msgspec

from windlass.formats import yaml_writer
from windlass.formats.json_or_yaml import parse
from windlass.node.images.catalogue import BadRule, Mappings, Rule, check

HEADER = """\
# What images stand for on this machine; the first rule that matches wins, before the built-in ones.
# `lenient: true` runs an image that no rule matches in the `default` environment, with a warning.
"""


class BadMappings(ValueError):
    """images.yaml is invalid; the message says where."""


@cache
def builtin() -> Mappings:
    return _decode(Path(__file__).with_name("builtin.yaml").read_text(), "builtin.yaml")


def load(path: Path) -> Mappings:
    """Read the rules of a file; none if it does not exist."""
    try:
        return _decode(path.read_text(), str(path))
    except FileNotFoundError:
        return Mappings()
    except (OSError, UnicodeDecodeError) as error:
        raise BadMappings(f"cannot read {path}: {error}") from error


def add(path: Path, rule: Rule) -> bool:
    """Insert a rule at the top. Keeps comments outside the list of images; False if comments inside it were lost."""
    check(rule)
    before = load(path)
    kept = tuple(one for one in before.images if one.patterns != rule.patterns)
    entry = {"image": rule.image, **msgspec.to_builtins(rule)}
    try:
        text = path.read_text()
    except FileNotFoundError:
        text = HEADER
    lines = text.splitlines(keepends=True)
    at = next((index for index, line in enumerate(lines) if line.rstrip() == "images:"), None)
    if len(kept) == len(before.images) and (at is not None or not before.images):
        block = _indented(entry, _indent(lines, at))
        new = "".join([*lines[: at + 1], block, *lines[at + 1 :]]) if at is not None else f"{text}images:\n{block}"
        if _same(new, (rule, *kept), before):
            _write(path, new)
            return True
    whole = msgspec.to_builtins(msgspec.structs.replace(before, images=(rule, *kept)))
    _write(path, HEADER + _dumped(whole))
    return "#" not in text.removeprefix(HEADER)


def _decode(text: str, name: str) -> Mappings:
    try:
        found = msgspec.convert(parse(text) or {}, Mappings, strict=False)
        for rule in found.images:
            check(rule)
        relative = next((path for path in found.layouts.values() if not path.startswith("/")), None)
        if relative is not None:
            raise BadRule(f"layouts: {relative!r} is not the absolute path of an image layout")
    except (ValueError, BadRule) as error:
        hint = ". Write versions in quotes: YAML takes 3.10 for the number 3.1" if "got `float`" in str(error) else ""
        raise BadMappings(f"{name}: {' '.join(str(error).split())}{hint}") from error
    return found


def _indent(lines: list[str], at: int | None) -> int:
    following = lines[at + 1 :] if at is not None else []
    first = next((line for line in following if line.lstrip().startswith("- ")), "  - ")
    return len(first) - len(first.lstrip())


def _indented(entry: object, indent: int) -> str:
    return "".join(" " * indent + line for line in _dumped([entry]).splitlines(keepends=True))


def _dumped(content: object) -> str:
    return yaml_writer.write(content)


def _same(text: str, rules: tuple[Rule, ...], before: Mappings) -> bool:
    """Whether the edited text has the expected meaning."""
    try:
        return _decode(text, "") == msgspec.structs.replace(before, images=rules)
    except BadMappings:
        return False


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(text)
    partial.replace(path)
