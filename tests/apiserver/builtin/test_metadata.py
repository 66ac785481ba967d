"""Validation of metadata, which every kind shares."""

from typing import Any

import pytest

from windlass.apiserver.builtin.metadata import validate_metadata, validate_metadata_update
from windlass.kube.json import Object

QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "a", "uid": "1"}


def causes(namespaced: bool = True, **meta: Any) -> list[tuple[str, str]]:
    own: Object = {"name": "a", "namespace": "default"} if namespaced else {"name": "a"}
    found = validate_metadata({"metadata": {**own, **meta}}, namespaced)
    return [(cause.field, cause.message) for cause in found]


def test_good_metadata_has_no_causes() -> None:
    assert causes(
        labels={"app": "a", "example.com/x": ""},
        annotations={"Any/Case": "x y"},
        ownerReferences=[{**OWNER, "controller": True}, {**OWNER, "uid": "2"}],
        finalizers=["example.com/x", "foregroundDeletion"],
        generateName="a-",
    ) == []  # fmt: skip


@pytest.mark.parametrize(
    ("meta", "cause"),
    [
        ({"labels": {"a b": "c"}}, ("metadata.labels", f'Invalid value: "a b": name part {QUALIFIED}')),
        ({"labels": {"a": "b c"}}, ("metadata.labels", f'Invalid value: "b c": {VALUE}')),
        ({"annotations": {"a b": ""}}, ("metadata.annotations", f'Invalid value: "a b": name part {QUALIFIED}')),
        (
            {"annotations": {"a": "x" * 262144}},
            ("metadata.annotations", "Too long: may not be more than 262144 bytes"),
        ),
        (
            {"ownerReferences": [{**OWNER, "uid": ""}]},
            ("metadata.ownerReferences[0].uid", 'Invalid value: "": uid must not be empty'),
        ),
        (
            {"ownerReferences": [{**OWNER, "apiVersion": "apps/"}]},
            ("metadata.ownerReferences[0].apiVersion", 'Invalid value: "apps/": version must not be empty'),
        ),
        (
            {"finalizers": ["mine"]},
            (
                "metadata.finalizers[0]",
                'Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
            ),
        ),
        ({"name": ""}, ("metadata.name", "Required value: name or generateName is required")),
        ({"namespace": ""}, ("metadata.namespace", "Required value")),
    ],
)
def test_bad_metadata_is_told_what_is_wrong(meta: Object, cause: tuple[str, str]) -> None:
    assert causes(**meta) == [cause]


def test_a_short_finalizer_is_fine_where_the_kind_says_so() -> None:
    obj: Object = {"metadata": {"name": "a", "finalizers": ["mine"]}}

    assert validate_metadata(obj, False, qualified_finalizers=False) == []


def test_only_one_owner_controls() -> None:
    [(field, message)] = causes(ownerReferences=[{**OWNER, "controller": True}, {**OWNER, "controller": True}])

    assert field == "metadata.ownerReferences"
    assert message.endswith(
        "Only one reference can have Controller set to true. "
        'Found "true" in references for ReplicaSet/a and ReplicaSet/a'
    )


def test_a_cluster_wide_object_has_no_namespace() -> None:
    assert causes(namespaced=False, namespace="x") == [("metadata.namespace", "Forbidden: not allowed on this type")]


def test_the_name_follows_the_rule_that_is_given() -> None:
    found = validate_metadata({"metadata": {"name": "x"}}, False, lambda name: [f"{name} will not do"])

    assert [cause.message for cause in found] == ['Invalid value: "x": x will not do']


def test_identity_may_not_change() -> None:
    old: Object = {"metadata": {"name": "a", "uid": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}}

    assert validate_metadata_update(old, old) == []
    [cause] = validate_metadata_update({"metadata": {**old["metadata"], "uid": "2"}}, old)
    assert (cause.field, cause.message) == ("metadata.uid", 'Invalid value: "2": field is immutable')
