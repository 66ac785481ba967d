"""Which pods this node takes, which it refuses and in what words, and of what it warns."""

from typing import Any

import pytest

from tests.node.lifecycle.builders import a_container, a_pod, a_sidecar
from windlass.kube.json import Object
from windlass.node.lifecycle.admission import Admission, admit

NODE: Object = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "here", "labels": {"disk": "ssd", "cores": "8"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {},
    "status": {
        "allocatable": {
            "cpu": "4",
            "memory": "8Gi",
            "ephemeral-storage": "100Gi",
            "hugepages-2Mi": "0",
            "pods": "3",
            "nvidia.com/gpu": "2",
        },
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}


def asking(name: str = "main", **requests: str) -> Object:
    given = {key.replace("_", "-").replace("gpu", "nvidia.com/gpu"): value for key, value in requests.items()}
    return a_container(name, resources={"requests": given})


def another(number: int, *containers: Object, phase: str = "Running") -> Object:
    pod = a_pod(*containers, status={"phase": phase})
    return pod | {"metadata": pod["metadata"] | {"uid": f"u{number}", "name": f"p{number}"}}


def refusal(answer: Admission) -> tuple[str, str] | None:
    return None if answer.rejection is None else (answer.rejection.reason, answer.rejection.message)


def tainted(effect: str, **more: str) -> Object:
    return NODE | {"spec": {"taints": [{"key": "gpu", "effect": effect, **more}]}}


# Room


@pytest.mark.parametrize(
    ("pod", "others", "reason", "message"),
    [
        (a_pod(asking(cpu="4")), [], None, ""),
        (a_pod(asking(cpu="4001m")), [], "OutOfcpu", "cpu, requested: 4001, used: 0, capacity: 4000"),
        (
            a_pod(asking(cpu="3500m")),
            [another(1, asking(cpu="300m"), asking("b", cpu="201m"))],
            "OutOfcpu",
            "cpu, requested: 3500, used: 501, capacity: 4000",
        ),
        (
            a_pod(asking(memory="9Gi")),
            [],
            "OutOfmemory",
            "memory, requested: 9663676416, used: 0, capacity: 8589934592",
        ),
        (
            a_pod(asking(ephemeral_storage="1Ti")),
            [],
            "OutOfephemeral-storage",
            "ephemeral-storage, requested: 1099511627776, used: 0, capacity: 107374182400",
        ),
        (
            a_pod(asking(hugepages_2Mi="2Mi")),
            [],
            "OutOfhugepages-2Mi",
            "hugepages-2Mi, requested: 2097152, used: 0, capacity: 0",
        ),
        (a_pod(asking(gpu="2")), [], None, ""),
        (
            a_pod(asking(gpu="2")),
            [another(1, asking(gpu="1"))],
            "OutOfnvidia.com/gpu",
            "nvidia.com/gpu, requested: 2, used: 1, capacity: 2",
        ),
        (a_pod(), [another(each) for each in range(3)], "OutOfpods", "pods, requested: 1, used: 3, capacity: 3"),
        (a_pod(), [another(each) for each in range(2)], None, ""),
    ],
)
def test_a_pod_for_which_there_is_no_room_is_refused(
    pod: Object, others: list[Object], reason: str | None, message: str
) -> None:
    expected = None if reason is None else (reason, f"Node didn't have enough resource: {message}")

    assert refusal(admit(pod, NODE, others)) == expected


def test_a_device_that_this_node_has_never_heard_of_is_refused() -> None:
    pod = a_pod(a_container(resources={"requests": {"amd.com/gpu": "1"}, "limits": {"amd.com/gpu": "1"}}))

    assert refusal(admit(pod, NODE, [])) == (
        "UnexpectedAdmissionError",
        "Allocate failed due to requested number of devices unavailable for amd.com/gpu. "
        "Requested: 1, Available: 0, which is unexpected",
    )


def test_pods_that_have_ended_and_the_pod_itself_take_no_room() -> None:
    pod = a_pod(asking(cpu="4"))
    ended = [another(1, asking(cpu="4"), phase="Succeeded"), another(2, asking(cpu="4"), phase="Failed")]

    assert refusal(admit(pod, NODE, [pod, *ended])) is None


def test_sidecars_init_containers_and_overhead_count_as_they_do_for_the_scheduler() -> None:
    main = asking(cpu="1")
    cases: list[tuple[Object, bool]] = [
        (a_pod(main, inits=(asking("init", cpu="4"),)), True),
        (a_pod(main, inits=(asking("init", cpu="5"),)), False),
        (a_pod(main, inits=(a_sidecar(resources={"requests": {"cpu": "3"}}),)), True),
        (a_pod(main, inits=(a_sidecar(resources={"requests": {"cpu": "3500m"}}),)), False),
        (a_pod(main, overhead={"cpu": "3"}), True),
        (a_pod(main, overhead={"cpu": "3001m"}), False),
        (a_pod(main, resources={"requests": {"cpu": "5"}}), False),
    ]
    for pod, comes in cases:
        assert (admit(pod, NODE, []).rejection is None) is comes, pod["spec"]


# Labels and taints


def affinity(key: str, operator: str, *values: str) -> Object:
    terms = [{"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


@pytest.mark.parametrize(
    ("spec", "comes"),
    [
        ({"nodeSelector": {"disk": "ssd"}}, True),
        ({"nodeSelector": {"disk": "hdd"}}, False),
        ({"nodeName": "here"}, True),
        ({"nodeName": "there"}, False),
        ({"affinity": affinity("disk", "In", "ssd", "nvme")}, True),
        ({"affinity": affinity("disk", "NotIn", "ssd")}, False),
        ({"affinity": affinity("cores", "Gt", "7")}, True),
        ({"affinity": affinity("cores", "Lt", "7")}, False),
        ({"affinity": affinity("nothing", "Exists")}, False),
    ],
)
def test_a_pod_that_points_elsewhere_is_refused(spec: Object, comes: bool) -> None:
    words = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"

    assert refusal(admit(a_pod(**spec), NODE, [])) == (None if comes else ("NodeAffinity", words))


@pytest.mark.parametrize(
    ("node", "tolerations", "comes"),
    [
        (tainted("NoExecute", value="yes"), [], False),
        (tainted("NoSchedule", value="yes"), [], True),
        (tainted("PreferNoSchedule"), [], True),
        (tainted("NoExecute", value="yes"), [{"key": "gpu", "operator": "Equal", "value": "yes"}], True),
        (tainted("NoExecute", value="yes"), [{"key": "gpu", "operator": "Equal", "value": "no"}], False),
        (tainted("NoExecute", value="yes"), [{"operator": "Exists"}], True),
        (tainted("NoExecute", value="yes"), [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}], False),
    ],
)
def test_only_taints_that_drive_pods_out_keep_them_from_coming(
    node: Object, tolerations: list[Object], comes: bool
) -> None:
    words = "Predicate TaintToleration failed: node(s) had untolerated taint {gpu: yes}"

    found = refusal(admit(a_pod(tolerations=tolerations), node, []))

    assert found == (None if comes else ("TaintToleration", words))


# Fields

IN_ONE: Object = {"operator": "In", "values": [1]}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"os": {"name": "linux"}}, None),
        ({"runtimeClassName": "windlass"}, None),
        ({"runtimeClassName": "gvisor"}, 'spec.runtimeClassName: this node has no runtime class "gvisor"'),
        ({"hostPID": False}, None),
        ({"hostPID": True}, "spec.hostPID: pods of this node cannot see the processes of the host"),
        (
            {"resourceClaims": [{"name": "gpu", "resourceClaimName": "mine"}]},
            "spec.resourceClaims: this node has no driver for dynamic resources",
        ),
        (
            {"securityContext": {"windowsOptions": {"runAsUserName": "me"}}},
            "spec.securityContext.windowsOptions: this node runs Linux",
        ),
        ({"securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "x"}}}, None),
        ({"securityContext": {"seccompProfile": {"type": "Unconfined"}}}, None),
    ],
)
def test_a_field_of_the_pod_that_cannot_be_honoured_is_refused_by_name(spec: Object, message: str | None) -> None:
    found = refusal(admit(a_pod(**spec), NODE, []))

    assert found == (None if message is None else ("UnsupportedField", message))


