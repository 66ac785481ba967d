"""From a container in a manifest to what a runtime is given."""

from typing import Any

import pytest

from windlass.kube.json import Object
from windlass.node.container_spec import BadSecurityContext, container_spec, limits
from windlass.node.images.image import Image
from windlass.node.runtimes.base import ContainerSpec, Limits, Mount

IMAGE = Image("python:3.11", "sha256:1", prefixes=("/env",), working_dir="/work")


def a_pod(container: Object, **spec: Any) -> Object:
    return {
        "metadata": {"name": "p", "namespace": "ns", "uid": "u"},
        "spec": {"containers": [container], **spec},
        "status": {"qosClass": "BestEffort"},
    }


def made(fields: Object | None = None, image: Image = IMAGE, **spec: Any) -> ContainerSpec:
    container = {"name": "main", **(fields or {})}
    mounts = (Mount("/a", "/b"),)
    given: Any = {"argv": ["sleep", "1"], "environment": {"A": "1"}, "mounts": mounts, "devices": ["/dev/kfd"]}
    return container_spec(a_pod(container, **spec), container, image, attempt=3, spec_hash="h", **given)


def test_a_plain_container_has_the_defaults_of_kubernetes() -> None:
    assert made() == ContainerSpec(
        name="main",
        attempt=3,
        argv=("sleep", "1"),
        environment={"HOME": "/root", "A": "1"},
        working_dir="/work",
        mounts=(Mount("/a", "/b"),),
        prefixes=("/env",),
        limits=Limits(oom_score_adj=1000),
        devices=("/dev/kfd",),
        termination_message_path="/dev/termination-log",
        stop_signal="SIGTERM",
        spec_hash="h",
        image="python:3.11",
    )


@pytest.mark.parametrize(
    ("fields", "field", "value"),
    [
        ({"workingDir": "/else"}, "working_dir", "/else"),
        ({"stdin": True}, "stdin", True),
        ({"stdinOnce": True}, "stdin_once", True),
        ({"tty": True}, "tty", True),
        ({"terminationMessagePath": "/tmp/said"}, "termination_message_path", "/tmp/said"),
        ({"lifecycle": {"stopSignal": "SIGUSR1"}}, "stop_signal", "SIGUSR1"),
        ({"targetContainerName": "app"}, "share_processes_with", "app"),
        ({"securityContext": {"readOnlyRootFilesystem": True}}, "read_only_root", True),
        ({"securityContext": {"allowPrivilegeEscalation": False}}, "no_new_privileges", True),
        ({"securityContext": {"allowPrivilegeEscalation": True}}, "no_new_privileges", False),
        ({"securityContext": {"capabilities": {"drop": ["ALL"]}}}, "drop_capabilities", ("ALL",)),
    ],
)
def test_a_field_does_what_it_says(fields: Object, field: str, value: Any) -> None:
    assert getattr(made(fields), field) == value


# Users and groups


@pytest.mark.parametrize(
    ("of_image", "of_pod", "of_container", "user", "group"),
    [
        (None, {}, {}, None, None),
        (5, {}, {}, 5, None),
        (5, {"runAsUser": 7, "runAsGroup": 8}, {}, 7, 8),
        (5, {"runAsUser": 7, "runAsGroup": 8}, {"runAsUser": 9}, 9, 8),
        (5, {"runAsUser": 7, "runAsGroup": 8}, {"runAsUser": 0, "runAsGroup": 0}, 0, 0),
        (5, {"runAsNonRoot": True}, {}, 5, None),
        (None, {"runAsNonRoot": True, "runAsUser": 7}, {}, 7, None),
        (None, {"runAsNonRoot": True}, {"runAsNonRoot": False}, None, None),
        (None, {"runAsNonRoot": True}, {"runAsUser": 9}, 9, None),
    ],
)
def test_the_container_wins_over_the_pod_and_the_pod_over_the_image(
    of_image: int | None, of_pod: Object, of_container: Object, user: int | None, group: int | None
) -> None:
    image = Image("python:3.11", "sha256:1", user=of_image)

    spec = made({"securityContext": of_container}, image, securityContext=of_pod)

    assert (spec.user, spec.group) == (user, group)
    assert spec.user_of_image == (user is not None and "runAsUser" not in {**of_pod, **of_container})
    assert spec.environment["HOME"] == ("/" if user else "/root")


@pytest.mark.parametrize(
    ("of_image", "of_pod", "of_container", "why"),
    [
        (None, {"runAsNonRoot": True}, {}, "container has runAsNonRoot and image will run as root"),
        (0, {}, {"runAsNonRoot": True}, "container has runAsNonRoot and image will run as root"),
        (5, {"runAsNonRoot": True}, {"runAsUser": 0}, "container's runAsUser breaks non-root policy"),
        (5, {"runAsUser": 0}, {"runAsNonRoot": True}, "container's runAsUser breaks non-root policy"),
    ],
)
def test_who_must_not_be_root_is_not_run_as_root(
    of_image: int | None, of_pod: Object, of_container: Object, why: str
) -> None:
    with pytest.raises(BadSecurityContext) as found:
        made({"securityContext": of_container}, Image("i", "sha256:1", user=of_image), securityContext=of_pod)

    assert str(found.value) == f'{why} (pod: "p_ns(u)", container: main)'


@pytest.mark.parametrize(
    ("context", "groups"),
    [
        ({}, ()),
        ({"supplementalGroups": [30, 20]}, (20, 30)),
        ({"fsGroup": 25, "supplementalGroups": [30, 20]}, (20, 25, 30)),
        ({"fsGroup": 20, "supplementalGroups": [20]}, (20,)),
        ({"fsGroup": 0}, (0,)),
    ],
)
def test_the_group_of_the_volumes_is_one_of_the_groups(context: Object, groups: tuple[int, ...]) -> None:
    assert made(securityContext=context).groups == groups


# Limits


@pytest.mark.parametrize(
    ("of_pod", "of_container", "expected"),
    [
        ({}, {}, (None, None, 0)),
        ({}, {"limits": {"cpu": "1500m", "memory": "1Gi"}}, (1500, 2**30, 0)),
        ({}, {"limits": {"cpu": "0", "memory": "0"}}, (None, None, 0)),
        ({}, {"limits": {"cpu": 2}, "requests": {"cpu": "0.5", "memory": "1Gi"}}, (2000, None, 500)),
        ({"limits": {"cpu": "2", "memory": "2Gi"}}, {"limits": {"cpu": "1"}}, (1000, 2**31, 0)),
    ],
)
def test_limits_are_those_of_the_container_or_else_of_its_pod(
    of_pod: Object, of_container: Object, expected: tuple[int | None, int | None, int]
) -> None:
    container = {"name": "main", "resources": of_container}

    found = limits(a_pod(container, resources=of_pod), container, 2**34)

    assert (found.cpu_millis, found.memory, found.cpu_request_millis) == expected


def test_the_more_memory_is_asked_for_the_later_it_is_killed() -> None:
    container: Object = {"name": "main", "resources": {"requests": {"memory": "1Gi"}}}
    pod = a_pod(container) | {"status": {"qosClass": "Burstable"}}

    assert limits(pod, container, 2**32).oom_score_adj == 750
