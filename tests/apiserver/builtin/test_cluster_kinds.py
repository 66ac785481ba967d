"""Namespaces, nodes, quotas, limit ranges, claims and volumes."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import (
    a_claim,
    an,
    causes_of,
    changed,
    created,
    defaulted,
    example,
    strategy_of,
    update_causes,
)
from windlass.kube.json import Object


def test_a_new_namespace_is_active_labelled_and_finalized_by_kubernetes() -> None:
    made = created(an("v1", "Namespace", ""))

    assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": "a"}
    assert made["spec"] == {"finalizers": ["kubernetes"]}
    assert made["status"] == {"phase": "Active"}


def test_the_finalizers_of_a_namespace_do_not_change_by_an_update() -> None:
    old, new = created(an("v1", "Namespace", "")), an("v1", "Namespace", "", spec={"finalizers": []})

    strategy_of(new).prepare_update(new, old)

    assert new["spec"] == {"finalizers": ["kubernetes"]}


@pytest.mark.parametrize(
    ("kind", "group", "name", "good"),
    [
        ("Namespace", "", "a.b", False),
        ("Namespace", "", "a-b", True),
        ("Service", "", "1a", False),
        ("Service", "", "a1", True),
        ("Pod", "", "a.b", True),
        ("Pod", "", "a_b", False),
        ("Role", "rbac.authorization.k8s.io", "system:Node_x", True),
        ("Role", "rbac.authorization.k8s.io", "a/b", False),
    ],
)
def test_names_follow_the_rule_of_their_kind(kind: str, group: str, name: str, good: bool) -> None:
    assert (strategy_of(example(kind, group)).validate_name(name) == []) is good


def test_a_node_keeps_the_status_it_registers_with() -> None:
    made = created(an("v1", "Node", "", status={"capacity": {"cpu": "2000m"}}))

    assert made["status"] == {"capacity": {"cpu": "2"}, "allocatable": {"cpu": "2"}}


@pytest.mark.parametrize(
    ("taints", "cause"),
    [
        ([{"key": "a"}], ("spec.taints[0].effect", "Required value")),
        (
            [{"key": "a", "effect": "No"}],
            (
                "spec.taints[0].effect",
                'Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
            ),
        ),
    ],
)
def test_a_bad_taint_is_told_what_is_wrong(taints: list[Object], cause: tuple[str, str]) -> None:
    assert causes_of(an("v1", "Node", "", spec={"taints": taints})) == [cause]


@pytest.mark.parametrize(
    ("hard", "cause"),
    [
        ({"pods": "-1"}, ("spec.hard[pods]", 'Invalid value: "-1": must be greater than or equal to 0')),
        ({"pods": "500m"}, ("spec.hard[pods]", 'Invalid value: "500m": must be an integer')),
        ({"colour": "1"}, ("spec.hard[colour]", 'Invalid value: "colour": must be a standard resource for quota')),
    ],
)
def test_a_bad_quota_is_told_what_is_wrong(hard: Object, cause: tuple[str, str]) -> None:
    assert causes_of(an("v1", "ResourceQuota", spec={"hard": hard})) == [cause]


def test_quotas_may_count_any_resource() -> None:
    hard = {"count/jobs.batch": "5", "requests.nvidia.com/gpu": "1", "limits.memory": "1Gi"}

    assert causes_of(an("v1", "ResourceQuota", spec={"hard": hard})) == []


def a_limit_range(**item: Any) -> Object:
    return an("v1", "LimitRange", spec={"limits": [{"type": "Container", **item}]})


def test_defaults_of_a_container_come_from_max_and_min() -> None:
    [item] = defaulted(a_limit_range(max={"cpu": "2"}, min={"memory": "1Mi"}))["spec"]["limits"]

    assert item["default"] == {"cpu": "2"}
    assert item["defaultRequest"] == {"cpu": "2", "memory": "1Mi"}


@pytest.mark.parametrize(
    ("item", "cause"),
    [
        (
            {"type": "Pod", "min": {"cpu": "2"}, "max": {"cpu": "1"}},
            ("spec.limits[0].min[cpu]", 'Invalid value: "2": min value 2 is greater than max value 1'),
        ),
        (
            {"type": "Pod", "default": {"cpu": "1"}},
            ("spec.limits[0].default", "Forbidden: may not be specified when `type` is 'Pod'"),
        ),
        (
            {"defaultRequest": {"cpu": "2"}, "default": {"cpu": "1"}},
            (
                "spec.limits[0].defaultRequest[cpu]",
                'Invalid value: "2": default request value 2 is greater than default limit value 1',
            ),
        ),
    ],
)
def test_a_bad_limit_range_is_told_what_is_wrong(item: Object, cause: tuple[str, str]) -> None:
    assert causes_of(a_limit_range(**item)) == [cause]


@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        ("spec.accessModes", [], ("spec.accessModes", "Required value: at least 1 access mode is required")),
        (
            "spec.accessModes",
            ["Mine"],
            (
                "spec.accessModes",
                'Unsupported value: "Mine": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", '
                '"ReadWriteOncePod"',
            ),
        ),
        ("spec.resources", {}, ("spec.resources[storage]", "Required value")),
        (
            "spec.resources",
            {"requests": {"storage": "0"}},
            ("spec.resources[storage]", 'Invalid value: "0": must be greater than zero'),
        ),
    ],
)
def test_a_bad_claim_is_told_what_is_wrong(path: str, value: Any, cause: tuple[str, str]) -> None:
    assert causes_of(changed(a_claim(), path, value)) == [cause]


def test_a_new_claim_is_pending_on_a_filesystem() -> None:
    made = created(a_claim())

    assert (made["spec"]["volumeMode"], made["status"]) == ("Filesystem", {"phase": "Pending"})


def claim_update(new: Object, old: Object, **status: Any) -> list[str]:
    before, after = {**created(old), "status": status}, created(new)
    return [cause.message.partition("\n")[0] for cause in strategy_of(after).validate_update(after, before)]


GROWN = a_claim(resources={"requests": {"storage": "2Gi"}})
IMMUTABLE = (
    "Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound "
    "claims"
)


def test_a_claim_may_be_bound_and_grow_then_and_nothing_else() -> None:
    bound = a_claim(volumeName="pv")

    assert claim_update(bound, a_claim(), phase="Pending") == []
    assert claim_update(changed(bound, "spec.resources", GROWN["spec"]["resources"]), bound, phase="Bound") == []
    assert claim_update(GROWN, a_claim(), phase="Pending") == [IMMUTABLE]
    assert claim_update(a_claim(accessModes=["ReadWriteMany"]), a_claim(), phase="Pending") == [IMMUTABLE]


def test_a_claim_may_not_shrink_below_what_it_has() -> None:
    old = changed(GROWN, "spec.volumeName", "pv")
    new = changed(old, "spec.resources.requests.storage", "1Gi")

    messages = claim_update(new, old, phase="Bound", capacity={"storage": "2Gi"})

    assert messages == ["Forbidden: field can not be less than status.capacity"]


@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        ("spec.capacity", {}, ("spec.capacity", "Required value")),
        ("spec.hostPath", None, ("spec", "Required value: must specify a volume type")),
        ("spec.nfs", {"server": "s", "path": "/"}, ("spec.nfs", "Forbidden: may not specify more than 1 volume type")),
        (
            "spec.persistentVolumeReclaimPolicy",
            "Burn",
            (
                "spec.persistentVolumeReclaimPolicy",
                'Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"',
            ),
        ),
    ],
)
def test_a_bad_volume_is_told_what_is_wrong(path: str, value: Any, cause: tuple[str, str]) -> None:
    assert causes_of(changed(example("PersistentVolume"), path, value)) == [cause]


def test_the_source_of_a_volume_may_not_change() -> None:
    volume = example("PersistentVolume")

    causes = update_causes(changed(volume, "spec.hostPath.path", "/y"), volume)

    why = "Forbidden: spec.persistentvolumesource is immutable after creation"
    assert causes == [("spec.persistentvolumesource", why)]
