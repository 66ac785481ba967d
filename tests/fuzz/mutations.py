"""Almost right values: copies of valid JSON in which a few places hold something else."""

import random
from collections.abc import Iterator
from typing import Any

ODD_VALUES: list[Any] = [
    None, "", "A B", "x" * 300, "é\u0000", "-", "a/b/c", "$(X)", "../..", "{{", "<nil>", "default", "fz-0",
    -1, 0, 1, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, 2**70, 1.5, -0.0, 1e22, 1e308, True, False,
    [], {}, [None], {"": ""}, {"a": None}, [[]], [{}], "10Gi", "-5", "1e308", "1e-400", "0.5", "9" * 30, "250%", "100%",
    "2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "* * * * *", "59 23 31 2 *", "1h", "-1s",
    "10.0.0.0/8", "::1", "127.0.0.1", "^(a+)+$", "(", "metadata.name", "spec.nodeName", "Always", "Never", "TCP",
    "{{" * 20_000, "1e" + "9" * 5_000, "1" * 20_000, "{{=sprig.untilStep(0, 999999999, 1)}}", "[" * 20_000,
]  # fmt: skip
COMMON_FIELDS: list[tuple[str, Any]] = [
    ("labels", {"a": None}), ("annotations", {"a": None}), ("labels", {"app": "x"}), ("finalizers", ["x.io/y"]),
    ("generateName", "fz-"), ("ownerReferences", [{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y"}]),
    ("deletionTimestamp", "2026-01-01T00:00:00Z"), ("resourceVersion", "1"), ("uid", "u"), ("creationTimestamp", None),
    ("deletionGracePeriodSeconds", -1), ("managedFields", [{"manager": "x", "operation": "Apply"}]), ("selfLink", "x"),
]  # fmt: skip


def mutated(dice: random.Random, value: Any, rate: float = 0.03) -> Any:
    """A copy of `value`; each place is replaced, left out or repeated with about this probability."""
    if dice.random() < rate:
        return dice.choice(ODD_VALUES)
    if isinstance(value, dict):
        return {key: mutated(dice, item, rate) for key, item in value.items() if dice.random() > rate / 3}
    if isinstance(value, list):
        return [mutated(dice, item, rate) for item in value for _ in range(2 if dice.random() < rate else 1)]
    return value


def with_odd_metadata(dice: random.Random, obj: dict[str, Any]) -> None:
    """Add a field that all objects have, in place."""
    metadata = obj.get("metadata")
    if isinstance(metadata, dict):
        field, value = dice.choice(COMMON_FIELDS)
        metadata[field] = value


def pointers(value: Any, at: str = "") -> Iterator[str]:
    """The JSON pointer of every place in a document."""
    yield at
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield from pointers(item, f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}")


def json_patch(dice: random.Random, current: Any) -> list[dict[str, Any]]:
    """A few operations on places that the document has, or nearly has."""
    places = list(pointers(current)) or [""]
    operations: list[dict[str, Any]] = []
    for _ in range(dice.randint(1, 3)):
        place = dice.choice(places) + dice.choice(["", "", "", "/-", "/0", "/x", "/metadata/labels"])
        operation = {"op": dice.choice(["add", "replace", "remove", "test", "copy", "move"]), "path": place}
        if operation["op"] in ("copy", "move"):
            operation["from"] = dice.choice(places)
        elif operation["op"] != "remove":
            operation["value"] = dice.choice(ODD_VALUES)
        operations.append(operation)
    return operations


def merge_patch(dice: random.Random, current: Any) -> Any:
    """A part of the document, with a few odd values; most of it is left out."""
    if not isinstance(current, dict) or not current:
        return dice.choice(ODD_VALUES)
    keys = dice.sample(list(current), dice.randint(1, min(2, len(current))))
    return {key: merge_patch(dice, current[key]) if dice.random() < 0.8 else dice.choice(ODD_VALUES) for key in keys}
