"""Definitions of several versions, and fields whose type is Kubernetes' own."""

from typing import Annotated, Any

from windlass.apis import crd
from windlass.apis.crd import OpenVersion
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct
from windlass.kube.structural import structural

CONTAINER = "io.k8s.api.core.v1.Container"


class NewSpec(Struct):
    size: int
    main: Annotated[dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": CONTAINER})] = {}
    more: list[Annotated[dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": CONTAINER})]] = []
    quiet: Annotated[bool, Meta(extra_json_schema={"default": False})] | None = None


@kind("versions.windlass.dev/v2", plural="gadgets")
class Gadget(Object):
    """A gadget."""

    spec: NewSpec


class OldSpec(Struct):
    length: int = 1


@kind("versions.windlass.dev/v1", plural="gadgets", status=False, columns=(Column("Length", ".spec.length"),))
class OldGadget(Object):
    """A gadget, as it was."""

    spec: OldSpec = OldSpec()


def test_the_first_version_is_stored_and_all_are_served_each_with_its_own_schema() -> None:
    spec = crd.definition(Gadget, OldGadget, OpenVersion("v1alpha1", (Column("State", ".status.state"),)))["spec"]
    new, old, oldest = spec["versions"]

    assert [(v["name"], v["served"], v["storage"]) for v in spec["versions"]] == [
        ("v2", True, True), ("v1", True, False), ("v1alpha1", True, False),
    ]  # fmt: skip
    assert spec["conversion"] == {"strategy": "None"}
    assert spec["names"]["kind"] == "Gadget"
    assert new["subresources"] == oldest["subresources"] == {"status": {}}
    assert "subresources" not in old
    assert [column["name"] for column in old["additionalPrinterColumns"]] == ["Length"]
    assert [column["jsonPath"] for column in oldest["additionalPrinterColumns"]] == [".status.state"]
    assert old["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["length"]["default"] == 1
    assert oldest["schema"]["openAPIV3Schema"]["x-kubernetes-preserve-unknown-fields"] is True


def test_how_versions_are_converted_can_be_told() -> None:
    webhook = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}

    assert crd.definition(Gadget, OldGadget, conversion=webhook)["spec"]["conversion"] == webhook


def test_a_field_without_a_default_is_required() -> None:
    schema = crd.schema(Gadget)

    assert schema["required"] == ["spec"]
    assert schema["properties"]["spec"]["required"] == ["size"]
    assert "required" not in crd.schema(OldGadget)


def test_a_type_of_kubernetes_is_spelt_out_and_shared() -> None:
    fields = crd.schema(Gadget)["properties"]["spec"]["properties"]

    assert fields["main"] is structural(CONTAINER)
    assert fields["more"]["items"] is structural(CONTAINER)
    assert "default" not in structural(CONTAINER)


def test_a_default_of_false_can_be_asked_for() -> None:
    assert crd.schema(Gadget)["properties"]["spec"]["properties"]["quiet"] == {"type": "boolean", "default": False}
