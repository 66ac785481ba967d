"""kubeflow.org/v1alpha1: PVCViewer."""

from windlass.apis.fields import AGE, Foreign, IntOrString
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Object, Struct


class ViewerNetworking(Struct):
    """Route to the viewer."""

    target_port: IntOrString | None = None
    base_prefix: str = ""
    rewrite: str = ""
    timeout: str = ""


class PVCViewerSpec(Struct):
    pvc: str
    pod_spec: Foreign = {}
    networking: ViewerNetworking = ViewerNetworking()
    rwo_scheduling: bool = False


class PVCViewerStatus(Struct):
    """Observed state, written by the controller."""

    ready: bool = False
    url: str = ""
    conditions: list[Foreign] = []


@kind(
    f"{GROUP}/v1alpha1",
    plural="pvcviewers",
    columns=(Column("PVC", ".spec.pvc"), Column("Ready", ".status.ready", "boolean"), AGE),
)
class PVCViewer(Object):
    """A file browser for one volume."""

    spec: PVCViewerSpec
    status: PVCViewerStatus = PVCViewerStatus()
