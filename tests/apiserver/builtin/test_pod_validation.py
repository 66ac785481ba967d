"""What is wrong with a pod, in Kubernetes' words and at Kubernetes' fields."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import a_container, a_pod, causes_of, changed, created, strategy_of
from windlass.apiserver.builtin.pod_defaults import default_pod
from windlass.apiserver.builtin.pods import Pods
from windlass.kube.json import Object

FIRST = "spec.containers[0]"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


def test_a_pod_without_containers_is_refused() -> None:
    assert causes_of(changed(a_pod(), "spec.containers", [])) == [("spec.containers", "Required value")]


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"name": ""}, (f"{FIRST}.name", "Required value")),
        ({"name": "A_b"}, (f"{FIRST}.name", f'Invalid value: "A_b": {LABEL}')),
        ({"image": ""}, (f"{FIRST}.image", "Required value")),
        (
            {"image": " nginx"},
            (f"{FIRST}.image", 'Invalid value: " nginx": must not have leading or trailing whitespace'),
        ),
        (
            {"imagePullPolicy": "Sometimes"},
            (
                f"{FIRST}.imagePullPolicy",
                'Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
            ),
        ),
        ({"ports": [{"containerPort": 0}]}, (f"{FIRST}.ports[0].containerPort", "Required value")),
        (
            {"ports": [{"containerPort": 65536}]},
            (f"{FIRST}.ports[0].containerPort", "Invalid value: 65536: must be between 1 and 65535, inclusive"),
        ),
        (
            {"ports": [{"containerPort": 1, "protocol": "ICMP"}]},
            (f"{FIRST}.ports[0].protocol", 'Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'),
        ),
        (
            {"ports": [{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]},
            (f"{FIRST}.ports[1].name", 'Duplicate value: "a"'),
        ),
        (
            {"ports": [{"containerPort": 1, "name": "a--b"}]},
            (f"{FIRST}.ports[0].name", 'Invalid value: "a--b": must not contain consecutive hyphens'),
        ),
        (
            {"ports": [{"containerPort": 1, "hostPort": 9}, {"containerPort": 2, "hostPort": 9}]},
            (f"{FIRST}.ports[1].hostPort", 'Duplicate value: "TCP//9"'),
        ),
        ({"env": [{"value": "x"}]}, (f"{FIRST}.env[0].name", "Required value")),
        (
            {"env": [{"name": "A=B"}]},
            (
                f"{FIRST}.env[0].name",
                'Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII '
                "characters other than '='",
            ),
        ),
        (
            {"env": [{"name": "A", "valueFrom": {}}]},
            (
                f"{FIRST}.env[0].valueFrom",
                'Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or '
                "`secretKeyRef`",
            ),
        ),
        (
            {"env": [{"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
            (f"{FIRST}.env[0].valueFrom", 'Invalid value: "": may not be specified when `value` is not empty'),
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.color"}}}]},
            (
                f"{FIRST}.env[0].valueFrom.fieldRef.fieldPath",
                'Invalid value: "spec.color": error converting fieldPath: field label not supported: spec.color',
            ),
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}]},
            (f"{FIRST}.env[0].valueFrom.secretKeyRef.key", "Required value"),
        ),
        (
            {"envFrom": [{}]},
            (f"{FIRST}.envFrom[0]", 'Invalid value: "": must specify one of: `configMapRef` or `secretRef`'),
        ),
        (
            {"volumeMounts": [{"name": "nope", "mountPath": "/x"}]},
            (f"{FIRST}.volumeMounts[0].name", 'Not found: "nope"'),
        ),
        (
            {"volumeMounts": [{"name": "v", "mountPath": "/x"}, {"name": "v", "mountPath": "/x"}]},
            (f"{FIRST}.volumeMounts[1].mountPath", 'Invalid value: "/x": must be unique'),
        ),
        ({"volumeMounts": [{"name": "v"}]}, (f"{FIRST}.volumeMounts[0].mountPath", "Required value")),
        (
            {"volumeMounts": [{"name": "v", "mountPath": "/x", "subPath": "/a"}]},
            (f"{FIRST}.volumeMounts[0].subPath", 'Invalid value: "/a": must be a relative path'),
        ),
        (
            {"volumeMounts": [{"name": "v", "mountPath": "/x", "subPath": "a/../../b"}]},
            (f"{FIRST}.volumeMounts[0].subPath", "Invalid value: \"a/../../b\": must not contain '..'"),
        ),
        (
            {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}},
            (f"{FIRST}.resources.requests", 'Invalid value: "2": must be less than or equal to cpu limit of 1'),
        ),
        (
            {"resources": {"limits": {"cpu": "-1"}, "requests": {"cpu": "-1"}}},
            (f"{FIRST}.resources.limits[cpu]", 'Invalid value: "-1": must be greater than or equal to 0'),
        ),
        (
            {"resources": {"limits": {"cpu": "many"}, "requests": {}}},
            (
                f"{FIRST}.resources.limits[cpu]",
                'Invalid value: "many": quantities must match the regular expression '
                "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ),
        ),
        (
            {"resources": {"requests": {"colour": "1"}}},
            (
                f"{FIRST}.resources.requests[colour]",
                'Invalid value: "colour": must be a standard resource for containers',
            ),
        ),
        (
            {"resources": {"requests": {"nvidia.com/gpu": "1"}}},
            (f"{FIRST}.resources.limits", "Required value: Limit must be set for non overcommitable resources"),
        ),
        (
            {"resources": {"requests": {"nvidia.com/gpu": "1"}, "limits": {"nvidia.com/gpu": "2"}}},
            (f"{FIRST}.resources.requests", 'Invalid value: "1": must be equal to nvidia.com/gpu limit of 2'),
        ),
        ({"livenessProbe": {}}, (f"{FIRST}.livenessProbe", "Required value: must specify a handler type")),
        (
            {"livenessProbe": {"exec": {"command": ["a"]}, "tcpSocket": {"port": 1}}},
            (f"{FIRST}.livenessProbe.tcpSocket", "Forbidden: may not specify more than 1 handler type"),
        ),
        (
            {"livenessProbe": {"exec": {"command": ["a"]}, "successThreshold": 2}},
            (f"{FIRST}.livenessProbe.successThreshold", "Invalid value: 2: must be 1"),
        ),
        (
            {"readinessProbe": {"exec": {"command": ["a"]}, "periodSeconds": -1}},
            (f"{FIRST}.readinessProbe.periodSeconds", "Invalid value: -1: must be greater than or equal to 0"),
        ),
        (
            {"readinessProbe": {"httpGet": {"port": 0}}},
            (f"{FIRST}.readinessProbe.httpGet.port", "Invalid value: 0: must be between 1 and 65535, inclusive"),
        ),
        (
            {"lifecycle": {"preStop": {"exec": {}}}},
            (f"{FIRST}.lifecycle.preStop.exec.command", "Required value"),
        ),
        (
            {"securityContext": {"runAsUser": -1}},
            (f"{FIRST}.securityContext.runAsUser", "Invalid value: -1: must be between 0 and 2147483647, inclusive"),
        ),
    ],
)
def test_a_bad_container_is_told_what_is_wrong(fields: Object, cause: tuple[str, str]) -> None:
    assert cause in causes_of(a_pod(a_container(**fields), volumes=[{"name": "v"}]))


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        (
            {"restartPolicy": "Maybe"},
            ("spec.restartPolicy", 'Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"'),
        ),
        (
            {"dnsPolicy": "Mine"},
            (
                "spec.dnsPolicy",
                'Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", '
                '"None"',
            ),
        ),
        (
            {"activeDeadlineSeconds": 0},
            ("spec.activeDeadlineSeconds", "Invalid value: 0: must be between 1 and 2147483647, inclusive"),
        ),
        ({"hostname": "A"}, ("spec.hostname", f'Invalid value: "A": {LABEL}')),
        ({"imagePullSecrets": [{}]}, ("spec.imagePullSecrets[0].name", "Required value")),
        ({"volumes": [{"emptyDir": {}}]}, ("spec.volumes[0].name", "Required value")),
        ({"volumes": [{"name": "a"}, {"name": "a"}]}, ("spec.volumes[1].name", 'Duplicate value: "a"')),
        (
            {"volumes": [{"name": "a", "emptyDir": {}, "hostPath": {"path": "/x"}}]},
            ("spec.volumes[0].hostPath", "Forbidden: may not specify more than 1 volume type"),
        ),
        ({"volumes": [{"name": "a", "secret": {}}]}, ("spec.volumes[0].secret.secretName", "Required value")),
        ({"volumes": [{"name": "a", "configMap": {}}]}, ("spec.volumes[0].configMap.name", "Required value")),
        (
            {"volumes": [{"name": "a", "persistentVolumeClaim": {}}]},
            ("spec.volumes[0].persistentVolumeClaim.claimName", "Required value"),
        ),
        (
            {"volumes": [{"name": "a", "configMap": {"name": "c", "defaultMode": 1000}}]},
            (
                "spec.volumes[0].configMap.defaultMode",
                "Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive",
            ),
        ),
        (
            {"tolerations": [{"operator": "Equal"}]},
            (
                "spec.tolerations[0].operator",
                'Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all '
                'values and all keys"',
            ),
        ),
        (
            {"tolerations": [{"key": "a", "operator": "Exists", "effect": "Never"}]},
            (
                "spec.tolerations[0].effect",
                'Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
            ),
        ),
        (
            {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}},
            (
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
                "Required value: must have at least one node selector term",
            ),
        ),
        (
            {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}},
            (
                "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
                "Required value: can not be empty",
            ),
        ),
        (
            {"topologySpreadConstraints": [{"maxSkew": 0, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}]},
            ("spec.topologySpreadConstraints[0].maxSkew", "Invalid value: 0: must be greater than zero"),
        ),
        (
            {"hostPID": True, "shareProcessNamespace": True},
            (
                "spec.shareProcessNamespace",
                "Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
            ),
        ),
        (
            {"initContainers": [a_container(name="i", livenessProbe={"exec": {"command": ["a"]}})]},
            (
                "spec.initContainers[0].livenessProbe",
                "Forbidden: may not be set for init containers without restartPolicy=Always",
            ),
        ),
        ({"initContainers": [a_container()]}, ("spec.initContainers[0].name", 'Duplicate value: "main"')),
        (
            {"ephemeralContainers": [a_container(name="e", targetContainerName="nope")]},
            ("spec.ephemeralContainers[0].targetContainerName", 'Not found: "nope"'),
        ),
        (
            {"ephemeralContainers": [a_container(name="e", ports=[{"containerPort": 1}])]},
            ("spec.ephemeralContainers[0].ports", "Forbidden: cannot be set for an Ephemeral Container"),
        ),
    ],
)
def test_a_bad_spec_is_told_what_is_wrong(spec: Object, cause: tuple[str, str]) -> None:
    assert cause in causes_of(a_pod(**spec))


def test_two_containers_cannot_have_one_name() -> None:
    assert causes_of(a_pod(a_container(), a_container())) == [("spec.containers[1].name", 'Duplicate value: "main"')]


def test_a_port_on_the_hosts_network_is_the_containers_port() -> None:
    pod = a_pod(a_container(ports=[{"containerPort": 80, "hostPort": 81}]), hostNetwork=True)

    why = "Invalid value: 80: must match `hostPort` when `hostNetwork` is true"
    assert causes_of(pod) == [("spec.containers[0].ports[0].containerPort", why)]


@pytest.mark.parametrize(
    ("container", "wanted"),
    [
        (
            a_container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
            ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
        ),
        (a_container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "$(A):2"}]), []),
        (
            a_container(ports=[{"containerPort": 80}, {"containerPort": 80}]),
            ["spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]"],
        ),
        (
            a_container(resources={"requests": {"memory": "100m"}}),
            [f'{FIRST}.resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer'],
        ),
    ],
)
def test_a_likely_mistake_gives_a_warning(container: Object, wanted: list[str]) -> None:
    pod = a_pod(container)

    assert strategy_of(pod).warnings(pod) == wanted


def test_every_pod_of_a_series_gets_the_warnings_of_its_spec_and_its_own() -> None:
    strategy = Pods()
    plain = changed(created(a_pod()), "spec.nodeSelector", {"beta.kubernetes.io/os": "linux"})
    marked = changed(plain, "metadata.annotations", {"scheduler.alpha.kubernetes.io/critical-pod": ""})
    expected = strategy.warnings(marked)
    assert len(expected) == 2

    for pod, warnings in ((plain, expected[1:]), (marked, expected), (plain, expected[1:]), (marked, expected)):
        assert strategy.validate_create(pod) == ([], warnings)

    causes, warnings = strategy.validate_create(changed(marked, "spec.containers", []))
    assert [cause.field for cause in causes] == ["spec.containers"]
    assert warnings == []


@pytest.mark.parametrize(
    ("path", "value", "field", "wanted"),
    [
        ("spec.nodeName", "n1", "spec.nodeName", "n1"),
        ("spec.hostNetwork", True, "spec.hostNetwork", "true"),
        ("status.phase", "Running", "status.phase", "Running"),
        ("status.podIP", "10.0.0.1", "status.podIP", "10.0.0.1"),
    ],
)
def test_pods_can_be_selected_by_field(path: str, value: Any, field: str, wanted: str) -> None:
    pod = changed(a_pod(), path, value)

    assert strategy_of(pod).selectable_fields(pod)[field] == wanted


def test_a_spec_like_a_good_one_is_good_and_the_likeness_ends_at_any_other_byte() -> None:
    pods = Pods(has_status=True)

    def with_token(name: str, mounted: str) -> dict[str, Any]:
        pod = a_pod()
        default_pod(pod)
        pod["spec"]["volumes"] = [{"name": name, "emptyDir": {}}]
        pod["spec"]["containers"][0]["volumeMounts"] = [{"name": mounted, "mountPath": "/token"}]
        return pod

    assert pods.validate(with_token("kube-api-access-aaaaa", "kube-api-access-aaaaa")) == []
    assert pods.validate(with_token("kube-api-access-bbbbb", "kube-api-access-bbbbb")) == []
    [cause] = pods.validate(with_token("kube-api-access-ccccc", "kube-api-access-aaaaa"))
    assert cause.field == "spec.containers[0].volumeMounts[0].name"
