"""Validation of a pod's spec, also in the template of a workload."""

from windlass.apiserver.builtin.containers import (
    check_containers,
    check_ephemeral_containers,
    check_init_containers,
)
from windlass.apiserver.builtin.fields import (
    MAX_INT32,
    Causes,
    check_dns_label,
    check_ip,
    check_label_key,
    check_labels,
    check_subdomain,
    unsupported,
)
from windlass.apiserver.builtin.handlers import Check
from windlass.apiserver.builtin.metadata import check_annotations
from windlass.apiserver.builtin.placement import (
    check_affinity,
    check_node_selector,
    check_spread,
    check_tolerations,
)
from windlass.apiserver.builtin.pod_volumes import check_volumes
from windlass.apiserver.builtin.security_contexts import check_pod_context
from windlass.kube.errors import duplicate, forbidden, invalid, required
from windlass.kube.json import Object, dig_list

RESTART_POLICIES = ("Always", "OnFailure", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION = ("PreemptLowerPriority", "Never")
_NO_VOLUMES: dict[str, Object] = {}


def check_template(path: str, template: Object, causes: Causes) -> None:
    """Validate a workload's pod template: its spec, and the metadata that pods inherit."""
    meta = template.get("metadata")
    if meta:
        if meta.get("labels"):
            check_labels(f"{path}.metadata.labels", meta["labels"], causes)
        if meta.get("annotations"):
            check_annotations(f"{path}.metadata.annotations", meta["annotations"], causes)
    spec: Object = template.get("spec") or {}
    check_pod_spec(f"{path}.spec", spec, causes)
    if spec.get("ephemeralContainers"):
        causes.append(forbidden(f"{path}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template"))


def check_pod_spec(path: str, spec: Object, causes: Causes) -> None:
    volumes = spec.get("volumes")
    known = check_volumes(f"{path}.volumes", volumes, causes) if volumes else _NO_VOLUMES
    seen = check_containers(f"{path}.containers", spec, known, causes)
    if spec.get("initContainers"):
        check_init_containers(f"{path}.initContainers", spec, known, seen, causes)
    if spec.get("ephemeralContainers"):
        check_ephemeral_containers(f"{path}.ephemeralContainers", spec, known, seen, causes)
    policy = spec.get("restartPolicy", "")
    if policy not in RESTART_POLICIES:
        causes.append(
            unsupported(f"{path}.restartPolicy", policy, RESTART_POLICIES)
            if policy
            else required(f"{path}.restartPolicy")
        )
    _check_dns(path, spec, causes)
    if spec.get("hostNetwork"):
        _check_host_network(f"{path}.containers", spec.get("containers") or [], causes)
    if spec.get("hostPID") and spec.get("shareProcessNamespace"):
        causes.append(
            invalid(f"{path}.shareProcessNamespace", True, "ShareProcessNamespace and HostPID cannot both be enabled")
        )
    for field, value in spec.items():
        check = _FIELDS.get(field)
        if check is not None:
            check(f"{path}.{field}", value, causes)


def _check_dns(path: str, spec: Object, causes: Causes) -> None:
    policy = spec.get("dnsPolicy", "")
    if policy not in _DNS_POLICIES:
        causes.append(
            unsupported(f"{path}.dnsPolicy", policy, _DNS_POLICIES) if policy else required(f"{path}.dnsPolicy")
        )
    config = spec.get("dnsConfig")
    if policy == "None":
        if config is None:
            why = "must provide `dnsConfig` when `dnsPolicy` is None"
            causes.append(required(f"{path}.dnsConfig", why))
            return
        if not config.get("nameservers"):
            why = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            causes.append(required(f"{path}.dnsConfig.nameservers", why))
    if config is None:
        return
    servers = dig_list(config, "nameservers")
    if len(servers) > 3:
        causes.append(invalid(f"{path}.dnsConfig.nameservers", servers, "must not have more than 3 nameservers"))
    for index, server in enumerate(servers):
        check_ip(f"{path}.dnsConfig.nameservers[{index}]", server, causes)
    for index, domain in enumerate(config.get("searches") or ()):
        if domain != ".":
            check_subdomain(f"{path}.dnsConfig.searches[{index}]", domain.removesuffix("."), causes)
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            causes.append(required(f"{path}.dnsConfig.options[{index}]", "must not be empty"))


def _check_host_network(path: str, containers: list[Object], causes: Causes) -> None:
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            if port.get("hostPort") != port.get("containerPort"):
                why = "must match `hostPort` when `hostNetwork` is true"
                field = f"{path}[{index}].ports[{number}].containerPort"
                causes.append(invalid(field, port.get("containerPort", 0), why))


def _check_deadline(field: str, seconds: int, causes: Causes) -> None:
    if not 1 <= seconds <= MAX_INT32:
        causes.append(invalid(field, seconds, f"must be between 1 and {MAX_INT32}, inclusive"))


def _check_pull_secrets(field: str, secrets: list[Object], causes: Causes) -> None:
    for index, secret in enumerate(secrets):
        if not secret.get("name"):
            causes.append(required(f"{field}[{index}].name"))


def _check_host_aliases(field: str, aliases: list[Object], causes: Causes) -> None:
    for index, alias in enumerate(aliases):
        check_ip(f"{field}[{index}].ip", alias.get("ip", ""), causes)
        for name in alias.get("hostnames") or ():
            check_subdomain(f"{field}[{index}].hostnames", name, causes)


def _check_gates(field: str, gates: list[Object], causes: Causes) -> None:
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name", "")
        check_label_key(f"{field}[{index}].name" if name else f"{field}[{index}]", name, causes)
        if name in seen:
            causes.append(duplicate(f"{field}[{index}]", name))
        seen.add(name)


def _check_readiness_gates(field: str, gates: list[Object], causes: Causes) -> None:
    for index, gate in enumerate(gates):
        check_label_key(f"{field}[{index}].conditionType", gate.get("conditionType", ""), causes)


def _check_claims(field: str, claims: list[Object], causes: Causes) -> None:
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        name = claim.get("name", "")
        if not name:
            causes.append(required(f"{field}[{index}].name"))
        elif name in seen:
            causes.append(duplicate(f"{field}[{index}].name", name))
        seen.add(name)


def _check_preemption(field: str, policy: str, causes: Causes) -> None:
    if policy not in _PREEMPTION:
        causes.append(unsupported(field, policy, _PREEMPTION))


def _check_optional_label(field: str, value: str, causes: Causes) -> None:
    if value:
        check_dns_label(field, value, causes)


def _check_optional_subdomain(field: str, value: str, causes: Causes) -> None:
    if value:
        check_subdomain(field, value, causes)


def _check_os(field: str, system: Object, causes: Causes) -> None:
    name = system.get("name", "")
    if name not in ("linux", "windows"):
        causes.append(unsupported(f"{field}.name", name, ("linux", "windows")) if name else required(f"{field}.name"))


_FIELDS: dict[str, Check] = {
    "activeDeadlineSeconds": _check_deadline,
    "affinity": check_affinity,
    "hostAliases": _check_host_aliases,
    "hostname": _check_optional_label,
    "imagePullSecrets": _check_pull_secrets,
    "nodeName": _check_optional_subdomain,
    "nodeSelector": check_node_selector,
    "os": _check_os,
    "preemptionPolicy": _check_preemption,
    "priorityClassName": _check_optional_subdomain,
    "readinessGates": _check_readiness_gates,
    "resourceClaims": _check_claims,
    "runtimeClassName": _check_optional_subdomain,
    "schedulingGates": _check_gates,
    "securityContext": check_pod_context,
    "serviceAccountName": _check_optional_subdomain,
    "subdomain": _check_optional_label,
    "tolerations": check_tolerations,
    "topologySpreadConstraints": check_spread,
}
