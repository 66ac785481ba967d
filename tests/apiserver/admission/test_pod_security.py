"""Pod Security admission: the fields that Kubernetes documents for the levels, and the labels of namespaces."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import Answer, Windlass, eventually, running
from windlass.apiserver.admission.pod_security import policy
from windlass.apiserver.admission.pod_security_standards import Level, violations

RESTRICTED: Any = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def a_pod(security: Any = None, *, annotations: Any = None, container: Any = None, **spec: Any) -> Any:
    main = {"name": "a", "image": "i", **({"securityContext": security} if security else {}), **(container or {})}
    return {"metadata": {"name": "p", "annotations": annotations or {}}, "spec": {"containers": [main], **spec}}


FORBIDDEN_BY_BASELINE = [
    (a_pod(hostNetwork=True, hostPID=True), "host namespaces (hostNetwork=true, hostPID=true)"),
    (a_pod(hostIPC=True), "host namespaces (hostIPC=true)"),
    (a_pod({"privileged": True}), 'privileged (container "a" must not set securityContext.privileged=true)'),
    (
        a_pod({"capabilities": {"add": ["SYS_ADMIN", "CHOWN", "NET_RAW"]}}),
        'non-default capabilities (container "a" must not include "NET_RAW", "SYS_ADMIN" in '
        "securityContext.capabilities.add)",
    ),
    (a_pod(volumes=[{"name": "v", "hostPath": {"path": "/"}}]), 'hostPath volumes (volume "v")'),
    (
        a_pod(container={"ports": [{"containerPort": 80, "hostPort": 80}, {"containerPort": 9, "hostPort": 9}]}),
        'hostPort (container "a" uses hostPorts 80, 9)',
    ),
    (
        a_pod({"appArmorProfile": {"type": "Unconfined"}}),
        'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined")',
    ),
    (
        a_pod(annotations={"container.apparmor.security.beta.kubernetes.io/a": "unconfined"}),
        'forbidden AppArmor profile (annotation "container.apparmor.security.beta.kubernetes.io/a" must not set '
        'AppArmor profile type to "unconfined")',
    ),
    (
        a_pod({"seLinuxOptions": {"type": "spc_t", "user": "u", "role": "r"}}),
        'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: type "spc_t"; '
        "user may not be set; role may not be set)",
    ),
    (
        a_pod({"procMount": "Unmasked"}),
        'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ),
    (
        a_pod({"seccompProfile": {"type": "Unconfined"}}, securityContext={"seccompProfile": {"type": "Unconfined"}}),
        'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ),
    (
        a_pod(securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}),
        "forbidden sysctl (kernel.msgmax)",
    ),
    (
        a_pod({"windowsOptions": {"hostProcess": True}}),
        'hostProcess (container "a" must not set securityContext.windowsOptions.hostProcess=true)',
    ),
    (
        a_pod(initContainers=[{"name": "i", "securityContext": {"privileged": True}}]),
        'privileged (container "i" must not set securityContext.privileged=true)',
    ),
    (
        a_pod(
            {"privileged": True},
            ephemeralContainers=[{"name": "e", "securityContext": {"privileged": True}}],
        ),
        'privileged (containers "a", "e" must not set securityContext.privileged=true)',
    ),
]


@pytest.mark.parametrize(("pod", "told"), FORBIDDEN_BY_BASELINE, ids=lambda value: value if value is str else "")
def test_baseline_names_what_it_forbids(pod: Any, told: str) -> None:
    assert [str(one) for one in violations("baseline", pod)] == [told]
    assert not violations("privileged", pod)


def test_baseline_allows_what_the_standard_allows() -> None:
    pod = a_pod(
        {
            "capabilities": {"add": ["CHOWN", "NET_BIND_SERVICE"]},
            "procMount": "Default",
            "seLinuxOptions": {"type": "container_t", "level": "s0"},
            "seccompProfile": {"type": "Localhost", "localhostProfile": "p"},
            "runAsUser": 0,
        },
        annotations={"container.apparmor.security.beta.kubernetes.io/a": "localhost/x"},
        securityContext={"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]},
        volumes=[{"name": "v", "emptyDir": {}}],
        container={"ports": [{"containerPort": 80}]},
    )
    assert not violations("baseline", pod)


FORBIDDEN_BY_RESTRICTED = [
    (
        {"allowPrivilegeEscalation": None},
        'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
    ),
    (
        {"capabilities": {"add": ["CHOWN"]}},
        'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" '
        'must not include "CHOWN" in securityContext.capabilities.add)',
    ),
    ({"runAsNonRoot": None}, 'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)'),
    ({"runAsNonRoot": False}, 'runAsNonRoot != true (container "a" must not set securityContext.runAsNonRoot=false)'),
    ({"runAsUser": 0}, 'runAsUser=0 (container "a" must not set runAsUser=0)'),
    (
        {"seccompProfile": None},
        'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or '
        '"Localhost")',
    ),
]


@pytest.mark.parametrize(("changed", "told"), FORBIDDEN_BY_RESTRICTED)
def test_restricted_names_what_it_forbids(changed: Any, told: str) -> None:
    assert [str(one) for one in violations("restricted", a_pod({**RESTRICTED, **changed}))] == [told]
    assert not violations("baseline", a_pod({**RESTRICTED, **changed}))


def test_restricted_allows_only_some_volumes() -> None:
    pod = a_pod(RESTRICTED, volumes=[{"name": "n", "nfs": {}}, {"name": "e", "emptyDir": {}}])

    assert [str(one) for one in violations("restricted", pod)] == [
        'restricted volume types (volume "n" uses restricted volume type "nfs")'
    ]
    assert not violations("restricted", a_pod(RESTRICTED))


@pytest.mark.parametrize(
    ("labels", "level"),
    [({}, "privileged"), ({"enforce": "baseline"}, "baseline"), ({"enforce": "what"}, "restricted")],
)
def test_the_label_names_the_level(labels: dict[str, str], level: Level) -> None:
    assert policy({f"pod-security.kubernetes.io/{key}": value for key, value in labels.items()}, "enforce") == (
        level,
        "latest",
    )


def probing(field: str, action: str, host: str = "10.0.0.1") -> Any:
    handler = {action: {"port": 80, "host": host}}
    moment, _, name = field.partition(".")
    return a_pod(container={moment: {name: handler} if name else handler})


def a_sysctl(name: str) -> Any:
    return a_pod(securityContext={"sysctls": [{"name": name, "value": "1"}]})


AN_ENGINE = a_pod({"seLinuxOptions": {"type": "container_engine_t"}})
WITH_ROOT = a_pod({**RESTRICTED, "runAsUser": 0})
WITH_CAPABILITIES = a_pod({**RESTRICTED, "capabilities": {}})
ON_WINDOWS = a_pod({"runAsNonRoot": True}, os={"name": "windows"})

SINCE: list[tuple[Level, Any, int, bool]] = [
    ("baseline", a_sysctl("net.ipv4.ip_local_reserved_ports"), 27, True),
    ("baseline", a_sysctl("net.ipv4.tcp_keepalive_time"), 29, True),
    ("baseline", a_sysctl("net.ipv4.tcp_fin_timeout"), 29, True),
    ("baseline", a_sysctl("net.ipv4.tcp_rmem"), 32, True),
    ("baseline", AN_ENGINE, 31, True),
    ("baseline", probing("livenessProbe", "httpGet"), 34, False),
    ("baseline", probing("lifecycle.preStop", "tcpSocket"), 34, False),
    ("restricted", WITH_CAPABILITIES, 22, False),
    ("restricted", WITH_ROOT, 23, False),
    ("restricted", ON_WINDOWS, 25, True),
]
"""Level, pod, the minor release since which something changed, and whether the pod is allowed from then on."""


@pytest.mark.parametrize(("level", "pod", "minor", "is_allowed"), SINCE)
def test_a_rule_holds_since_its_release(level: Level, pod: Any, minor: int, is_allowed: bool) -> None:
    assert (violations(level, pod, f"v1.{minor - 1}") == []) is not is_allowed
    assert (violations(level, pod, f"v1.{minor}") == []) is is_allowed
    assert (violations(level, pod) == []) is is_allowed


@pytest.mark.parametrize("action", ["httpGet", "tcpSocket"])
@pytest.mark.parametrize(
    "field", ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle.postStart", "lifecycle.preStop"]
)
def test_probes_and_handlers_name_no_host(field: str, action: str) -> None:
    assert [str(found) for found in violations("baseline", probing(field, action))] == [
        'probe or lifecycle host (container "a" uses probe or lifecycle host "10.0.0.1")'
    ]
    assert violations("baseline", probing(field, action, host="")) == []


@pytest.mark.parametrize(
    "version", ["v1.0", "v1.19", "v1.99", "latest", "v1.99999999999999999999", "v1.\u0661", "nonsense"]
)
def test_every_version_forbids_privileged_pods(version: str) -> None:
    assert violations("baseline", a_pod({"privileged": True}), version)


def test_the_labels_version_selects_the_rules(bare: Windlass, room: str) -> None:
    assert label(bare, room, **{"enforce": "baseline", "enforce-version": "v1.33"}).status == 200

    pod = probing("livenessProbe", "httpGet")

    assert bare.request("POST", f"/api/v1/namespaces/{room}/pods", pod).status == 201
    label(bare, room, **{"enforce-version": "v1.34"})
    refused = bare.request("POST", f"/api/v1/namespaces/{room}/pods", {**pod, "metadata": {"name": "q"}})
    assert 'violates PodSecurity "baseline:v1.34": probe or lifecycle host' in refused.json()["message"]


def test_the_audit_log_records_the_policy_and_what_violates_the_audited_one(tmp_path: Path) -> None:
    rules = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"
    (tmp_path / "policy.yaml").write_text(rules)
    log = tmp_path / "audit.log"
    flags = ("--audit-policy-file", str(tmp_path / "policy.yaml"), "--audit-log-path", str(log))
    with running(tmp_path, *flags) as server:
        label(server, "default", enforce="baseline", audit="restricted")
        server.request("POST", "/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "default"}})
        server.request("POST", "/api/v1/namespaces/default/pods", a_pod())
        server.request("POST", "/api/v1/namespaces/default/pods", {**a_pod(hostPID=True), "metadata": {"name": "q"}})
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {**a_pod()["spec"]}}
        spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
        server.request(
            "POST", "/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "d"}, "spec": spec}
        )

        def recorded() -> list[Any]:
            events = [json.loads(line) for line in log.read_bytes().rpartition(b"\n")[0].splitlines()]
            made = [event for event in events if event["verb"] == "create" and "annotations" in event]
            return made if len(made) == 3 else []

        events = eventually(recorded, 30, "three events are recorded")
    prefix = "pod-security.kubernetes.io/"
    found = [{key.removeprefix(prefix): value for key, value in event["annotations"].items()} for event in events]
    assert [one.get("enforce-policy") for one in found] == ["baseline:latest", "baseline:latest", None]
    assert all(one["audit-violations"].startswith('would violate PodSecurity "restricted:latest": ') for one in found)
    assert [event["responseStatus"]["code"] for event in events] == [201, 403, 201]


def label(server: Windlass, room: str, **labels: str) -> Answer:
    named = {f"pod-security.kubernetes.io/{key}": value for key, value in labels.items()}
    return server.request(
        "PATCH",
        f"/api/v1/namespaces/{room}",
        {"metadata": {"labels": named}},
        content_type="application/merge-patch+json",
    )


def test_a_pod_of_a_namespace_that_enforces_baseline_is_refused(bare: Windlass, room: str) -> None:
    assert label(bare, room, enforce="baseline").status == 200

    answer = bare.request("POST", f"/api/v1/namespaces/{room}/pods", a_pod(hostNetwork=True))

    assert answer.status == 403
    assert answer.json()["message"] == (
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'
    )
    assert bare.request("POST", f"/api/v1/namespaces/{room}/pods", a_pod()).status == 201


def test_an_ephemeral_container_is_checked_too(bare: Windlass, room: str) -> None:
    label(bare, room, enforce="baseline")
    bare.create(f"/api/v1/namespaces/{room}/pods", a_pod())
    debugger = {"name": "d", "image": "i", "securityContext": {"privileged": True}}

    answer = bare.request(
        "PATCH",
        f"/api/v1/namespaces/{room}/pods/p/ephemeralcontainers",
        {"spec": {"ephemeralContainers": [debugger]}},
        content_type="application/strategic-merge-patch+json",
    )

    assert answer.status == 403, answer.json()
    assert 'container "d" must not set securityContext.privileged=true' in answer.json()["message"]


def test_pods_and_templates_are_warned_of(bare: Windlass, room: str) -> None:
    label(bare, room, warn="baseline")
    told = '299 - "would violate PodSecurity \\"baseline:latest\\": host namespaces (hostNetwork=true)"'

    pod = bare.request("POST", f"/api/v1/namespaces/{room}/pods", a_pod(hostNetwork=True))
    template = {"metadata": {"labels": {"a": "b"}}, "spec": a_pod(hostNetwork=True)["spec"]}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    deployment = bare.request(
        "POST", f"/apis/apps/v1/namespaces/{room}/deployments", {"metadata": {"name": "d"}, "spec": spec}
    )

    assert (pod.status, deployment.status) == (201, 201)
    assert told in pod.headers["warning"]
    assert told in deployment.headers["warning"]


@pytest.mark.parametrize("labels", [{"enforce": "none"}, {"warn-version": "1.2"}])
def test_a_label_that_names_no_level_is_refused(bare: Windlass, room: str, labels: dict[str, str]) -> None:
    answer = label(bare, room, **labels)

    assert answer.status == 422
    (cause,) = answer.json()["details"]["causes"]
    assert cause["field"] == f"metadata.labels[pod-security.kubernetes.io/{next(iter(labels))}]"
