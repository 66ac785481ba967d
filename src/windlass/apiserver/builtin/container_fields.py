"""Validation of a container's ports, environment, mounts and resources."""

from functools import lru_cache

from windlass.apiserver.builtin.fields import (
    Causes,
    check_dns_label,
    check_each,
    check_enum,
    check_port,
    check_quantity,
    label_key_problems,
    unsupported,
)
from windlass.apiserver.builtin.fields import quantity as quantity_of
from windlass.kube import names
from windlass.kube.errors import duplicate, forbidden, invalid, not_found, required
from windlass.kube.json import Object, dig

PROTOCOLS = ("SCTP", "TCP", "UDP")
_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})


def check_ports(path: str, ports: list[Object], causes: Causes) -> None:
    seen: set[str] = set()
    for index, port in enumerate(ports):
        name = port.get("name")
        if name:
            problems = names.port_name_errors(name)
            if problems:
                check_each(f"{path}[{index}].name", name, problems, causes)
            elif name in seen:
                causes.append(duplicate(f"{path}[{index}].name", name))
            seen.add(name)
        number = port.get("containerPort")
        if not number:
            causes.append(required(f"{path}[{index}].containerPort"))
        elif not 0 < number < 65536:
            check_port(f"{path}[{index}].containerPort", number, causes)
        host = port.get("hostPort")
        if host:
            check_port(f"{path}[{index}].hostPort", host, causes)
        protocol = port.get("protocol", "")
        if protocol != "TCP":
            check_enum(f"{path}[{index}].protocol", protocol, PROTOCOLS, causes)


def check_host_port_conflicts(path: str, containers: list[Object], causes: Causes) -> None:
    """Report host ports that two containers of a pod share."""
    seen: set[str] = set()
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort")
            if not host:
                continue
            wanted = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{host}"
            if wanted in seen:
                causes.append(duplicate(f"{path}[{index}].ports[{number}].hostPort", wanted))
            seen.add(wanted)


@lru_cache(maxsize=4096)
def _env_name_problems(name: str) -> tuple[str, ...]:
    return tuple(names.env_name_errors(name))


def check_env(path: str, env: list[Object], causes: Causes) -> None:
    for index, variable in enumerate(env):
        name = variable.get("name")
        if not name:
            causes.append(required(f"{path}[{index}].name"))
        else:
            problems = _env_name_problems(name)
            if problems:
                check_each(f"{path}[{index}].name", name, problems, causes)
        source = variable.get("valueFrom")
        if source is not None:
            _check_env_source(f"{path}[{index}].valueFrom", source, variable.get("value"), causes)


_ENV_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")


def _check_env_source(path: str, source: Object, value: str | None, causes: Causes) -> None:
    field = source.get("fieldRef")
    if field is not None:
        check_field_ref(f"{path}.fieldRef", field, _ENV_FIELDS, causes)
    resource = source.get("resourceFieldRef")
    if resource is not None:
        check_resource_field_ref(f"{path}.resourceFieldRef", resource, causes)
    for kind in ("configMapKeyRef", "secretKeyRef"):
        reference = source.get(kind)
        if reference is not None:
            _check_key_ref(f"{path}.{kind}", reference, causes)
    count = sum(name in source for name in _ENV_SOURCES)
    if count == 0:
        listed = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
        causes.append(invalid(path, "", f"must specify one of: {listed}"))
    elif value:
        causes.append(invalid(path, "", "may not be specified when `value` is not empty"))
    elif count > 1:
        causes.append(invalid(path, "", "may not have more than one field specified at a time"))


def _check_key_ref(path: str, reference: Object, causes: Causes) -> None:
    if not reference.get("name"):
        causes.append(required(f"{path}.name"))
    key = reference.get("key")
    if not key:
        causes.append(required(f"{path}.key"))
    else:
        check_each(f"{path}.key", key, names.config_key_errors(key), causes)


