"""Deployments and the other workloads: defaults, selectors that must fit their template, and what may not change."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import (
    a_template,
    a_workload,
    an,
    causes_of,
    changed,
    created,
    defaulted,
    strategy_of,
    update_causes,
)
from windlass.kube.json import Object

KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
NO_MATCH = "`selector` does not match template `labels`"


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (
            "Deployment",
            {
                "replicas": 1,
                "revisionHistoryLimit": 10,
                "progressDeadlineSeconds": 600,
                "strategy": {
                    "type": "RollingUpdate",
                    "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
                },
            },
        ),
        ("ReplicaSet", {"replicas": 1}),
        (
            "StatefulSet",
            {
                "replicas": 1,
                "revisionHistoryLimit": 10,
                "podManagementPolicy": "OrderedReady",
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
                "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
            },
        ),
        (
            "DaemonSet",
            {
                "revisionHistoryLimit": 10,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            },
        ),
    ],
)
def test_a_workload_gets_its_defaults(kind: str, wanted: Object) -> None:
    spec = defaulted(a_workload(kind))["spec"]

    assert {field: value for field, value in spec.items() if field not in ("selector", "template")} == wanted
    assert spec["template"]["spec"]["restartPolicy"] == "Always"


def test_recreate_gets_no_rolling_update() -> None:
    made = defaulted(a_workload("Deployment", strategy={"type": "Recreate"}))

    assert made["spec"]["strategy"] == {"type": "Recreate"}


def test_a_replication_controller_takes_selector_and_labels_from_its_template() -> None:
    made = defaulted(an("v1", "ReplicationController", spec={"template": a_template()}))

    assert made["spec"]["selector"] == {"app": "a"} == made["metadata"]["labels"]


def test_a_claim_template_is_shown_as_a_claim() -> None:
    claim = {"metadata": {"name": "d"}, "spec": {"resources": {"requests": {"storage": "1024Mi"}}}}

    [made] = defaulted(a_workload("StatefulSet", volumeClaimTemplates=[claim]))["spec"]["volumeClaimTemplates"]

    assert (made["kind"], made["spec"]["volumeMode"], made["status"]) == (
        "PersistentVolumeClaim",
        "Filesystem",
        {"phase": "Pending"},
    )
    assert made["spec"]["resources"]["requests"]["storage"] == "1Gi"


def test_a_stateful_sets_pods_may_mount_its_claims() -> None:
    container = {"name": "c", "image": "x", "volumeMounts": [{"name": "d", "mountPath": "/d"}]}
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [container]}}
    claims = [{"metadata": {"name": "d"}, "spec": {}}]

    assert causes_of(a_workload("StatefulSet", template=template, volumeClaimTemplates=claims)) == []
    assert causes_of(a_workload("StatefulSet", template=template)) == [
        ("spec.template.spec.containers[0].volumeMounts[0].name", 'Not found: "d"')
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        ("spec.selector", None, ("spec.selector", "Required value")),
        (
            "spec.selector",
            {"matchLabels": {"app": "b"}},
            ("spec.template.metadata.labels", f'Invalid value: {{"app":"a"}}: {NO_MATCH}'),
        ),
        (
            "spec.template.spec.restartPolicy",
            "Never",
            ("spec.template.spec.restartPolicy", 'Unsupported value: "Never": supported values: "Always"'),
        ),
        ("spec.template.spec.containers", [], ("spec.template.spec.containers", "Required value")),
        (
            "spec.minReadySeconds",
            -1,
            ("spec.minReadySeconds", "Invalid value: -1: must be greater than or equal to 0"),
        ),
        (
            "spec.selector",
            {"matchExpressions": [{"key": "app", "operator": "Like"}]},
            ("spec.selector.matchExpressions[0].operator", 'Invalid value: "Like": not a valid selector operator'),
        ),
    ],
)
def test_a_bad_workload_is_told_what_is_wrong(kind: str, path: str, value: Any, cause: tuple[str, str]) -> None:
    assert causes_of(changed(a_workload(kind), path, value)) == [cause]


@pytest.mark.parametrize(
    ("kind", "named"),
    [("Deployment", "deployment"), ("StatefulSet", "statefulset"), ("DaemonSet", "daemonset")],
)
def test_a_selector_of_everything_is_refused(kind: str, named: str) -> None:
    causes = causes_of(a_workload(kind, selector={}))

    assert causes == [("spec.selector", f"Invalid value: {{}}: empty selector is invalid for {named}")]


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        ({"replicas": -1}, ("spec.replicas", "Invalid value: -1: must be greater than or equal to 0")),
        (
            {"progressDeadlineSeconds": 5, "minReadySeconds": 5},
            ("spec.progressDeadlineSeconds", "Invalid value: 5: must be greater than minReadySeconds"),
        ),
        (
            {"strategy": {"type": "Recreate", "rollingUpdate": {}}},
            ("spec.strategy.rollingUpdate", "Forbidden: may not be specified when strategy `type` is 'Recreate'"),
        ),
        (
            {"strategy": {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": "0%"}}},
            ("spec.strategy.rollingUpdate.maxUnavailable", "Invalid value: 0: may not be 0 when `maxSurge` is 0"),
        ),
        (
            {"strategy": {"rollingUpdate": {"maxUnavailable": "101%"}}},
            ("spec.strategy.rollingUpdate.maxUnavailable", 'Invalid value: "101%": must not be greater than 100%'),
        ),
        (
            {"strategy": {"rollingUpdate": {"maxSurge": "some"}}},
            (
                "spec.strategy.rollingUpdate.maxSurge",
                "Invalid value: \"some\": a valid percent string must be a numeric string followed by an ending '%' "
                "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
            ),
        ),
    ],
)
def test_a_bad_deployment_is_told_what_is_wrong(spec: Object, cause: tuple[str, str]) -> None:
    assert cause in causes_of(a_workload("Deployment", **spec))


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "DaemonSet"])
def test_a_selector_may_not_change(kind: str) -> None:
    labels = {"app": "a", "tier": "x"}
    new = changed(a_workload(kind, selector={"matchLabels": labels}), "spec.template.metadata.labels", labels)

    causes = update_causes(new, a_workload(kind))

    why = 'Invalid value: {"matchLabels":{"app":"a","tier":"x"}}: field is immutable'
    assert causes == [("spec.selector", why)]


def test_a_stateful_set_may_change_little() -> None:
    [(field, message)] = update_causes(a_workload("StatefulSet", serviceName="b"), a_workload("StatefulSet"))

    assert field == "spec"
    assert message.startswith("Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals'")
    assert update_causes(a_workload("StatefulSet", replicas=3), a_workload("StatefulSet")) == []


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("Deployment", {}),
        ("ReplicaSet", {"replicas": 0}),
        ("StatefulSet", {"availableReplicas": 0, "replicas": 0}),
        (
            "DaemonSet",
            {
                "currentNumberScheduled": 0,
                "desiredNumberScheduled": 0,
                "numberMisscheduled": 0,
                "numberReady": 0,
            },
        ),
    ],
)
def test_a_new_workload_has_counted_nothing(kind: str, status: Object) -> None:
    assert created(a_workload(kind))["status"] == status


def test_warnings_of_the_template_are_the_workloads() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    obj = changed(a_workload("Deployment"), "spec.template.spec.containers.0.env", env)

    [warning] = strategy_of(obj).warnings(obj)
    assert warning.startswith('spec.template.spec.containers[0].env[1]: hides previous definition of "A"')


def test_a_daemon_set_counts_the_changes_of_its_template() -> None:
    key = "deprecated.daemonset.template.generation"
    old = created(a_workload("DaemonSet"))
    new = changed(old, "spec.template.spec.containers.0.image", "other")

    strategy_of(new).prepare_update(new, old)

    assert (old["metadata"]["annotations"][key], new["metadata"]["annotations"][key]) == ("1", "2")
