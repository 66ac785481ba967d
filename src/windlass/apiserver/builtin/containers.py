"""Validation of the containers of a pod: regular, init and ephemeral containers."""

from windlass.apiserver.builtin.container_fields import (
    check_devices,
    check_env,
    check_env_from,
    check_host_port_conflicts,
    check_mounts,
    check_ports,
    check_resources,
)
from windlass.apiserver.builtin.fields import Causes, check_dns_label, unsupported
from windlass.apiserver.builtin.handlers import (
    Check,
    check_lifecycle,
    check_readiness,
    check_single_success,
)
from windlass.apiserver.builtin.security_contexts import check_container_context
from windlass.kube.errors import duplicate, forbidden, invalid, not_found, required
from windlass.kube.json import Object

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("FallbackToLogsOnError", "File")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")


def _check_pull_policy(field: str, value: str, causes: Causes) -> None:
    if value not in PULL_POLICIES:
        causes.append(unsupported(field, value, PULL_POLICIES))


def _check_message_policy(field: str, value: str, causes: Causes) -> None:
    if value not in _MESSAGE_POLICIES:
        causes.append(unsupported(field, value, _MESSAGE_POLICIES))


def _check_restart_policy(field: str, value: str, causes: Causes) -> None:
    if value not in _RESTART_POLICIES:
        causes.append(unsupported(field, value, _RESTART_POLICIES))


def _check_resize_policy(field: str, policies: list[Object], causes: Causes) -> None:
    for index, policy in enumerate(policies):
        for name, allowed in (
            ("resourceName", ("cpu", "memory")),
            ("restartPolicy", ("NotRequired", "RestartContainer")),
        ):
            if policy.get(name, "") not in allowed:
                causes.append(unsupported(f"{field}[{index}].{name}", policy.get(name, ""), allowed))


_COMMON: dict[str, Check] = {
    "ports": check_ports,
    "env": check_env,
    "envFrom": check_env_from,
    "imagePullPolicy": _check_pull_policy,
    "terminationMessagePolicy": _check_message_policy,
    "securityContext": check_container_context,
    "resources": check_resources,
    "resizePolicy": _check_resize_policy,
    "restartPolicy": _check_restart_policy,
}
_PROBES: dict[str, Check] = {
    "livenessProbe": check_single_success,
    "startupProbe": check_single_success,
    "readinessProbe": check_readiness,
}
_COMMON_AND_PROBES = {**_COMMON, **_PROBES}


def _check_container(
    path: str, container: Object, volumes: dict[str, Object], checks: dict[str, Check], causes: Causes
) -> None:
    name, image = container.get("name"), container.get("image")
    if not name:
        causes.append(required(f"{path}.name"))
    else:
        check_dns_label(f"{path}.name", name, causes)
    if not image:
        causes.append(required(f"{path}.image"))
    elif image[0].isspace() or image[-1].isspace():
        causes.append(invalid(f"{path}.image", image, "must not have leading or trailing whitespace"))
    for field, value in container.items():
        check = checks.get(field)
        if check is not None and value:
            check(f"{path}.{field}", value, causes)
        elif field == "volumeMounts":
            check_mounts(f"{path}.volumeMounts", container, volumes, causes)
        elif field == "volumeDevices":
            check_devices(f"{path}.volumeDevices", value, volumes, causes)


def check_containers(path: str, spec: Object, volumes: dict[str, Object], causes: Causes) -> set[str]:
    """Validate `spec.containers`; returns their names, which init and ephemeral containers must not repeat."""
    containers: list[Object] = spec.get("containers") or []
    if not containers:
        causes.append(required(path))
    names: set[str] = set()
    grace = spec.get("terminationGracePeriodSeconds")
    ports = False
    for index, container in enumerate(containers):
        where = f"{path}[{index}]"
        _check_container(where, container, volumes, _COMMON_AND_PROBES, causes)
        name = container.get("name") or ""
        if name in names:
            causes.append(duplicate(f"{where}.name", name))
        names.add(name)
        if "lifecycle" in container:
            check_lifecycle(f"{where}.lifecycle", container["lifecycle"], causes, grace=grace)
        ports = ports or "ports" in container
    if ports:
        check_host_port_conflicts(path, containers, causes)
    return names


def check_init_containers(path: str, spec: Object, volumes: dict[str, Object], names: set[str], causes: Causes) -> None:
    grace = spec.get("terminationGracePeriodSeconds")
    for index, container in enumerate(spec["initContainers"]):
        where = f"{path}[{index}]"
        sidecar = container.get("restartPolicy") == "Always"
        _check_container(where, container, volumes, _COMMON_AND_PROBES if sidecar else _COMMON, causes)
        name = container.get("name") or ""
        if name in names:
            causes.append(duplicate(f"{where}.name", name))
        names.add(name)
        if sidecar:
            if "lifecycle" in container:
                check_lifecycle(f"{where}.lifecycle", container["lifecycle"], causes, grace=grace)
            continue
        for field in ("lifecycle", *_PROBES):
            if field in container:
                causes.append(
                    forbidden(f"{where}.{field}", "may not be set for init containers without restartPolicy=Always")
                )
    check_host_port_conflicts(path, spec["initContainers"], causes)


_NOT_FOR_EPHEMERAL = (
    "ports",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
    "resizePolicy",
)


def check_ephemeral_containers(
    path: str, spec: Object, volumes: dict[str, Object], names: set[str], causes: Causes
) -> None:
    targets = set(names)
    for index, container in enumerate(spec["ephemeralContainers"]):
        where = f"{path}[{index}]"
        _check_container(where, container, volumes, _COMMON, causes)
        name = container.get("name") or ""
        if name in names:
            causes.append(duplicate(f"{where}.name", name))
        names.add(name)
        target = container.get("targetContainerName")
        if target and target not in targets:
            causes.append(not_found(f"{where}.targetContainerName", target))
        for field in _NOT_FOR_EPHEMERAL:
            if container.get(field):
                causes.append(forbidden(f"{where}.{field}", "cannot be set for an Ephemeral Container"))
        if container.get("resources"):
            causes.append(forbidden(f"{where}.resources", "cannot be set for an Ephemeral Container"))
        for number, mount in enumerate(container.get("volumeMounts") or ()):
            if mount.get("subPath"):
                causes.append(
                    forbidden(f"{where}.volumeMounts[{number}].subPath", "cannot be set for an Ephemeral Container")
                )
