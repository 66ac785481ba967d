"""Bodies that are small on the wire and large, deep or slow for whoever reads them, of each content type."""

import gzip
import json
import random
from collections.abc import Callable

from tests.fuzz.archives import archived, damaged, gzip_bomb, protobuf

LEVELS = (150, 199, 201, 300, 990, 5_000, 100_000)
YAML_TYPES = ("application/yaml", "application/apply-patch+yaml")
JSON_TYPES = (
    "application/json", "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json", "application/apply-patch+json",
)  # fmt: skip
PROTOBUF = "application/vnd.kubernetes.protobuf"
BEGINNINGS = ("", '{"metadata":', '{"metadata":{"name":"fz-0","annotations":', '{"spec":', '{"spec":{"template":', "[")


def oversized(dice: random.Random) -> tuple[str, str, bytes]:
    """Return a content type, a content encoding, empty for none, and a body."""
    content_type = dice.choice((*YAML_TYPES, *YAML_TYPES, *JSON_TYPES, PROTOBUF))
    if content_type == PROTOBUF:
        return _encoded(dice, content_type, b"k8s\x00" + protobuf(dice))
    if content_type == "application/json-patch+json" and dice.random() < 0.5:
        return _encoded(dice, content_type, json.dumps(_operations(dice)).encode())
    makers: list[Callable[[random.Random], str]] = [_nested, _nested, _wide, _numbers]
    if content_type in YAML_TYPES:
        makers += [_indented, _aliases, _merged, _directives, _keys, _scalars]
    return _encoded(dice, content_type, dice.choice(makers)(dice).encode())


def _encoded(dice: random.Random, content_type: str, body: bytes) -> tuple[str, str, bytes]:
    """The body as it is, compressed, or an archive, with the header that says so or without."""
    kind = dice.random()
    if kind < 0.75:
        return content_type, "", body
    if kind < 0.8:
        return content_type, dice.choice(("", "gzip")), archived(dice, body)
    compressed = gzip_bomb() if dice.random() < 0.05 else gzip.compress(body, 1)
    return (
        content_type,
        dice.choice(("gzip", "gzip", "gzip", "", "br")),
        (damaged(dice, compressed) if dice.random() < 0.2 else compressed),
    )


def _nested(dice: random.Random) -> str:
    levels = dice.choice(LEVELS)
    opening, closing = dice.choice((("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"), ("[[],", "]")))
    begin = dice.choice(BEGINNINGS)
    inner = opening * levels + "1" + closing * dice.choice((levels, levels - 1, 0))
    return begin + inner + "".join("}" if mark == "{" else "]" for mark in reversed(begin) if mark in "{[")


def _wide(dice: random.Random) -> str:
    return dice.choice(("[" + "0," * 500_000 + "0]", '{"a":"' + "x" * 2_900_000 + '"}', "[" + "{}," * 300_000 + "{}]"))


def _numbers(dice: random.Random) -> str:
    number = dice.choice(("9" * 30, "9" * 5_000, "1e999999", "-" + "1" * 700, "0." + "1" * 9_000))
    return f'{{"metadata":{{"name":"fz-0"}},"spec":{{"replicas":{number},"a":"{number}"}}}}'


def _indented(dice: random.Random) -> str:
    levels = dice.choice((150, 1_000, 2_000))
    mark = dice.choice(("a:", "-", "? a", "- a:"))
    lines = "".join(f"{' ' * depth * dice.choice((1, 1, 2))}{mark}\n" for depth in range(levels))
    return dice.choice((lines, f"{mark} " * levels))


def _aliases(dice: random.Random) -> str:
    width = dice.choice((1, 2, 10))
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, dice.choice((6, 60, 600)))]
    return "\n".join(lines)


def _merged(dice: random.Random) -> str:
    count = dice.choice((10, 3_000))
    return "a0: &a0 {k: x}\n" + "".join(f"a{n}: &a{n} {{<<: *a{n - 1}, k{n}: x}}\n" for n in range(1, count))


def _directives(dice: random.Random) -> str:
    return "".join(f"%TAG !a{n}! x\n" for n in range(dice.choice((3, 20_000)))) + "--- {}"


def _keys(dice: random.Random) -> str:
    modulus = 2**61 - 1  # keys with one hash
    return "".join(f"{n * modulus}: x\n" for n in range(dice.choice((3, 50_000))))


def _scalars(dice: random.Random) -> str:
    scalar = dice.choice(
        ("!!int x", "!!float x", "!!bool x", "2024-13-45", "!!timestamp x", "1" + ":1" * 5_000, "!!binary é",
         "!!set [a]", "!!python/object:os.system x", "&a *a", "*a", "<<", "=", "!<tag:yaml.org,2002:str> x",
         "\x00", "0b", "0x"),
    )  # fmt: skip
    return f"metadata:\n  name: fz-0\n  labels: {{a: {scalar}}}\nspec: {scalar}\n"


def _operations(dice: random.Random) -> list[dict[str, object]]:
    copies: list[dict[str, object]] = [
        {"op": "copy", "from": dice.choice(("", "/metadata", "/spec")), "path": f"/metadata/a{n}"}
        for n in range(dice.choice((3, 40)))
    ]
    index: dict[str, object] = {"op": "add", "path": f"/metadata/finalizers/{'1' * 5_000}", "value": 1}
    deep: object = 1
    for _ in range(dice.choice((100, 190))):
        deep = {"a": deep}
    deeper: list[dict[str, object]] = [
        {"op": "add", "path": "/metadata/annotations" + "/a" * (n * 100), "value": deep} for n in range(4)
    ]
    return dice.choice((copies, [index], deeper, [index] * 10_001))
