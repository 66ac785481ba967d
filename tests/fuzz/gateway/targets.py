"""Every route of the gateway, enumerated from the application itself, and the paths behind its catch-all routes."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from windlass.apps.pipelines.wire.routes import LOGS, UI, V2
from windlass.apps.pipelines.wire.v1.routes import V1
from windlass.gateway.app import route_groups
from windlass.gateway.context import open_context
from windlass.gateway.settings import GatewaySettings

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND")
PROXIED = (
    "/notebook/{namespace}/{name}/lab",
    "/tensorboard/{namespace}/{name}/",
    "/pvcviewers/{namespace}/{name}/",
    "/serving/{namespace}/{name}/",
)
KUBERNETES = (
    "api/v1/namespaces/{namespace}/pods",
    "api/v1/namespaces/{namespace}/configmaps/{name}",
    "api/v1/namespaces/{namespace}/pods/{name}/log",
    "api/v1/namespaces/{namespace}/pods/{name}/exec",
    "apis/kubeflow.org/v1/namespaces/{namespace}/notebooks/{name}",
    "apis/argoproj.io/v1alpha1/namespaces/{namespace}/workflows",
)
ENDS_ACCESS = ("nuke-self", "/kfam/v1/profiles/", "sign_out", "/logout", "revoke", "sessions/", "api/cluster/backup")
"""Requests that would end what the users of a run need; only nobody sends them."""
_VARIABLE = re.compile(r"\{(\w+)\*?(?::[^{}]*)?\}")


@dataclass(frozen=True)
class Target:
    method: str
    path: str
    """With variables as `{name}`."""

    @property
    def is_for_nobody(self) -> bool:
        return any(part in self.path for part in ENDS_ACCESS)


def targets(folder: Path) -> list[Target]:
    settings = GatewaySettings(folder=folder, audit_log=folder / "audit.log")
    with open_context(settings, cast(Any, None), {}) as context:
        routes = {(route.method, route.path) for group in route_groups() for route in group(context)}
    found = {Target(method, _plain(path)) for method, path in routes}
    found |= {Target(method, path) for path in PROXIED for method in ("GET", "POST")}
    found |= {Target(method, f"/api/k8s/{path}") for path in KUBERNETES for method in ("GET", "POST", "PATCH")}
    for prefix, table in (("apis/v2beta1", V2), ("apis/v1beta1", V1), ("apis/v1alpha1", LOGS), ("pipeline", UI)):
        for route in table:
            found.add(Target(route.method, f"/{prefix}/{_plain(route.path)}"))
    return sorted(found, key=lambda target: (target.path, target.method))


def _plain(path: str) -> str:
    """A path whose variables have their names only."""
    return _VARIABLE.sub(r"{\1}", path)
