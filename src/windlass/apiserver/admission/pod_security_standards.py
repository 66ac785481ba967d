"""The Pod Security Standards `baseline` and `restricted`: what a pod sets that its level forbids.

Each check is a pure function of the pod's metadata and spec. The words of a violation are Kubernetes', and so are the
releases since which a rule holds. Releases before 1.19, which had seccomp in annotations, have the rules of 1.19.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, TypeAlias

from windlass.kube.json import Object, dig, dig_list, dig_object

LATEST, NEWEST = "latest", 9999
Level: TypeAlias = Literal["privileged", "baseline", "restricted"]
LEVELS: tuple[Level, ...] = ("privileged", "baseline", "restricted")

CAPABILITIES = frozenset(
    [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ]
)
SYSCTLS_SINCE: Mapping[int, frozenset[str]] = {
    0: frozenset(
        {
            "kernel.shm_rmid_forced",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.ip_unprivileged_port_start",
            "net.ipv4.ping_group_range",
            "net.ipv4.tcp_syncookies",
        }
    ),
    27: frozenset({"net.ipv4.ip_local_reserved_ports"}),
    29: frozenset(
        {
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_keepalive_intvl",
            "net.ipv4.tcp_keepalive_probes",
            "net.ipv4.tcp_keepalive_time",
        }
    ),
    32: frozenset({"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"}),
}
"""Allowed sysctls, by the minor release that added them."""
SELINUX_TYPES_SINCE: Mapping[int, frozenset[str]] = {
    0: frozenset({"", "container_t", "container_init_t", "container_kvm_t"}),
    31: frozenset({"container_engine_t"}),
}
APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/"
VOLUME_TYPES = frozenset(
    {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
)


@dataclass(frozen=True)
class Violation:
    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


Check: TypeAlias = Callable[[Object, Object], Violation | None]
"""Called with the pod's metadata and spec."""


def violations(level: Level, pod: Object, version: str = LATEST) -> list[Violation]:
    """Return what the pod (or a pod template) violates, in Kubernetes' order of the checks."""
    metadata, spec = dig_object(pod, "metadata"), dig_object(pod, "spec")
    checks = checks_of(level, minor_of(version))
    return [found for check in checks if (found := check(metadata, spec)) is not None]


def minor_of(version: str) -> int:
    """The release that `latest` or `v1.x` selects."""
    number = version.removeprefix("v1.")
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 4 else NEWEST


def _containers(spec: Object) -> Iterator[Object]:
    for field in ("initContainers", "containers", "ephemeralContainers"):
        yield from dig_list(spec, field)


def _security(owner: Object) -> Object:
    return dig_object(owner, "securityContext")


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _named(word: str, names: Sequence[str]) -> str:
    """`container "a"` or `containers "a", "b"`."""
    return f"{word if len(names) == 1 else f'{word}s'} {_quoted(names)}"


def _names(containers: Iterable[Object], is_bad: Callable[[Object], bool]) -> list[str]:
    return [str(container.get("name")) for container in containers if is_bad(container)]


def _setters(is_pod_bad: bool, containers: Sequence[str], joined: str = " and ") -> str:
    """`pod and container "a"`."""
    return joined.join([*(["pod"] if is_pod_bad else []), *([_named("container", containers)] if containers else [])])


def _allowed(since: Mapping[int, frozenset[str]], minor: int) -> frozenset[str]:
    return frozenset(name for release, names in since.items() if release <= minor for name in names)


# --- baseline


def app_armor(metadata: Object, spec: Object) -> Violation | None:
    bad_values: list[str] = []
    setters: list[str] = []
    if dig(spec, "securityContext", "appArmorProfile", "type") == "Unconfined":
        setters.append("pod")
        bad_values.append("Unconfined")
    names = _names(_containers(spec), lambda c: dig(_security(c), "appArmorProfile", "type") == "Unconfined")
    if names:
        setters.append(_named("container", names))
        bad_values.append("Unconfined")
    annotations = dig_object(metadata, "annotations")
    for key, value in sorted(annotations.items()):
        allowed = value in ("", "runtime/default") or str(value).startswith("localhost/")
        if key.startswith(APPARMOR_ANNOTATION) and not allowed:
            setters.append(f'annotation "{key}"')
            bad_values.append(str(value))
    if not setters:
        return None
    values = sorted(set(bad_values))
    reason = "forbidden AppArmor profile" if len(values) == 1 else "forbidden AppArmor profiles"
    return Violation(reason, f"{' and '.join(setters)} must not set AppArmor profile type to {_quoted(values)}")


def _capabilities(spec: Object, allowed: frozenset[str]) -> str:
    """The containers that add other capabilities, and which."""

    def extra(container: Object) -> set[str]:
        return {str(name) for name in dig_list(_security(container), "capabilities", "add")} - allowed

    names = _names(_containers(spec), lambda container: bool(extra(container)))
    if not names:
        return ""
    added = sorted({name for container in _containers(spec) for name in extra(container)})
    return f"{_named('container', names)} must not include {_quoted(added)} in securityContext.capabilities.add"