def test_a_pod_for_another_system_is_refused_as_kubelet_does() -> None:
    assert refusal(admit(a_pod(os={"name": "windows"}), NODE, [])) == (
        "PodOSNotSupported",
        "Failed to admit pod as the OS field doesn't match node OS",
    )


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        (
            {"securityContext": {"privileged": True}},
            "securityContext.privileged",
            "privileged containers are not supported on this node",
        ),
        ({"securityContext": {"privileged": False, "procMount": "Default"}}, "", ""),
        (
            {"securityContext": {"procMount": "Unmasked"}},
            "securityContext.procMount",
            "only Default is supported on this node",
        ),
        (
            {"securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "x"}}},
            "securityContext.appArmorProfile",
            "Localhost profiles are not supported on this node",
        ),
        (
            {
                "restartPolicyRules": [
                    {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}
                ]
            },
            "restartPolicyRules",
            "only the action Restart is supported",
        ),
        ({"restartPolicyRules": [{"action": "Restart", "exitCodes": IN_ONE}]}, "", ""),
    ],
)
@pytest.mark.parametrize("where", ["initContainers", "containers", "ephemeralContainers"])
def test_a_field_of_any_container_that_cannot_be_honoured_is_refused_by_name(
    fields: Object, field: str, message: str, where: str
) -> None:
    listed = {"containers": [a_container("first")], where: [a_container("first"), a_container("second", **fields)]}
    pod = a_pod()
    pod["spec"] |= listed

    found = refusal(admit(pod, NODE, []))

    assert found == (("UnsupportedField", f"spec.{where}[1].{field}: {message}") if field else None)


