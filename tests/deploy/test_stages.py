"""Which objects of a cluster an uninstall may remove, and which keep a namespace from going."""

from typing import Any

import pytest

from windlass.deploy.stages import is_anothers, is_ours

OURS = {"app.kubernetes.io/managed-by": "windlass"}
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "a", "uid": "u"}


def an_object(kind: str = "ConfigMap", name: str = "a", **metadata: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": name, **metadata}}


@pytest.mark.parametrize(
    ("metadata", "answer"),
    [
        ({}, False),
        ({"labels": OURS}, True),
        ({"labels": {"app.kubernetes.io/managed-by": "Helm"}}, False),
        ({"managedFields": [{"manager": "kubectl"}]}, False),
        ({"managedFields": [{"manager": "kubectl"}, {"manager": "windlass-install"}]}, True),
    ],
)
def test_an_object_is_ours_by_its_label_or_by_who_installed_it(metadata: dict[str, Any], answer: bool) -> None:
    assert is_ours(an_object(**metadata)) is answer


@pytest.mark.parametrize(
    ("obj", "answer"),
    [
        (an_object(), True),
        (an_object(labels=OURS), False),
        (an_object("Pod", ownerReferences=[OWNER]), False),
        (an_object("ServiceAccount", "default"), False),
        (an_object("ServiceAccount", "train"), True),
        (an_object("ConfigMap", "kube-root-ca.crt"), False),
        (an_object("Event"), False),
        (an_object("Secret", "windlass-pipelines-database"), True),
    ],
)
def test_a_namespace_is_kept_for_objects_that_someone_put_there(obj: dict[str, Any], answer: bool) -> None:
    assert is_anothers(obj) is answer