_COMMON_FIELDS = ("metadata.name", "metadata.namespace", "metadata.uid")
_ENV_FIELDS = (
    *_COMMON_FIELDS,
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
VOLUME_FIELDS = ("metadata.annotations", "metadata.labels", *_COMMON_FIELDS)
_CONVERTIBLE = frozenset({*_ENV_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"})


def check_field_ref(path: str, reference: Object, supported: tuple[str, ...], causes: Causes) -> None:
    """Validate a downward API field: `metadata.name`, `metadata.labels['app']`, …"""
    if not reference.get("apiVersion"):
        causes.append(required(f"{path}.apiVersion"))
    field = reference.get("fieldPath")
    if not field:
        causes.append(required(f"{path}.fieldPath"))
        return
    base, bracket, rest = field.partition("['")
    if bracket and rest.endswith("']") and base in ("metadata.labels", "metadata.annotations"):
        key = rest[:-2]
        check_each(path, key, label_key_problems(key if base == "metadata.labels" else key.lower()), causes)
    elif field not in _CONVERTIBLE:
        why = f"error converting fieldPath: field label not supported: {field}"
        causes.append(invalid(f"{path}.fieldPath", field, why))
    elif field not in supported:
        causes.append(unsupported(f"{path}.fieldPath", field, supported))


_RESOURCE_FIELDS = tuple(
    f"{part}.{name}" for part in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory")
)
_DIVISORS = {
    "cpu": ("1m", "1"),
    "memory": ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"),
}


def check_resource_field_ref(path: str, reference: Object, causes: Causes, *, volume: bool = False) -> None:
    """Validate a downward API resource; in a volume it must name its container."""
    if volume and not reference.get("containerName"):
        causes.append(required(f"{path}.containerName"))
    resource = reference.get("resource")
    if not resource:
        causes.append(required(f"{path}.resource"))
        return
    name = resource.partition(".")[2]
    if resource not in _RESOURCE_FIELDS and not name.startswith("hugepages-"):
        causes.append(unsupported(f"{path}.resource", resource, _RESOURCE_FIELDS))
        return
    divisors = _DIVISORS["cpu" if name == "cpu" else "memory"]
    divisor = reference.get("divisor", "0")
    if divisor not in ("0", *divisors):
        what = "cpu" if name == "cpu" else name
        listed = "1m and 1 are" if name == "cpu" else "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are"
        causes.append(
            invalid(f"{path}.divisor", divisor, f"only divisor's values {listed} supported with the {what} resource")
        )


def check_env_from(path: str, sources: list[Object], causes: Causes) -> None:
    for index, source in enumerate(sources):
        prefix = source.get("prefix")
        if prefix:
            check_each(f"{path}[{index}].prefix", prefix, _env_name_problems(prefix), causes)
        given = [kind for kind in ("configMapRef", "secretRef") if kind in source]
        for kind in given:
            if not source[kind].get("name"):
                causes.append(required(f"{path}[{index}].{kind}.name"))
        if not given:
            causes.append(invalid(f"{path}[{index}]", "", "must specify one of: `configMapRef` or `secretRef`"))
        elif len(given) > 1:
            causes.append(invalid(f"{path}[{index}]", "", "may not have more than one field specified at a time"))


_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")


def check_mounts(path: str, container: Object, volumes: dict[str, Object], causes: Causes) -> None:
    devices = {device.get("name") for device in container.get("volumeDevices") or ()}
    seen: set[str] = set()
    for index, mount in enumerate(container["volumeMounts"]):
        name = mount.get("name")
        if not name:
            causes.append(required(f"{path}[{index}].name"))
        elif name not in volumes:
            causes.append(not_found(f"{path}[{index}].name", name))
        elif name in devices:
            causes.append(invalid(f"{path}[{index}].name", name, "must not already exist in volumeDevices"))
        where = mount.get("mountPath")
        if not where:
            causes.append(required(f"{path}[{index}].mountPath"))
        elif where in seen:
            causes.append(invalid(f"{path}[{index}].mountPath", where, "must be unique"))
        seen.add(where or "")
        if "subPath" in mount or "subPathExpr" in mount:
            _check_sub_path(f"{path}[{index}]", mount, causes)
        if "mountPropagation" in mount:
            _check_propagation(f"{path}[{index}].mountPropagation", mount["mountPropagation"], container, causes)


def _check_propagation(path: str, mode: str, container: Object, causes: Causes) -> None:
    if mode not in _PROPAGATIONS:
        causes.append(unsupported(path, mode, _PROPAGATIONS))
    elif mode == "Bidirectional" and not dig(container, "securityContext", "privileged"):
        causes.append(forbidden(path, "Bidirectional mount propagation is available only to privileged containers"))


def _check_sub_path(path: str, mount: Object, causes: Causes) -> None:
    plain, expression = mount.get("subPath"), mount.get("subPathExpr")
    if plain:
        check_descending(f"{path}.subPath", plain, causes)
    if expression:
        if plain:
            causes.append(invalid(f"{path}.subPathExpr", expression, "subPathExpr and subPath are mutually exclusive"))
        check_descending(f"{path}.subPathExpr", expression, causes)


def check_descending(field: str, value: str, causes: Causes) -> None:
    """Validate a path inside a volume: relative, and without `..`."""
    if value.startswith("/"):
        causes.append(invalid(field, value, "must be a relative path"))
    check_no_backsteps(field, value, causes)


def check_no_backsteps(field: str, value: str, causes: Causes) -> None:
    if ".." in value and ".." in value.replace("\\", "/").split("/"):
        causes.append(invalid(field, value, "must not contain '..'"))


def check_devices(path: str, devices: list[Object], volumes: dict[str, Object], causes: Causes) -> None:
    seen: set[str] = set()
    for index, device in enumerate(devices):
        name, where = device.get("name"), device.get("devicePath")
        if not name:
            causes.append(required(f"{path}[{index}].name"))
        elif name not in volumes:
            causes.append(not_found(f"{path}[{index}].name", name))
        elif not ({"persistentVolumeClaim", "ephemeral"} & volumes[name].keys()):
            causes.append(
                invalid(
                    f"{path}[{index}].name",
                    name,
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
                )
            )
        if not where:
            causes.append(required(f"{path}[{index}].devicePath"))
        elif where in seen:
            causes.append(invalid(f"{path}[{index}].devicePath", where, "must be unique"))
        seen.add(where or "")


@lru_cache(maxsize=1024)
def resource_name_problems(name: str) -> tuple[str, ...]:
    """Return the errors in the name of a resource of a container."""
    problems = label_key_problems(name)
    if problems:
        return problems
    prefix, slash, _ = name.partition("/")
    if not slash:
        if name in _STANDARD or name.startswith("hugepages-"):
            return ()
        return ("must be a standard resource type or fully qualified", "must be a standard resource for containers")
    if prefix != "kubernetes.io" and not prefix.endswith(".kubernetes.io") and name.startswith("requests."):
        return ("doesn't follow extended resource name standard",)
    return ()


@lru_cache(maxsize=1024)
def may_be_overcommitted(name: str) -> bool:
    """Whether limits of the resource may exceed its requests: true for Kubernetes' own, not for GPUs and huge pages."""
    return ("/" not in name or "kubernetes.io/" in name) and not name.startswith("hugepages-")


def check_resources(path: str, resources: Object, causes: Causes) -> None:
    limits: Object = resources.get("limits") or {}
    requests: Object = resources.get("requests") or {}
    for part, quantities in (("limits", limits), ("requests", requests)):
        for name, value in quantities.items():
            problems = resource_name_problems(name)
            if problems:
                check_each(f"{path}.{part}[{name}]", name, problems, causes)
            parsed = check_quantity(f"{path}.{part}[{name}]", value, causes)
            if parsed is not None and "/" in name and parsed.milli() % 1000:
                causes.append(invalid(f"{path}.{part}[{name}]", value, "must be an integer"))
    for name, value in requests.items():
        _check_request(path, name, value, limits.get(name), causes)
    for index, claim in enumerate(resources.get("claims") or ()):
        if not claim.get("name"):
            causes.append(required(f"{path}.claims[{index}].name"))
        else:
            check_dns_label(f"{path}.claims[{index}].name", claim["name"], causes)


def _check_request(path: str, name: str, request: str, limit: str | None, causes: Causes) -> None:
    if request == limit:
        return
    if limit is None:
        if not may_be_overcommitted(name):
            causes.append(required(f"{path}.limits", "Limit must be set for non overcommitable resources"))
        return
    asked, most = quantity_of(request), quantity_of(limit)
    if asked is None or most is None:
        return
    if not may_be_overcommitted(name):
        if asked != most:
            causes.append(invalid(f"{path}.requests", request, f"must be equal to {name} limit of {limit}"))
    elif most < asked:
        causes.append(invalid(f"{path}.requests", request, f"must be less than or equal to {name} limit of {limit}"))