def baseline_capabilities(metadata: Object, spec: Object) -> Violation | None:
    detail = _capabilities(spec, CAPABILITIES)
    return Violation("non-default capabilities", detail) if detail else None


def host_namespaces(metadata: Object, spec: Object) -> Violation | None:
    used = [f"{field}=true" for field in ("hostNetwork", "hostPID", "hostIPC") if spec.get(field) is True]
    return Violation("host namespaces", ", ".join(used)) if used else None


def host_paths(metadata: Object, spec: Object) -> Violation | None:
    names = [str(volume.get("name")) for volume in dig_list(spec, "volumes") if volume.get("hostPath") is not None]
    return Violation("hostPath volumes", _named("volume", names)) if names else None


def host_ports(metadata: Object, spec: Object) -> Violation | None:
    def ports(container: Object) -> set[int]:
        return {int(port["hostPort"]) for port in dig_list(container, "ports") if port.get("hostPort")}

    names = _names(_containers(spec), lambda container: bool(ports(container)))
    if not names:
        return None
    used = sorted({str(port) for container in _containers(spec) for port in ports(container)})
    verb, noun = "uses" if len(names) == 1 else "use", "hostPort" if len(used) == 1 else "hostPorts"
    return Violation("hostPort", f"{_named('container', names)} {verb} {noun} {', '.join(used)}")


def privileged(metadata: Object, spec: Object) -> Violation | None:
    names = _names(_containers(spec), lambda container: _security(container).get("privileged") is True)
    return Violation("privileged", f"{_named('container', names)} must not set securityContext.privileged=true") if (
        names
    ) else None  # fmt: skip


def proc_mount(metadata: Object, spec: Object) -> Violation | None:
    def mount(container: Object) -> str:
        return str(_security(container).get("procMount") or "Default")

    names = _names(_containers(spec), lambda container: mount(container) != "Default")
    if not names:
        return None
    kinds = sorted({mount(container) for container in _containers(spec)} - {"Default"})
    return Violation(
        "procMount", f"{_named('container', names)} must not set securityContext.procMount to {_quoted(kinds)}"
    )


def selinux(minor: int, metadata: Object, spec: Object) -> Violation | None:
    allowed = _allowed(SELINUX_TYPES_SINCE, minor)

    def options(owner: Object) -> Object:
        return dig_object(_security(owner), "seLinuxOptions")

    def is_bad(owner: Object) -> bool:
        found = options(owner)
        return str(found.get("type") or "") not in allowed or bool(found.get("user") or found.get("role"))

    names = _names(_containers(spec), is_bad)
    if not names and not is_bad(spec):
        return None
    owners = [options(owner) for owner in (spec, *_containers(spec))]
    types = sorted({str(found.get("type") or "") for found in owners} - allowed)
    data = [
        *([f"{'type' if len(types) == 1 else 'types'} {_quoted(types)}"] if types else []),
        *(f"{field} may not be set" for field in ("user", "role") if any(found.get(field) for found in owners)),
    ]
    setters = _setters(is_bad(spec), names)
    return Violation("seLinuxOptions", f"{setters} set forbidden securityContext.seLinuxOptions: {'; '.join(data)}")


def _seccomp_type(owner: Object) -> str:
    return str(dig(_security(owner), "seccompProfile", "type") or "")


def baseline_seccomp(metadata: Object, spec: Object) -> Violation | None:
    names = _names(_containers(spec), lambda container: _seccomp_type(container) == "Unconfined")
    is_pod_bad = _seccomp_type(spec) == "Unconfined"
    if not names and not is_pod_bad:
        return None
    setters = _setters(is_pod_bad, names)
    return Violation("seccompProfile", f'{setters} must not set securityContext.seccompProfile.type to "Unconfined"')


def sysctls(minor: int, metadata: Object, spec: Object) -> Violation | None:
    allowed = _allowed(SYSCTLS_SINCE, minor)
    names = [str(item.get("name")) for item in dig_list(_security(spec), "sysctls")]
    bad = [name for name in names if name not in allowed]
    reason = "forbidden sysctl" if len(bad) == 1 else "forbidden sysctls"
    return Violation(reason, ", ".join(bad)) if bad else None


def windows_host_process(metadata: Object, spec: Object) -> Violation | None:
    def is_bad(owner: Object) -> bool:
        return dig(_security(owner), "windowsOptions", "hostProcess") is True

    names = _names(_containers(spec), is_bad)
    if not names and not is_bad(spec):
        return None
    setters = _setters(is_bad(spec), names)
    return Violation("hostProcess", f"{setters} must not set securityContext.windowsOptions.hostProcess=true")


