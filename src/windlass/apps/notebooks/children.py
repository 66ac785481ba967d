"""The objects of a notebook: StatefulSet, Service and VirtualService."""

from copy import deepcopy
from typing import Any

from windlass.apis.apps_v1 import StatefulSet, StatefulSetSpec
from windlass.apis.core_v1 import Service, ServicePort, ServiceSpec
from windlass.apis.istio.routing import SERVICE_PORT
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import (
    HOME,
    NOTEBOOK_LABEL,
    PORT,
    PORT_NAME,
    PREFIX_VARIABLE,
    REQUEST_HEADERS,
    REWRITE,
    SERVER_TOKENS,
    STATEFUL_SET_LABEL,
    STOPPED,
    TOKEN_VARIABLE,
    prefix,
    virtual_service_name,
)
from windlass.apps.notebooks.options import Options
from windlass.controllers import routes
from windlass.controllers.routes import RouteTo
from windlass.controllers.server_readiness import with_readiness
from windlass.controllers.server_tokens import variable as token_variable
from windlass.kube.json import Object as Json
from windlass.kube.json import dig_list, is_object, parse
from windlass.kube.meta import Key, LabelSelector, ObjectMeta

FS_GROUP = 100


def replicas(notebook: Notebook) -> int:
    return 0 if STOPPED in notebook.metadata.annotations else 1


def stateful_set(notebook: Notebook, observed: StatefulSet | None, options: Options) -> StatefulSet:
    """The StatefulSet of one pod.

    Changed labels and annotations, and a readiness probe, reach the pod's template when the server starts next: a
    running pod would be replaced for them, and unsaved work be lost.
    """
    name = notebook.metadata.name
    wanted = replicas(notebook)
    is_running = observed is not None and observed.spec.replicas == 1 and wanted == 1
    running: Json = observed.spec.template if is_running and observed is not None else {}
    kept: Any = running.get("metadata")
    return StatefulSet(
        metadata=ObjectMeta(name=name, namespace=notebook.metadata.namespace, labels=dict(notebook.metadata.labels)),
        spec=StatefulSetSpec(
            replicas=wanted,
            selector=LabelSelector(match_labels={STATEFUL_SET_LABEL: name}),
            template={
                "metadata": kept if is_object(kept) else template_metadata(notebook),
                "spec": pod_spec(notebook, options, is_probed=not running or _has_readiness(running)),
            },
        ),
    )


def template_metadata(notebook: Notebook) -> Json:
    """The Notebook's labels, and its annotations but those of kubectl and of notebooks themselves."""
    name, annotations = notebook.metadata.name, notebook.metadata.annotations
    metadata: Json = {
        "labels": {**notebook.metadata.labels, STATEFUL_SET_LABEL: name, NOTEBOOK_LABEL: name},
    }
    carried = {key: value for key, value in annotations.items() if "kubectl" not in key and "notebook" not in key}
    carried.pop(STOPPED, None)
    return {**metadata, "annotations": carried} if carried else metadata


def _has_readiness(template: Json) -> bool:
    containers = dig_list(template, "spec", "containers")
    return bool(containers and containers[0].get("readinessProbe"))


def pod_spec(notebook: Notebook, options: Options, *, is_probed: bool = True) -> Json:
    spec = deepcopy(notebook.spec.template.spec)
    containers = dig_list(spec, "containers")
    if containers:
        server = containers[0]
        server.setdefault("workingDir", HOME)
        if not server.get("ports"):
            server["ports"] = [{"containerPort": PORT, "name": PORT_NAME, "protocol": "TCP"}]
        server["env"] = [*(server.get("env") or ()), *_variables(notebook, server)]
        if is_probed:
            containers[0] = with_readiness(server, target_port(notebook))
    if options.add_fs_group and not spec.get("securityContext"):
        spec["securityContext"] = {"fsGroup": FS_GROUP}
    return spec


def _variables(notebook: Notebook, server: Json) -> list[Json]:
    """The prefix and the token, unless the user has set them."""
    given = {variable.get("name") for variable in dig_list(server, "env")}
    variables: list[Json] = [
        {"name": PREFIX_VARIABLE, "value": prefix(notebook.metadata.key)},
        token_variable(SERVER_TOKENS, notebook, TOKEN_VARIABLE),
    ]
    return [variable for variable in variables if variable["name"] not in given]


def target_port(notebook: Notebook) -> int:
    containers = dig_list(notebook.spec.template.spec, "containers")
    ports = dig_list(containers[0], "ports") if containers else []
    return int(ports[0].get("containerPort") or PORT) if ports else PORT


def service(notebook: Notebook) -> Service:
    name = notebook.metadata.name
    return Service(
        metadata=ObjectMeta(name=name, namespace=notebook.metadata.namespace),
        spec=ServiceSpec(
            type="ClusterIP",
            selector={STATEFUL_SET_LABEL: name},
            ports=[
                ServicePort(name=f"http-{name}", port=SERVICE_PORT, target_port=target_port(notebook), protocol="TCP")
            ],
        ),
    )


def virtual_service(notebook: Notebook, options: Options) -> VirtualService:
    key = notebook.metadata.key
    path = f"{prefix(key)}/"
    rewrite = notebook.metadata.annotations.get(REWRITE) or path
    route = RouteTo(prefix=path, service=key.name, rewrite=rewrite, headers=request_headers(notebook))
    return routes.virtual_service(Key(key.namespace, virtual_service_name(key)), route, options.routing)


def request_headers(notebook: Notebook) -> dict[str, str]:
    """Headers of the annotation; one that is not a JSON map of strings sets none."""
    try:
        given = parse(notebook.metadata.annotations.get(REQUEST_HEADERS) or "{}")
    except ValueError:
        return {}
    if not is_object(given):
        return {}
    return {name: value for name, value in given.items() if isinstance(value, str)}
