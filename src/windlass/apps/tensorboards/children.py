"""The objects of a TensorBoard: Deployment, Service and VirtualService."""

from windlass.apis.apps_v1 import Deployment, DeploymentSpec
from windlass.apis.core_v1 import Service, ServicePort, ServiceSpec
from windlass.apis.istio.routing import SERVICE_PORT
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apps.tensorboards.kinds import ClaimPath, Tensorboard, logs_of
from windlass.apps.tensorboards.names import APP_LABEL, CONTAINER, PORT, PROGRAM, SERVER_TOKENS, prefix
from windlass.apps.tensorboards.options import Options
from windlass.controllers import routes
from windlass.controllers.routes import RouteTo
from windlass.controllers.server_readiness import readiness_probe
from windlass.controllers.server_tokens import variable as token_variable
from windlass.kube.json import Object as Json
from windlass.kube.meta import LabelSelector, ObjectMeta

TIMEOUT = "300s"
CLAIM_VOLUME, GCP_VOLUME = "tbpd", "gcp-creds"
GCP_SECRET, GCP_MOUNT = "user-gcp-sa", "/secret/gcp"
GCP_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"


def deployment(board: Tensorboard, affinity: Json | None, image: str, google_key: str = "") -> Deployment:
    """`google_key` is the file in the pod that has the key of a Google service account."""
    name = board.metadata.name
    labels = {**board.metadata.labels, APP_LABEL: name}
    spec = {**pod_spec(board, image, google_key), **({"affinity": affinity} if affinity else {})}
    return Deployment(
        metadata=ObjectMeta(name=name, namespace=board.metadata.namespace, labels=labels),
        spec=DeploymentSpec(
            replicas=1,
            selector=LabelSelector(match_labels={APP_LABEL: name}),
            template={"metadata": {"labels": labels}, "spec": spec},
        ),
    )


def pod_spec(board: Tensorboard, image: str, google_key: str = "") -> Json:
    logdir, volumes, mounts = _logs(board.spec.logspath)
    container: Json = {
        "name": CONTAINER,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": [PROGRAM],
        "args": [f"--logdir={logdir}", "--bind_all"],
        "env": [
            token_variable(SERVER_TOKENS, board),
            *([{"name": GCP_VARIABLE, "value": google_key}] if google_key else []),
        ],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "ports": [{"containerPort": PORT, "protocol": "TCP"}],
        "readinessProbe": readiness_probe(PORT),
    }
    if mounts:
        container["volumeMounts"] = mounts
    return {"restartPolicy": "Always", "containers": [container], **({"volumes": volumes} if volumes else {})}


def _logs(logspath: str) -> tuple[str, list[Json], list[Json]]:
    """The folder for TensorBoard, and the volumes and mounts that it needs."""
    logs = logs_of(logspath)
    if isinstance(logs, ClaimPath):
        mount: Json = {"name": CLAIM_VOLUME, "readOnly": True, "mountPath": logs.mount_path}
        if logs.sub_path:
            mount["subPath"] = logs.sub_path
        volume = {"name": CLAIM_VOLUME, "persistentVolumeClaim": {"claimName": logs.claim}}
        return logs.mount_path, [volume], [mount]
    if logs.is_gcs:
        volume = {"name": GCP_VOLUME, "secret": {"secretName": GCP_SECRET}}
        return logs.url, [volume], [{"name": GCP_VOLUME, "readOnly": True, "mountPath": GCP_MOUNT}]
    return logs.url, [], []


def service(board: Tensorboard) -> Service:
    name = board.metadata.name
    port = ServicePort(name=f"http-{name}", port=SERVICE_PORT, target_port=PORT, protocol="TCP")
    return Service(
        metadata=ObjectMeta(name=name, namespace=board.metadata.namespace),
        spec=ServiceSpec(type="ClusterIP", selector={APP_LABEL: name}, ports=[port]),
    )


def virtual_service(board: Tensorboard, options: Options) -> VirtualService:
    key = board.metadata.key
    route = RouteTo(prefix=prefix(key), service=key.name, rewrite="/", timeout=TIMEOUT)
    return routes.virtual_service(key, route, options.routing)
