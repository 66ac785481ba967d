"""Validation of probes and lifecycle hooks of containers."""

from collections.abc import Callable
from typing import Any

from windlass.apiserver.builtin.fields import (
    NOT_NEGATIVE,
    Causes,
    check_each,
    check_enum,
    check_port,
    check_port_or_name,
)
from windlass.kube import names
from windlass.kube.errors import forbidden, invalid, required
from windlass.kube.json import Object

Check = Callable[[str, Any, Causes], None]


def _check_exec(path: str, handler: Object, causes: Causes) -> None:
    if not handler.get("command"):
        causes.append(required(f"{path}.command"))


def _check_http_get(path: str, handler: Object, causes: Causes) -> None:
    if not handler.get("path"):
        causes.append(required(f"{path}.path"))
    check_port_or_name(f"{path}.port", handler.get("port"), causes)
    check_enum(f"{path}.scheme", handler.get("scheme", ""), ("HTTP", "HTTPS"), causes)
    for index, header in enumerate(handler.get("httpHeaders") or ()):
        name = header.get("name", "")
        check_each(f"{path}.httpHeaders[{index}].name", name, names.http_header_errors(name), causes)


def _check_tcp_socket(path: str, handler: Object, causes: Causes) -> None:
    check_port_or_name(f"{path}.port", handler.get("port"), causes)


def _check_grpc(path: str, handler: Object, causes: Causes) -> None:
    check_port(f"{path}.port", handler.get("port") or 0, causes)


def _check_sleep(path: str, handler: Object, causes: Causes, *, grace: int | None) -> None:
    seconds = handler.get("seconds", 0)
    if grace is not None and not 0 <= seconds <= grace:
        causes.append(
            invalid(path, seconds, f"must be non-negative and less than terminationGracePeriodSeconds ({grace})")
        )


_HANDLERS: dict[str, Check] = {
    "exec": _check_exec,
    "httpGet": _check_http_get,
    "tcpSocket": _check_tcp_socket,
    "grpc": _check_grpc,
}


def _check_handler(path: str, given: Object, causes: Causes, *, grace: int | None = None) -> None:
    count = 0
    for kind in ("exec", "httpGet", "tcpSocket", "grpc", "sleep"):
        handler = given.get(kind)
        if handler is None:
            continue
        if count:
            causes.append(forbidden(f"{path}.{kind}", "may not specify more than 1 handler type"))
        elif kind == "sleep":
            _check_sleep(f"{path}.sleep", handler, causes, grace=grace)
        else:
            _HANDLERS[kind](f"{path}.{kind}", handler, causes)
        count += 1
    if not count:
        causes.append(required(path, "must specify a handler type"))


_PROBE_NUMBERS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def check_probe(path: str, probe: Object, causes: Causes) -> None:
    """Validate any probe; liveness and startup probes also need `check_single_success`."""
    _check_handler(path, probe, causes)
    for field in _PROBE_NUMBERS:
        value = probe.get(field, 0)
        if value < 0:
            causes.append(invalid(f"{path}.{field}", value, NOT_NEGATIVE))
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        causes.append(invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0"))


def check_single_success(path: str, probe: Object, causes: Causes) -> None:
    """Require a success threshold of 1 for probes that restart a container."""
    check_probe(path, probe, causes)
    if probe.get("successThreshold", 1) != 1:
        causes.append(invalid(f"{path}.successThreshold", probe["successThreshold"], "must be 1"))


def check_readiness(path: str, probe: Object, causes: Causes) -> None:
    check_probe(path, probe, causes)
    if "terminationGracePeriodSeconds" in probe:
        grace = probe["terminationGracePeriodSeconds"]
        causes.append(invalid(f"{path}.terminationGracePeriodSeconds", grace, "must not be set for readinessProbes"))


def check_lifecycle(path: str, lifecycle: Object, causes: Causes, *, grace: int | None = None) -> None:
    for hook in ("postStart", "preStop"):
        handler = lifecycle.get(hook)
        if handler is not None:
            _check_handler(f"{path}.{hook}", handler, causes, grace=grace)
