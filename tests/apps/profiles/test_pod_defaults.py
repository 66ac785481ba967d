"""PodDefaults are merged whole or refused with both entries named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.profiles.admission import RULES
from windlass.apps.profiles.app import APP as PROFILES
from windlass.apps.profiles.pod_defaults import MARK_PREFIX, Conflicts, applied_pod_defaults, merged
from windlass.webhooks.addresses import Service
from windlass.webhooks.configuration import configurations

Object = dict[str, Any]


def a_pod(*containers: Object, labels: dict[str, str] | None = None, **spec: Any) -> Object:
    return {
        "metadata": {"name": "lab-0", "labels": {"team": "a"} if labels is None else labels},
        "spec": {"containers": list(containers) or [{"name": "lab", "image": "x"}], **spec},
    }


def a_default(name: str = "d", **spec: Any) -> Object:
    return {
        "metadata": {"name": name, "resourceVersion": "7"},
        "spec": {"selector": {"matchLabels": {"team": "a"}}, **spec},
    }


ENV = {"name": "A", "value": "1"}
VOLUME = {"name": "v", "emptyDir": {}}
MOUNT = {"name": "v", "mountPath": "/v"}


def test_every_field_is_merged() -> None:
    default = a_default(
        env=[ENV],
        envFrom=[{"secretRef": {"name": "s"}}],
        volumes=[VOLUME],
        volumeMounts=[MOUNT],
        tolerations=[{"key": "gpu", "operator": "Exists"}],
        imagePullSecrets=[{"name": "pull"}],
        annotations={"note": "x"},
        labels={"extra": "y"},
        serviceAccountName="editor",
        automountServiceAccountToken=False,
        command=["run"],
        args=["fast"],
        initContainers=[{"name": "init", "image": "i"}],
        sidecars=[{"name": "side", "image": "s"}],
    )

    pod = merged(a_pod(), [default])

    lab, side = pod["spec"]["containers"]
    assert lab["env"] == [ENV]
    assert lab["envFrom"] == [{"secretRef": {"name": "s"}}]
    assert lab["volumeMounts"] == [MOUNT]
    assert (lab["command"], lab["args"]) == (["run"], ["fast"])
    assert side == {"name": "side", "image": "s"}  # gets no variables and no mounts
    assert pod["spec"]["volumes"] == [VOLUME]
    assert pod["spec"]["initContainers"] == [{"name": "init", "image": "i"}]
    assert pod["spec"]["tolerations"] == [{"key": "gpu", "operator": "Exists"}]
    assert pod["spec"]["imagePullSecrets"] == [{"name": "pull"}]
    assert pod["spec"]["serviceAccountName"] == "editor"
    assert pod["spec"]["automountServiceAccountToken"] is False
    assert pod["metadata"]["labels"]["extra"] == "y"
    assert pod["metadata"]["annotations"] == {"note": "x", f"{MARK_PREFIX}d": "7"}
    assert applied_pod_defaults(pod) == ["d"]


@pytest.mark.parametrize(
    ("pod", "default", "says"),
    [
        (a_pod({"name": "c", "env": [{"name": "A", "value": "2"}]}), {"env": [ENV]}, "env 'A'"),
        (a_pod(volumes=[{"name": "v", "hostPath": {}}]), {"volumes": [VOLUME]}, "volumes 'v'"),
        (
            a_pod({"name": "c", "volumeMounts": [{"name": "w", "mountPath": "/v"}]}),
            {"volumeMounts": [MOUNT]},
            "volumeMounts 'v at /v'",
        ),
        (
            a_pod(tolerations=[{"key": "gpu", "effect": "NoExecute"}]),
            {"tolerations": [{"key": "gpu", "effect": "NoSchedule"}]},
            "tolerations 'gpu'",
        ),
        (a_pod(labels={"team": "a", "x": "1"}), {"labels": {"x": "2"}}, "labels 'x'"),
        (a_pod({"name": "c", "image": "1"}), {"sidecars": [{"name": "c", "image": "2"}]}, "containers 'c'"),
        (
            a_pod({"name": "c", "env": [ENV]}),
            {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
            "env 'A'",
        ),
        (a_pod({"name": "a"}, {"name": "b", "env": [{"name": "A", "value": "2"}]}), {"env": [ENV]}, "env 'A'"),
        (
            a_pod({"name": "c", "volumeMounts": [{"name": "v", "mountPath": "/elsewhere"}]}),
            {"volumeMounts": [MOUNT]},
            "volumeMounts 'v at /v'",
        ),
        (
            a_pod({"name": "c", "volumeMounts": [{**MOUNT, "readOnly": True}]}),
            {"volumeMounts": [MOUNT]},
            "volumeMounts 'v at /v'",
        ),
        (
            a_pod(imagePullSecrets=[{"name": "pull", "x-other": "1"}]),
            {"imagePullSecrets": [{"name": "pull"}]},
            "imagePullSecrets 'pull'",
        ),
        (
            {**a_pod(), "metadata": {"labels": {"team": "a"}, "annotations": {"note": "1"}}},
            {"annotations": {"note": "2"}},
            "annotations 'note'",
        ),
        (
            a_pod(initContainers=[{"name": "i", "image": "1"}]),
            {"initContainers": [{"name": "i", "image": "2"}]},
            "initContainers 'i'",
        ),
    ],
)
def test_an_entry_that_differs_refuses_the_pod(pod: Object, default: Object, says: str) -> None:
    with pytest.raises(Conflicts) as caught:
        merged(pod, [a_default(**default)])

    assert says in str(caught.value)
    assert "the pod" in str(caught.value)
    assert "PodDefault 'd'" in str(caught.value)


def test_a_conflict_between_two_pod_defaults_names_both() -> None:
    with pytest.raises(Conflicts, match="env 'A' of PodDefault 'b' differs from that of PodDefault 'a'"):
        merged(a_pod(), [a_default("b", env=[{"name": "A", "value": "2"}]), a_default("a", env=[ENV])])


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        ({"volumes": [VOLUME]}, {"volumes": [{"name": "v", "configMap": {}}]}, "volumes 'v'"),
        ({"volumeMounts": [MOUNT]}, {"volumeMounts": [{"name": "w", "mountPath": "/v"}]}, "volumeMounts 'w at /v'"),
        ({"volumeMounts": [MOUNT]}, {"volumeMounts": [{"name": "v", "mountPath": "/w"}]}, "volumeMounts 'v at /w'"),
        ({"labels": {"x": "1"}}, {"labels": {"x": "2"}}, "labels 'x'"),
        ({"annotations": {"x": "1"}}, {"annotations": {"x": "2"}}, "annotations 'x'"),
        ({"sidecars": [{"name": "s"}]}, {"sidecars": [{"name": "s", "image": "i"}]}, "containers 's'"),
    ],
)
def test_whichever_field_two_pod_defaults_differ_in_both_are_named(one: Object, other: Object, says: str) -> None:
    with pytest.raises(Conflicts, match=f"{says} of PodDefault 'b' differs from that of PodDefault 'a'"):
        merged(a_pod(), [a_default("a", **one), a_default("b", **other)])


def test_the_last_service_account_and_the_first_command_win() -> None:
    pod = merged(
        a_pod(),
        [
            a_default("b", serviceAccountName="b", command=["b"]),
            a_default("a", serviceAccountName="a", command=["a"]),
        ],
    )

    assert pod["spec"]["serviceAccountName"] == "b"
    assert pod["spec"]["containers"][0]["command"] == ["a"]


@pytest.mark.parametrize(
    "pod",
    [
        a_pod(labels={"team": "b"}),
        a_pod(labels={}),
        {**a_pod(), "metadata": {"labels": {"team": "a"}, "annotations": {"kubernetes.io/config.mirror": "x"}}},
        {
            **a_pod(),
            "metadata": {
                "labels": {"team": "a"},
                "annotations": {"poddefault.admission.kubeflow.org/exclude": "true"},
            },
        },
    ],
)
def test_other_pods_stay_as_they_are(pod: Object) -> None:
    assert merged(pod, [a_default(env=[ENV])]) == pod


@given(st.permutations([a_default(name, env=[{"name": name, "value": "1"}]) for name in "abc"]))
def test_the_order_is_that_of_the_names(defaults: list[Object]) -> None:
    pod = merged(a_pod(), defaults)

    assert [entry["name"] for entry in pod["spec"]["containers"][0]["env"]] == ["a", "b", "c"]
    assert merged(pod, defaults) == pod  # once more changes nothing


@pytest.mark.parametrize(
    ("pod", "default"),
    [
        (a_pod({"name": "c", "env": [ENV]}), {"env": [ENV]}),
        (a_pod(volumes=[VOLUME]), {"volumes": [VOLUME]}),
        (a_pod({"name": "c", "volumeMounts": [MOUNT]}), {"volumeMounts": [MOUNT]}),
        (a_pod(tolerations=[{"key": "gpu"}]), {"tolerations": [{"key": "gpu"}]}),
        (a_pod(imagePullSecrets=[{"name": "pull"}]), {"imagePullSecrets": [{"name": "pull"}]}),
        (a_pod(labels={"team": "a", "x": "1"}), {"labels": {"x": "1"}}),
        (a_pod(initContainers=[{"name": "i", "image": "1"}]), {"initContainers": [{"name": "i", "image": "1"}]}),
        (a_pod({"name": "c", "image": "1"}), {"sidecars": [{"name": "c", "image": "1"}]}),
    ],
)
def test_an_entry_that_is_there_already_is_no_conflict_and_stays_single(pod: Object, default: Object) -> None:
    after = merged(pod, [a_default(**default)])

    assert (after["spec"], after["metadata"]["labels"]) == (pod["spec"], pod["metadata"]["labels"])


def test_every_container_that_was_there_gets_variables_and_mounts_and_no_other_does() -> None:
    pod = a_pod({"name": "a"}, {"name": "b"}, initContainers=[{"name": "first"}])
    default = a_default(
        env=[ENV], envFrom=[{"secretRef": {"name": "s"}}], volumeMounts=[MOUNT], sidecars=[{"name": "side"}]
    )

    spec = merged(pod, [default, a_default("e", env=[{"name": "B", "value": "2"}])])["spec"]

    *given_containers, side = spec["containers"]
    assert [[entry["name"] for entry in each["env"]] for each in given_containers] == [["A", "B"], ["A", "B"]]
    assert [each["volumeMounts"] for each in given_containers] == [[MOUNT], [MOUNT]]
    assert side == {"name": "side"}
    assert spec["initContainers"] == [{"name": "first"}]


def test_sources_of_variables_are_appended_even_if_they_are_there() -> None:
    source = {"configMapRef": {"name": "c"}}
    pod = merged(a_pod({"name": "lab", "envFrom": [source]}), [a_default(envFrom=[source])])

    assert pod["spec"]["containers"][0]["envFrom"] == [source, source]


def test_commands_are_for_containers_without_one_and_never_for_the_mesh() -> None:
    pod = a_pod({"name": "lab", "command": ["own"]}, {"name": "bare"}, {"name": "istio-proxy"})

    lab, bare, mesh = merged(pod, [a_default(command=["run"], args=["fast"])])["spec"]["containers"]

    assert (lab["command"], lab["args"]) == (["own"], ["fast"])
    assert (bare["command"], bare["args"]) == (["run"], ["fast"])
    assert mesh == {"name": "istio-proxy"}


def test_the_last_pod_default_says_whether_the_token_is_mounted() -> None:
    defaults = [a_default(name, automountServiceAccountToken=value) for name, value in (("b", False), ("a", True))]

    assert merged(a_pod(automountServiceAccountToken=True), defaults)["spec"]["automountServiceAccountToken"] is False


def test_arguments_are_those_of_the_first_pod_default() -> None:
    assert merged(a_pod(), [a_default("b", args=["b"]), a_default("a", args=["a"])])["spec"]["containers"][0][
        "args"
    ] == ["a"]


def test_only_pods_that_are_created_in_namespaces_of_profiles_are_changed_and_a_failure_refuses_them() -> None:
    (rule,) = RULES
    (webhook,) = [
        hook
        for configuration in configurations([PROFILES], Service(name="windlass", namespace="windlass"))
        for hook in configuration["webhooks"]
        if hook["name"] == rule.name
    ]

    assert webhook["failurePolicy"] == "Fail"
    assert webhook["namespaceSelector"]["matchLabels"] == {"app.kubernetes.io/part-of": "kubeflow-profile"}
    assert [(each["operations"], each["resources"]) for each in webhook["rules"]] == [(["CREATE"], ["pods"])]


def test_what_was_merged_already_is_not_merged_again() -> None:
    """Admission comes by twice where webhooks are configured, and sets defaults in between."""
    default = a_default(env=[ENV], envFrom=[{"secretRef": {"name": "s"}}], sidecars=[{"name": "side", "image": "i"}])
    once = merged(a_pod(), [default])
    once["spec"]["containers"][1]["imagePullPolicy"] = "Always"

    assert merged(once, [default]) == once
    changed = {**default, "metadata": {"name": "d", "resourceVersion": "8"}}
    with pytest.raises(Conflicts):
        merged(once, [changed])
