"""PVCViewer -> a Deployment of one pod, a Service before it and a route to it."""

from functools import partial

import msgspec

from windlass.apis.apps_v1 import Deployment, DeploymentSpec
from windlass.apis.core_v1 import PersistentVolumeClaim, Pod, Service, ServicePort, ServiceSpec
from windlass.apis.images import FILE_BROWSER
from windlass.apis.istio.routing import SERVICE_PORT, Routing
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apps.volumes.kinds import PVCViewer, PVCViewerStatus
from windlass.apps.volumes.names import SERVER_TOKENS, child_name, labels, url
from windlass.controllers import routes
from windlass.controllers.claim_nodes import is_of_one_node, node_in_use, preferring
from windlass.controllers.name_conflicts import is_controlled_by, report_conflict
from windlass.controllers.routes import RouteTo
from windlass.controllers.server_readiness import server_container, with_readiness
from windlass.controllers.server_tokens import has_token, view_of
from windlass.controllers.server_tokens import variable as token_variable
from windlass.kube.controller import Controller, Observed
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list
from windlass.kube.meta import Key, LabelSelector, ObjectMeta
from windlass.kube.objects import is_deleting
from windlass.kube.plan import Action, Apply, Plan

PROGRAM = ["python3", "-I", "-m", "windlass.node.images.programs.file_browser"]
"""The file browser, in an image that has Windlass; -I, since the working directory is the volume."""


def reconcile(routing: Routing, image: str, viewer: PVCViewer, observed: Observed) -> Plan:
    if is_deleting(viewer):
        return Plan()
    name = child_name(viewer.metadata.name)
    existing, front = observed.one(Deployment, name), observed.one(Service, name)
    own = existing if existing is not None and is_controlled_by(viewer, existing) else None
    affinity = dig(own.spec.template, "spec", "affinity") if own else _affinity(viewer, observed)
    has_port = viewer.spec.networking.target_port is not None
    actions: list[Action] = []
    if has_port:
        actions.append(Apply(service(viewer)))  # first: no pod is started behind a Service of another owner
    if has_token(SERVER_TOKENS, viewer, observed) or not needs_token(viewer):
        actions.append(Apply(deployment(viewer, affinity, image)))
    if has_port and routing.use_istio:
        actions.append(Apply(virtual_service(viewer, routing)))
    is_reachable = not has_port or front is None or is_controlled_by(viewer, front)
    return Plan(actions, status=observed_status(viewer, own, is_reachable=is_reachable))


def observed_status(viewer: PVCViewer, workload: Deployment | None, *, is_reachable: bool = True) -> PVCViewerStatus:
    """The Deployment's state. A viewer whose Service belongs to something else is not ready."""
    networking = viewer.spec.networking
    return PVCViewerStatus(
        ready=is_reachable and workload is not None and workload.status.ready_replicas > 0,
        url=url(networking.base_prefix, viewer.metadata.key) if networking.target_port is not None else "",
        conditions=msgspec.to_builtins(workload.status.conditions) if workload else [],
    )


def _metadata(viewer: PVCViewer) -> ObjectMeta:
    name = viewer.metadata.name
    return ObjectMeta(name=child_name(name), namespace=viewer.metadata.namespace, labels=labels(name))


def deployment(viewer: PVCViewer, affinity: Json | None, image: str = "") -> Deployment:
    own = labels(viewer.metadata.name)
    spec = {**pod_spec(viewer, image), **({"affinity": affinity} if affinity else {})}
    return Deployment(
        metadata=_metadata(viewer),
        spec=DeploymentSpec(
            replicas=1,
            selector=LabelSelector(match_labels=own),
            strategy={"type": "Recreate"},
            template={"metadata": {"labels": own}, "spec": spec},
        ),
    )


def needs_token(viewer: PVCViewer) -> bool:
    """Whether the built-in file browser is in the pod: other programs do not know the token."""
    return any(map(_is_file_browser, dig_list(viewer.spec.pod_spec, "containers")))


def pod_spec(viewer: PVCViewer, image: str) -> Json:
    """The pod, in which the file browser has its token and, if one is given, the image, which has Windlass.

    Other programs are left as they are. The server's port is probed.
    """
    token = token_variable(SERVER_TOKENS, viewer)
    program = {"image": image, "command": PROGRAM} if image else {}

    def completed(container: Json) -> Json:
        if not _is_file_browser(container):
            return container
        given = [each for each in dig_list(container, "env") if each.get("name") != token["name"]]
        return {**container, **program, "env": [*given, token]}

    pod, port = viewer.spec.pod_spec, viewer.spec.networking.target_port
    containers = [completed(container) for container in dig_list(pod, "containers")]
    server = server_container(containers, port) if port is not None else None
    if server is not None and port is not None:
        containers[server] = with_readiness(containers[server], port)
    return {**pod, "containers": containers}


def _is_file_browser(container: Json) -> bool:
    return container.get("image") == FILE_BROWSER


def service(viewer: PVCViewer) -> Service:
    port = ServicePort(name="http", port=SERVICE_PORT, target_port=viewer.spec.networking.target_port, protocol="TCP")
    return Service(
        metadata=_metadata(viewer),
        spec=ServiceSpec(type="ClusterIP", selector=labels(viewer.metadata.name), ports=[port]),
    )


def virtual_service(viewer: PVCViewer, routing: Routing) -> VirtualService:
    networking, key = viewer.spec.networking, viewer.metadata.key
    path, name = url(networking.base_prefix, key), child_name(key.name)
    route = RouteTo(prefix=path, service=name, rewrite=networking.rewrite or path, timeout=networking.timeout)
    return routes.virtual_service(Key(key.namespace, name), route, routing, labels(key.name))


def _affinity(viewer: PVCViewer, observed: Observed) -> Json | None:
    """Chosen once: a viewer that is there does not move when others start to use the volume."""
    name = viewer.spec.pvc
    claim = observed.one(PersistentVolumeClaim, name) if viewer.spec.rwo_scheduling else None
    if claim is None or not is_of_one_node(claim):
        return None
    node = node_in_use(name, observed.all(Pod))
    return preferring(node) if node else None


def controller(routing: Routing, image: str = "") -> Controller[PVCViewer]:
    return Controller(
        "pvcviewer-controller",
        PVCViewer,
        partial(reconcile, routing, image),
        owns=[Deployment, Service, view_of(SERVER_TOKENS), *([VirtualService] if routing.use_istio else [])],
        watches=[(PersistentVolumeClaim, _no_one), (Pod, _no_one)],
        changes_orphans=False,
        event_for=report_conflict,
    )


def _no_one(_: object) -> None:
    """Volumes and pods are looked at when a viewer is new; their changes concern none."""
