"""PodDefaults are merged whole or refused with both entries named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.profiles.pod_defaults import MARK_PREFIX, Conflicts, applied_pod_defaults, merged

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