def host_probes(metadata: Object, spec: Object) -> Violation | None:
    """Probes and lifecycle handlers must not name a host: the node would ask it, which reaches more than the pod."""

    def hosts(container: Object) -> set[str]:
        handlers = [
            *(dig_object(container, probe) for probe in ("livenessProbe", "readinessProbe", "startupProbe")),
            *(dig_object(container, "lifecycle", moment) for moment in ("postStart", "preStop")),
        ]
        found = {dig(handler, action, "host") for handler in handlers for action in ("httpGet", "tcpSocket")}
        return {str(host) for host in found if host}

    names = sorted(_names(_containers(spec), lambda container: bool(hosts(container))))
    if not names:
        return None
    used = sorted({host for container in _containers(spec) for host in hosts(container)})
    verb = "uses" if len(names) == 1 else "use"
    noun = "probe or lifecycle host" if len(used) == 1 else "probe or lifecycle hosts"
    return Violation("probe or lifecycle host", f"{_named('container', names)} {verb} {noun} {_quoted(used)}")


# --- restricted


def privilege_escalation(metadata: Object, spec: Object) -> Violation | None:
    names = _names(_containers(spec), lambda c: _security(c).get("allowPrivilegeEscalation") is not False)
    detail = f"{_named('container', names)} must set securityContext.allowPrivilegeEscalation=false"
    return Violation("allowPrivilegeEscalation != false", detail) if names else None


def restricted_capabilities(metadata: Object, spec: Object) -> Violation | None:
    keeping = _names(_containers(spec), lambda c: "ALL" not in dig_list(_security(c), "capabilities", "drop"))
    details = [f'{_named("container", keeping)} must set securityContext.capabilities.drop=["ALL"]'] if keeping else []
    added = _capabilities(spec, frozenset({"NET_BIND_SERVICE"}))
    details += [added] if added else []
    return Violation("unrestricted capabilities", "; ".join(details)) if details else None


def volume_types(metadata: Object, spec: Object) -> Violation | None:
    def restricted(volume: Object) -> list[str]:
        return sorted(
            key for key, value in volume.items() if key != "name" and key not in VOLUME_TYPES and value is not None
        )

    bad = [(str(volume.get("name")), restricted(volume)) for volume in dig_list(spec, "volumes")]
    names = [name for name, types in bad if types]
    if not names:
        return None
    types = sorted({kind for _, found in bad for kind in found})
    verb = "uses" if len(names) == 1 else "use"
    noun = "restricted volume type" if len(types) == 1 else "restricted volume types"
    return Violation("restricted volume types", f"{_named('volume', names)} {verb} {noun} {_quoted(types)}")


def run_as_non_root(metadata: Object, spec: Object) -> Violation | None:
    def value(owner: Object) -> Any:
        return _security(owner).get("runAsNonRoot")

    explicit = _names(_containers(spec), lambda container: value(container) is False)
    is_pod_bad = value(spec) is False
    reason = "runAsNonRoot != true"
    if explicit or is_pod_bad:
        return Violation(reason, f"{_setters(is_pod_bad, explicit)} must not set securityContext.runAsNonRoot=false")
    implicit = _names(_containers(spec), lambda container: value(container) is None) if value(spec) is None else []
    detail = f"pod or {_named('container', implicit)} must set securityContext.runAsNonRoot=true" if implicit else ""
    return Violation(reason, detail) if implicit else None


def run_as_user(metadata: Object, spec: Object) -> Violation | None:
    def is_root(owner: Object) -> bool:
        return _security(owner).get("runAsUser") == 0

    names = _names(_containers(spec), is_root)
    if not names and not is_root(spec):
        return None
    return Violation("runAsUser=0", f"{_setters(is_root(spec), names)} must not set runAsUser=0")


def restricted_seccomp(metadata: Object, spec: Object) -> Violation | None:
    found = baseline_seccomp(metadata, spec)
    if found is not None or _seccomp_type(spec):
        return found
    names = _names(_containers(spec), lambda container: not _seccomp_type(container))
    if not names:
        return None
    allowed = 'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return Violation("seccompProfile", f"pod or {_named('container', names)} must set {allowed}")


@cache
def checks_of(level: Level, minor: int) -> tuple[Check, ...]:
    """The checks of a level in a release. One of `restricted` replaces that of `baseline` that it is stricter than."""
    is_restricted = level == "restricted"
    if level == "privileged":
        return ()
    found: list[tuple[bool, Check]] = [
        (True, app_armor),
        (not is_restricted or minor < 22, baseline_capabilities),
        (True, host_namespaces),
        (not is_restricted, host_paths),
        (True, host_ports),
        (minor >= 34, host_probes),
        (True, privileged),
        (True, proc_mount),
        (True, partial(selinux, minor)),
        (not is_restricted, baseline_seccomp),
        (True, partial(sysctls, minor)),
        (True, windows_host_process),
        (is_restricted, _on_linux(privilege_escalation, minor)),
        (is_restricted and minor >= 22, _on_linux(restricted_capabilities, minor)),
        (is_restricted, volume_types),
        (is_restricted, run_as_non_root),
        (is_restricted and minor >= 23, run_as_user),
        (is_restricted, _on_linux(restricted_seccomp, minor)),
    ]
    return tuple(check for is_used, check in found if is_used)


def _on_linux(check: Check, minor: int) -> Check:
    """The check for pods of Linux only, since 1.25: Windows has none of these."""
    if minor < 25:
        return check
    return lambda metadata, spec: None if dig(spec, "os", "name") == "windows" else check(metadata, spec)
