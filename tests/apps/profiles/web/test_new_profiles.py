"""What a POST of kfam makes of a Profile, and which of its fields are an administrator's."""

from typing import Any

import pytest

from windlass.apps.profiles.web.new_profiles import for_administrators, profile_of
from windlass.kube.errors import BadRequest

ANN = {"kind": "User", "name": "ann@example.com"}


def a_body(metadata: Any = None, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "ann", **(metadata or {})}, "spec": {"owner": ANN, **spec}}


def test_what_a_client_in_go_sends_sets_nothing_but_name_and_owner() -> None:
    body = a_body({"creationTimestamp": None}, resourceQuotaSpec={}, plugins=None) | {"status": {}}

    profile = profile_of(body)

    assert profile["metadata"] == {"name": "ann"}
    assert for_administrators(profile) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (a_body({"labels": {"a": "b"}}), "metadata.labels"),
        (a_body({"annotations": {"a": "b"}}), "metadata.annotations"),
        (a_body(resourceQuotaSpec={"hard": {"pods": "1"}}), "spec.resourceQuotaSpec"),
        (a_body(plugins=[{"kind": "WorkloadIdentity"}]), "spec.plugins"),
        (a_body(somethingNew=False), "spec.somethingNew"),
    ],
)
def test_other_fields_are_for_administrators(body: dict[str, Any], field: str) -> None:
    assert for_administrators(profile_of(body)) == [field]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "metadata.name"),
        ({"metadata": [], "spec": "x"}, "metadata.name"),
        ({"metadata": {"name": 7}, "spec": {"owner": ANN}}, "metadata.name"),
        (a_body(owner={"kind": "User", "name": ""}), "spec.owner"),
        (a_body(owner={"kind": "Robot", "name": "x"}), "spec.owner.kind"),
        (a_body(owner={"kind": ["User"], "name": "x"}), "spec.owner.kind"),
        (a_body(owner={"kind": "ServiceAccount", "name": "x"}), "spec.owner.namespace"),
        (a_body({"finalizers": ["x/y"]}), "metadata.finalizers"),
    ],
)
def test_what_cannot_be_a_profile_is_refused_by_its_field(body: dict[str, Any], why: str) -> None:
    with pytest.raises(BadRequest, match=why):
        profile_of(body)
