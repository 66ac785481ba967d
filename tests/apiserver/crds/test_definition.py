from typing import Any

import pytest

from tests.apiserver.crds.crd_builders import a_crd, a_version, an_object_schema, causes_of
from windlass.apiserver.crds.definition import CrdStrategy
from windlass.kube.json import Object

CLIENT = "spec.conversion.webhookClientConfig"
LABEL = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
UNWANTED = "Forbidden: should not be set when strategy is not set to Webhook"


def by_webhook(versions: list[str] | None = None, **client: Any) -> Object:
    """A conversion by a webhook that is reached so."""
    webhook = {"clientConfig": client, "conversionReviewVersions": ["v1"] if versions is None else versions}
    return {"conversion": {"strategy": "Webhook", "webhook": webhook}}


def by_service(**service: Any) -> Object:
    return by_webhook(service={"name": "converter", "namespace": "team", **service})


def test_names_and_conversion_are_filled_in() -> None:
    crd = a_crd()

    assert crd["spec"]["names"] == {
        "plural": "widgets",
        "kind": "Widget",
        "singular": "widget",
        "listKind": "WidgetList",
    }
    assert crd["spec"]["conversion"] == {"strategy": "None"}
    assert crd["status"]["storedVersions"] == ["v1"]
    assert causes_of(crd) == []


def test_the_name_must_be_plural_and_group() -> None:
    crd = a_crd()
    crd["metadata"]["name"] = "gadgets.example.com"

    assert causes_of(crd) == [
        'metadata.name: Invalid value: "gadgets.example.com": must be spec.names.plural+"."+spec.group'
    ]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"scope": "World"}, 'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'),
        ({"scope": ""}, "spec.scope: Required value"),
        (
            {"preserveUnknownFields": True},
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
            "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
        ),
        (
            {"conversion": {"strategy": "Magic"}},
            'spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"',
        ),
        ({"group": ""}, "spec.group: Required value"),
        ({"group": "example"}, 'spec.group: Invalid value: "example": should be a domain with at least one dot'),
        (
            {"conversion": {"strategy": "None", "webhook": {"clientConfig": {"url": "https://a"}}}},
            f"{CLIENT}: {UNWANTED}",
        ),
        (
            {"conversion": {"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]}}},
            f"spec.conversion.conversionReviewVersions: {UNWANTED}",
        ),
        (
            {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}},
            f"{CLIENT}: Required value: required when strategy is set to Webhook",
        ),
        (by_webhook(), f"{CLIENT}: Required value: exactly one of url or service is required"),
        (by_webhook([], url="https://a"), "spec.conversion.conversionReviewVersions: Required value"),
        (
            by_webhook(["v2"], url="https://a"),
            'spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
        ),
        (
            by_webhook(["v1", "v1"], url="https://a"),
            'spec.conversion.conversionReviewVersions[1]: Invalid value: "v1": duplicate version',
        ),
        (
            by_webhook(url="http://a"),
            f"{CLIENT}.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: "
            "https://host[/path]",
        ),
        (
            by_webhook(url="https:///a"),
            f'{CLIENT}.url: Invalid value: "": host must be provided; desired format: https://host[/path]',
        ),
        (
            by_webhook(url="https://me@a"),
            f'{CLIENT}.url: Invalid value: "me": user information is not permitted in the URL',
        ),
        (
            by_webhook(url="https://a#b"),
            f'{CLIENT}.url: Invalid value: "b": fragments are not permitted in the URL',
        ),
        (
            by_webhook(url="https://a?b=c"),
            f'{CLIENT}.url: Invalid value: "b=c": query parameters are not permitted in the URL',
        ),
        (by_service(name=""), f"{CLIENT}.service.name: Required value: service name is required"),
        (by_service(namespace=""), f"{CLIENT}.service.namespace: Required value: service namespace is required"),
        (
            by_service(port=70000),
            f"{CLIENT}.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
        ),
        (by_service(path="ab"), f"{CLIENT}.service.path: Invalid value: \"ab\": must start with a '/'"),
        (by_service(path="//"), f'{CLIENT}.service.path: Invalid value: "//": segment[0] may not be empty'),
        (by_service(path="/a//b"), f'{CLIENT}.service.path: Invalid value: "/a//b": segment[1] may not be empty'),
        (
            {"names": {"shortNames": ["W"]}},
            f'spec.names.shortNames[0]: Invalid value: "W": {LABEL}',
        ),
        (
            {"names": {"categories": ["all", "A"]}},
            f'spec.names.categories[1]: Invalid value: "A": {LABEL}',
        ),
        (
            {"names": {"kind": "Wid_get", "singular": "widget", "listKind": "Widgets"}},
            f'spec.names.kind: Invalid value: "Wid_get": may have mixed case, but should otherwise match: {LABEL}',
        ),
        (
            {"names": {"listKind": "Widget"}},
            'spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same',
        ),
    ],
)
def test_a_bad_spec_is_refused_by_field(spec: Object, message: str) -> None:
    crd = a_crd(**spec)
    crd["metadata"]["name"] = f"widgets.{crd['spec']['group']}"

    assert causes_of(crd) == [message]


def test_exactly_one_version_is_stored_and_names_are_unique() -> None:
    found = causes_of(a_crd(a_version("v1"), a_version("v1")))

    assert any(line.endswith("must contain unique version names") for line in found)
    assert any(line.endswith("must have exactly one version marked as storage version") for line in found)


