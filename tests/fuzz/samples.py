"""Objects that are valid, or nearly: written by hand, from the examples, or made from a published schema."""

import random
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "tests" / "apiserver" / "fuzz_manifests.yaml"
EXAMPLES = ROOT / "examples"
MAX_DEPTH = 7
QUANTITIES = ["1", "100m", "1Gi", "0", "1e3", "1e308", "-1", "9223372036854775807", 5]
TEXTS: list[Any] = ["a", "x", "fz-0", "fz-1", "default", "busybox", "", "a.b/c", "1", "80%", "Always", "Never"]
TEXTS += ["2026-01-01T00:00:00Z", "v1", "Pod", "10.0.0.1", "app", "true", "* * * * *", "http", "kubernetes.io/os"]
INTEGERS = [0, 1, 2, 3, 80, 8080, -1, 1000, 2**31 - 1, 2**31, 2**63 - 1]


def written() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Manifests by apiVersion and kind. Their containers do nothing that takes long, and need no image."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    documents = [row["manifest"] for row in yaml.safe_load_all(MANIFESTS.read_text())]
    for path in sorted(EXAMPLES.rglob("*.yaml")):
        documents += [each for each in yaml.safe_load_all(path.read_text()) if isinstance(each, dict)]
    for document in documents:
        if "apiVersion" in document and "kind" in document:
            quiet(document)
            found.setdefault((document["apiVersion"], document["kind"]), []).append(document)
    return found


def quiet(value: Any) -> None:
    """Have containers run `true`, in place: no image is installed, and nothing runs for long."""
    if isinstance(value, dict):
        if isinstance(value.get("image"), str) and "name" in value:
            value["image"], value["command"] = "busybox", ["true"]
            value.pop("args", None)
        for item in value.values():
            quiet(item)
    elif isinstance(value, list):
        for item in value:
            quiet(item)


class Schemas:
    """What `/openapi/v3` says of the kinds of one group and version."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas: dict[str, Any] = document.get("components", {}).get("schemas", {})
        self._by_kind: dict[str, dict[str, Any]] = {}
        for schema in self._schemas.values():
            for place in schema.get("x-kubernetes-group-version-kind", ()):
                api_version = f"{place['group']}/{place['version']}" if place["group"] else place["version"]
                self._by_kind[f"{api_version} {place['kind']}"] = schema

    def sample(self, dice: random.Random, api_version: str, kind: str) -> dict[str, Any]:
        """An object with fields of the right types and whatever values."""
        schema = self._by_kind.get(f"{api_version} {kind}", {})
        body: dict[str, Any] = {"apiVersion": api_version, "kind": kind, "metadata": {}}
        for name, field in schema.get("properties", {}).items():
            if name not in body and (name in schema.get("required", ()) or dice.random() < 0.9):
                body[name] = self._value(dice, field, 1)
        return body

    def _value(self, dice: random.Random, schema: dict[str, Any], depth: int) -> Any:
        schema = self._resolved(schema)
        if schema.get("enum"):
            return dice.choice(schema["enum"])
        kinds = [each.get("type") for each in schema.get("oneOf", ()) or schema.get("anyOf", ())]
        if "string" in kinds or schema.get("x-kubernetes-int-or-string"):
            return dice.choice(QUANTITIES)
        return self._typed(dice, schema, depth)

    def _typed(self, dice: random.Random, schema: dict[str, Any], depth: int) -> Any:
        match schema.get("type"):
            case "string":
                return dice.choice(TEXTS)
            case "integer":
                return dice.choice(INTEGERS)
            case "number":
                return dice.choice([0.5, 1, -1, 1e300])
            case "boolean":
                return dice.random() < 0.5
            case "array":
                count = dice.randint(0, 2) if depth < MAX_DEPTH else 0
                return [self._value(dice, schema.get("items", {}), depth + 1) for _ in range(count)]
            case _:
                return self._object(dice, schema, depth)

    def _object(self, dice: random.Random, schema: dict[str, Any], depth: int) -> Any:
        required = schema.get("required", ())
        if depth >= MAX_DEPTH:
            return {}
        found: dict[str, Any] = {}
        for name, field in schema.get("properties", {}).items():
            if name in required or dice.random() < 0.6 / depth:
                found[name] = self._value(dice, field, depth + 1)
        values = schema.get("additionalProperties")
        if isinstance(values, dict) and dice.random() < 0.7:
            found[dice.choice(["a", "cpu", "memory", "Worker", "Master", "nvidia.com/gpu"])] = self._value(
                dice, values, depth + 1
            )
        return found

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        while True:
            if "$ref" in schema:
                schema = self._schemas.get(schema["$ref"].rpartition("/")[2], {})
            elif len(schema.get("allOf", ())) == 1:
                schema = schema["allOf"][0]
            else:
                return schema
