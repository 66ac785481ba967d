"""Autoscalers, events, priorities, storage classes, leases, webhooks and signing requests."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import (
    a_webhook,
    an,
    an_autoscaler,
    causes_of,
    changed,
    defaulted,
    example,
    strategy_of,
    update_causes,
)
from windlass.apiserver.builtin.autoscaling import from_v2, to_v2
from windlass.apiserver.builtin.events import from_core, to_core
from windlass.kube.json import Object

ADMISSION = "admissionregistration.k8s.io/v1"


def cpu(percent: int) -> Object:
    return {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}},
    }


def test_an_autoscaler_watches_the_cpu_by_default() -> None:
    spec = defaulted(an_autoscaler())["spec"]

    assert (spec["minReplicas"], spec["metrics"]) == (1, [cpu(80)])


@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        ("spec.minReplicas", 0, ("spec.minReplicas", "Invalid value: 0: must be greater than or equal to 1")),
        ("spec.maxReplicas", 0, ("spec.maxReplicas", "Invalid value: 0: must be greater than 0")),
        (
            "spec.minReplicas",
            6,
            ("spec.maxReplicas", "Invalid value: 5: must be greater than or equal to `minReplicas`"),
        ),
        ("spec.scaleTargetRef.name", "", ("spec.scaleTargetRef.name", "Required value")),
    ],
)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_bad_autoscaler_is_told_what_is_wrong(version: str, path: str, value: Any, cause: tuple[str, str]) -> None:
    assert cause in causes_of(changed(an_autoscaler(version), path, value))


def test_the_cpu_target_of_v1_is_a_metric_of_v2() -> None:
    old = an_autoscaler("v1", minReplicas=1, targetCPUUtilizationPercentage=50)

    stored = to_v2(old)

    assert (stored["apiVersion"], stored["spec"]["metrics"]) == ("autoscaling/v2", [cpu(50)])
    assert from_v2(stored) == old


def test_what_v1_cannot_say_survives_it() -> None:
    memory = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "Utilization"}}}
    stored = defaulted(an_autoscaler(metrics=[cpu(50), memory], behavior={}))
    stored["status"] = {"currentReplicas": 1, "desiredReplicas": 2, "conditions": [{"type": "AbleToScale"}]}

    shown = from_v2(stored)

    assert shown["spec"]["targetCPUUtilizationPercentage"] == 50
    assert not {"metrics", "behavior"} & shown["spec"].keys()
    assert to_v2(shown) == stored


def test_an_event_has_two_views() -> None:
    shown = example("Event", "events.k8s.io")

    stored = to_core({**shown, "note": "hello"})

    assert (stored["apiVersion"], stored["message"]) == ("v1", "hello")
    assert stored["involvedObject"] == shown["regarding"]
    assert from_core(stored) == {**shown, "note": "hello"}


def test_events_can_be_selected_by_what_they_are_about() -> None:
    event = example("Event")

    fields = strategy_of(event).selectable_fields({**event, "source": {"component": "kubelet"}})

    assert (fields["involvedObject.name"], fields["involvedObject.kind"]) == ("a", "Pod")
    assert (fields["reason"], fields["source"]) == ("Started", "kubelet")


def test_an_event_lives_in_the_namespace_of_its_object() -> None:
    event = changed(example("Event"), "involvedObject.namespace", "other")

    assert causes_of(event) == [("involvedObject.namespace", 'Invalid value: "other": does not match event.namespace')]
    about_a_node = an("v1", "Event", involvedObject={"kind": "Node", "name": "n"})
    assert causes_of(about_a_node) == []


@pytest.mark.parametrize(
    ("name", "value", "cause"),
    [
        (
            "system-mine",
            1,
            (
                "metadata.name",
                "Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "
                "system-mine is not a known system priority class",
            ),
        ),
        (
            "high",
            1_000_000_001,
            ("value", "Forbidden: maximum allowed value of a user defined priority is 1000000000"),
        ),
    ],
)
def test_a_bad_priority_class_is_told_what_is_wrong(name: str, value: int, cause: tuple[str, str]) -> None:
    obj = changed(an("scheduling.k8s.io/v1", "PriorityClass", "", value=value), "metadata.name", name)

    assert causes_of(obj) == [cause]


def test_the_systems_own_priority_classes_are_good() -> None:
    obj = an("scheduling.k8s.io/v1", "PriorityClass", "", value=2_000_000_000)

    assert causes_of(changed(obj, "metadata.name", "system-cluster-critical")) == []


def test_the_value_of_a_priority_class_may_not_change() -> None:
    old = example("PriorityClass", "scheduling.k8s.io")

    assert update_causes({**old, "value": 7}, old) == [("value", "Forbidden: may not be changed in an update.")]


def test_a_storage_class_gets_its_defaults_and_may_not_change() -> None:
    old = example("StorageClass", "storage.k8s.io")
    made = defaulted(old)

    assert (made["reclaimPolicy"], made["volumeBindingMode"]) == ("Delete", "Immediate")
    new = {**old, "parameters": {"a": "b"}, "provisioner": "x/y", "volumeBindingMode": "WaitForFirstConsumer"}
    assert update_causes(new, old) == [
        ("parameters", "Forbidden: updates to parameters are forbidden."),
        ("provisioner", "Forbidden: updates to provisioner are forbidden."),
        ("volumeBindingMode", 'Invalid value: "WaitForFirstConsumer": field is immutable'),
    ]


def test_a_lease_lasts_longer_than_nothing() -> None:
    causes = causes_of(an("coordination.k8s.io/v1", "Lease", spec={"leaseDurationSeconds": 0}))

    assert causes == [("spec.leaseDurationSeconds", "Invalid value: 0: must be greater than 0")]


def test_a_webhook_gets_its_defaults() -> None:
    hook = a_webhook(clientConfig={"service": {"name": "s", "namespace": "n"}})
    [made] = defaulted(an(ADMISSION, "MutatingWebhookConfiguration", "", webhooks=[hook]))["webhooks"]

    wanted = {
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
        "reinvocationPolicy": "Never",
        "timeoutSeconds": 10,
    }
    assert {field: made[field] for field in wanted} == wanted
    assert made["clientConfig"]["service"]["port"] == 443
    assert made["rules"][0]["scope"] == "*"


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        (
            {"name": "short"},
            (
                "webhooks[0].name",
                'Invalid value: "short": should be a domain with at least three segments separated by dots',
            ),
        ),
        (
            {"sideEffects": "Some"},
            ("webhooks[0].sideEffects", 'Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'),
        ),
        (
            {"timeoutSeconds": 31},
            ("webhooks[0].timeoutSeconds", "Invalid value: 31: the timeout value must be between 1 and 30 seconds"),
        ),
        (
            {"clientConfig": {}},
            ("webhooks[0].clientConfig", "Required value: exactly one of url or service is required"),
        ),
        (
            {"admissionReviewVersions": []},
            ("webhooks[0].admissionReviewVersions", "Required value: must specify one of v1, v1beta1"),
        ),
    ],
)
def test_a_bad_webhook_is_told_what_is_wrong(fields: Object, cause: tuple[str, str]) -> None:
    config = an(ADMISSION, "ValidatingWebhookConfiguration", "", webhooks=[a_webhook(**fields)])

    assert causes_of(config) == [cause]


@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        ("spec.usages", [], ("spec.usages", "Required value")),
        (
            "spec.request",
            "bm8=",
            ("spec.request", 'Invalid value: "bm8=": PEM block type must be CERTIFICATE REQUEST'),
        ),
        (
            "spec.signerName",
            "me",
            (
                "spec.signerName",
                'Invalid value: "me": must be a fully qualified domain and path of the form "example.com/signer-name"',
            ),
        ),
        (
            "spec.expirationSeconds",
            10,
            (
                "spec.expirationSeconds",
                "Invalid value: 10: may not specify a duration less than 600 seconds (10 minutes)",
            ),
        ),
    ],
)
def test_a_bad_signing_request_is_told_what_is_wrong(path: str, value: Any, cause: tuple[str, str]) -> None:
    request = example("CertificateSigningRequest", "certificates.k8s.io")

    assert causes_of(changed(request, path, value)) == [cause]


@pytest.mark.parametrize(
    ("actions", "fields"),
    [
        ([], ["spec.validationActions"]),
        (["Deny", "Warn"], ["spec.validationActions"]),
        (["Log"], ["spec.validationActions[0]"]),
    ],
)
def test_a_policy_binding_must_say_what_to_do(actions: list[str], fields: list[str]) -> None:
    spec = {"policyName": "a", "validationActions": actions}

    causes = causes_of(an(ADMISSION, "ValidatingAdmissionPolicyBinding", "", spec=spec))

    assert [field for field, _ in causes] == fields