def test_what_is_left_out_without_harm_is_warned_of_by_name() -> None:
    context = {"capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]}, "appArmorProfile": {"type": "RuntimeDefault"}}
    whole = {"seLinuxOptions": {"level": "s0"}, "seccompProfile": {"type": "RuntimeDefault"}}
    pod = a_pod(a_container(securityContext=context), securityContext=whole)

    answer = admit(pod, NODE, [])

    assert answer.rejection is None
    assert all(each.warning and each.reason == "UnsupportedField" for each in answer.warnings)
    assert [each.message for each in answer.warnings] == [
        "spec.securityContext.seLinuxOptions: SELinux labels are not set on this node",
        "spec.containers[0].securityContext.capabilities.add: applies only inside the pod's own user namespace",
        "spec.containers[0].securityContext.appArmorProfile: this node has no AppArmor profile to apply",
    ]
    assert admit(a_pod(a_container(securityContext={"capabilities": {"drop": ["ALL"]}})), NODE, []).warnings == ()


# Odd shapes


@pytest.mark.parametrize(
    "odd",
    [
        {"metadata": {"uid": "u", "creationTimestamp": "yesterday", "labels": {"a": 1}, "generation": "x"}},
        {"status": {"conditions": [{"type": "Ready", "status": "Perhaps"}], "startTime": 7}},
        {"spec": {"containers": [a_container(ports=None, env=None, resources=None)], "initContainers": None}},
        {"spec": {"containers": [a_container(command="not a list", resources={})]}},
        {"spec": {"containers": [a_container()], "tolerations": None, "nodeSelector": None, "affinity": None}},
        {"spec": {}},
        {"spec": None},
    ],
)
def test_a_pod_of_an_unforeseen_shape_does_not_stop_the_node(odd: Any) -> None:
    assert admit(a_pod() | odd, NODE, []).rejection is None
    assert admit(a_pod(asking(cpu="4")), NODE, [another(1) | odd | {"metadata": {"uid": "o"}}]).rejection is None


@pytest.mark.parametrize("requests", [{"cpu": "many"}, {"cpu": ["1"]}, "all"])
def test_requests_that_make_no_sense_are_refused_and_those_of_others_are_not_counted(requests: Any) -> None:
    pod = a_pod(a_container(resources={"requests": requests}))

    found = admit(pod, NODE, []).rejection

    assert found is not None
    assert found.reason == "UnexpectedAdmissionError"
    assert found.message.startswith("the pod's resources are invalid: ")
    assert admit(a_pod(asking(cpu="4")), NODE, [pod | {"metadata": {"uid": "o"}}]).rejection is None


def test_a_node_that_says_nothing_of_its_room_takes_nobody() -> None:
    assert refusal(admit(a_pod(), {"metadata": {"name": "here"}}, [])) == (
        "OutOfpods",
        "Node didn't have enough resource: pods, requested: 1, used: 0, capacity: 0",
    )


@pytest.mark.parametrize(
    ("context", "fields"),
    [
        ({"supplementalGroups": [2000], "fsGroup": 0}, ["supplementalGroups", "fsGroup"]),
        ({"fsGroup": 2000}, ["fsGroup"]),
        ({"runAsUser": 5, "runAsGroup": 6, "supplementalGroups": []}, []),
    ],
)
def test_groups_that_the_user_of_the_node_has_not_are_warned_of(context: Object, fields: list[str]) -> None:
    pod = a_pod(securityContext=context)
    assert admit(pod, NODE, []).warnings == ()
    warnings = admit(pod, NODE, [], has_groups=False).warnings
    assert [each.message.split(":")[0] for each in warnings] == [f"spec.securityContext.{name}" for name in fields]