def test_a_version_without_a_schema_is_refused() -> None:
    assert causes_of(a_crd({"name": "v1", "served": True, "storage": True})) == [
        "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"
    ]


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (
            {"deprecationWarning": "old"},
            'versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions',
        ),
        (
            {"deprecated": True, "deprecationWarning": ""},
            'versions[0].deprecationWarning: Invalid value: "": must not be an empty string',
        ),
        (
            {"deprecated": True, "deprecationWarning": "é\n"},
            'versions[0].deprecationWarning: Invalid value: "é\\n": must only contain printable UTF-8 characters; '
            "non-printable character found at index 2",
        ),
        (
            {"deprecated": True, "deprecationWarning": "x" * 257},
            f'versions[0].deprecationWarning: Invalid value: "{"x" * 257}": must be <= 256 characters long',
        ),
        (
            {"subresources": {"scale": {"specReplicasPath": ".status.n", "statusReplicasPath": ".status.n"}}},
            'subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
        ),
        (
            {"subresources": {"scale": {"specReplicasPath": ".spec.n"}}},
            "subresources.scale.statusReplicasPath: Required value",
        ),
        (
            {"additionalPrinterColumns": [{"name": "A", "type": "text", "jsonPath": ".spec.a"}]},
            'additionalPrinterColumns[0].type: Invalid value: "text": must be one of '
            "boolean,date,integer,number,string",
        ),
        (
            {"additionalPrinterColumns": [{"name": "A", "type": "string"}]},
            "additionalPrinterColumns[0].JSONPath: Required value",
        ),
        (
            {"selectableFields": [{"jsonPath": ".spec"}]},
            'selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or '
            "integer. Enum string fields and strings with formats are allowed.",
        ),
        (
            {"selectableFields": [{"jsonPath": ".spec.size"}, {"jsonPath": ".spec.size"}]},
            'selectableFields[1].jsonPath: Duplicate value: ".spec.size"',
        ),
    ],
)
def test_a_bad_version_is_refused_by_field(version: Object, message: str) -> None:
    assert causes_of(a_crd(a_version(**version))) == [f"spec.{message}"]


def test_what_differs_between_versions_is_named_by_version() -> None:
    column = {"name": "A", "type": "string"}
    other = a_version("v2", storage=False, schema={"type": "array"}, additionalPrinterColumns=[column])

    assert causes_of(a_crd(a_version("v1"), other)) == [
        'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "array": must be object at the root',
        "spec.versions[1].schema.openAPIV3Schema.items: Required value: must be specified",
        "spec.versions[1].additionalPrinterColumns[0].JSONPath: Required value",
    ]


def test_at_most_eight_fields_are_selectable() -> None:
    names = [f"f{number}" for number in range(9)]
    schema = an_object_schema(**{name: {"type": "string"} for name in names})
    fields = [{"jsonPath": f".spec.{name}"} for name in names]

    assert causes_of(a_crd(a_version(schema=schema, selectableFields=fields))) == [
        "spec.selectableFields: Too many: 9: must have at most 8 items"
    ]


def test_a_version_that_still_holds_objects_may_not_be_removed() -> None:
    old = a_crd(a_version("v1"), a_version("v2", storage=False))
    new = a_crd(a_version("v2"))
    CrdStrategy().prepare_update(new, old)

    assert new["status"]["storedVersions"] == ["v1", "v2"]
    (found,) = causes_of(new)
    assert found.startswith(
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously'
    )


def test_the_storage_version_is_among_those_stored() -> None:
    crd = a_crd(a_version("v1"), a_version("v2", storage=False))
    crd["status"]["storedVersions"] = ["v2"]

    assert causes_of(crd) == ['status.storedVersions: Invalid value: ["v2"]: must have the storage version v1']


def test_a_ca_bundle_in_use_must_hold_certificates() -> None:
    old, new = a_crd(**by_webhook(url="https://a")), a_crd(**by_webhook(url="https://a", caBundle="bm9uZQ=="))
    established: Object = {"status": {"conditions": [{"type": "Established", "status": "True"}]}}

    assert CrdStrategy().validate_update(new, old) == []
    (found,) = CrdStrategy().validate_update(new, {**old, **established})
    assert (found.field, found.message) == (
        f"{CLIENT}.caBundle",
        'Invalid value: "bm9uZQ==": unable to load root certificates: unable to parse bytes as PEM block',
    )
    assert CrdStrategy().validate_update(new, {**new, **established}) == []


def test_what_names_an_established_definition_is_immutable() -> None:
    old = a_crd()
    new = a_crd(scope="Cluster", names={"kind": "Gadget"})
    established: Object = {"conditions": [{"type": "Established", "status": "True"}]}

    assert CrdStrategy().validate_update(new, old) == []
    fields = [cause.field for cause in CrdStrategy().validate_update(new, {**old, "status": established})]
    assert fields == ["spec.scope", "spec.names.kind"]


def test_groups_of_kubernetes_need_its_approval() -> None:
    crd = a_crd(group="batch.k8s.io")
    crd["metadata"]["name"] = "widgets.batch.k8s.io"
    assert len(causes_of(crd)) == 1

    crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, experimental-only"}
    assert causes_of(crd) == []
