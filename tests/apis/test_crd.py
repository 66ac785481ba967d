from typing import Annotated, Any, Literal

import pytest

from windlass.apis import crd
from windlass.apis.fields import Count, DnsName, Foreign, IntOrString, Moment, Quantity
from windlass.kube.kind import Column, Scale, kind
from windlass.kube.meta import Meta, Object, Struct


class SampleInner(Struct):
    """What is inside."""

    needed: str
    also: int = 0


class SampleSpec(Struct):
    text: str = ""
    named: DnsName = "default"
    choice: Literal["a", "b"] = "a"
    free: Literal["x", "y"] | None = None
    many: Annotated[list[SampleInner], Meta(max_length=3, extra_json_schema={"x-kubernetes-list-type": "atomic"})] = []
    by_name: dict[str, Count] = {}
    port: IntOrString = 80
    amount: Quantity | None = None
    template: Foreign = {}
    anything: dict[str, Any] = {}
    since: Moment | None = None
    ratio: Annotated[float, Meta(gt=0, le=1)] = 0.5
    off: bool = False
    on: bool = True


@kind(
    "test.windlass.dev/v1",
    plural="samples",
    categories=("all",),
    scale=Scale(label_selector=".status.selector"),
    columns=(Column("Text", ".spec.text", description="what it says"), Column("N", ".spec.n", "integer", priority=1)),
)
class Sample(Object):
    """A sample
    of two lines."""

    spec: SampleSpec = SampleSpec()


def spec_schema(name: str) -> Any:
    return crd.schema(Sample)["properties"]["spec"]["properties"][name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("text", {"type": "string"}),
        ("choice", {"type": "string", "enum": ["a", "b"], "default": "a"}),
        ("free", {"type": "string", "enum": ["x", "y"]}),
        ("byName", {
            "type": "object", "additionalProperties": {"type": "integer", "format": "int32", "minimum": 0},
        }),
        ("template", {"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
        ("anything", {"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
        ("since", {"type": "string", "format": "date-time"}),
        ("ratio", {
            "type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1, "default": 0.5,
        }),
        ("off", {"type": "boolean"}),
        ("on", {"type": "boolean", "default": True}),
    ],
)  # fmt: skip
def test_each_type_becomes_its_schema(name: str, expected: Any) -> None:
    assert spec_schema(name) == expected


def test_lists_of_structs_are_inlined_with_what_is_required() -> None:
    assert spec_schema("many") == {
        "type": "array",
        "maxItems": 3,
        "x-kubernetes-list-type": "atomic",
        "items": {
            "type": "object",
            "description": "What is inside.",
            "properties": {"needed": {"type": "string"}, "also": {"type": "integer"}},
            "required": ["needed"],
        },
    }


def test_an_int_or_string_has_no_type_of_its_own() -> None:
    assert spec_schema("port")["x-kubernetes-int-or-string"] is True
    assert "type" not in spec_schema("port")
    assert spec_schema("port")["default"] == 80
    assert spec_schema("amount")["pattern"].startswith("^")


def test_the_docstring_is_the_description() -> None:
    assert crd.schema(Sample)["description"] == "A sample of two lines."


def test_names_columns_and_subresources() -> None:
    spec = crd.definition(Sample)["spec"]
    (version,) = spec["versions"]

    assert spec["names"] == {
        "kind": "Sample", "listKind": "SampleList", "plural": "samples", "singular": "sample", "categories": ["all"],
    }  # fmt: skip
    assert spec["scope"] == "Namespaced"
    assert version["subresources"] == {
        "status": {},
        "scale": {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        },
    }
    assert version["additionalPrinterColumns"] == [
        {"name": "Text", "type": "string", "jsonPath": ".spec.text", "description": "what it says"},
        {"name": "N", "type": "integer", "jsonPath": ".spec.n", "priority": 1},
    ]


class Knot(Struct):
    inner: "Knot | None" = None


@kind("test.windlass.dev/v1", plural="knotteds")
class Knotted(Object):
    knot: Knot = Knot()


def test_a_type_that_contains_itself_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="Knot contains itself"):
        crd.schema(Knotted)
