"""The manifests of the gateway on a cluster: Deployment, Service, volume, service account and form defaults."""

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.apis.images import NOTEBOOKS, in_registry
from windlass.apis.pipelines.names import API_PORT
from windlass.deploy import istio
from windlass.deploy.gateway_permissions import gateway_rules
from windlass.deploy.pipelines import PORT_NAME, PipelinesDeployment, api_service, gateway_port
from windlass.deploy.program import USER, Object, Program, account, deployment, namespace, ports

COMPONENT = "gateway"
DEFAULT_URL = "http://localhost:8080"
"""Where `kubectl port-forward service/windlass-gateway 8080:80` shows the gateway."""
PORT = 8080
DATA, CONFIGURATION, CERTIFICATE = "/data", "/etc/windlass", "/etc/windlass-tls"
SPAWNER_FILE, USERS_FILE = "spawner_ui_config.yaml", "users.yaml"
DATABASE_SIZE = "1Gi"


@dataclass(frozen=True, kw_only=True)
class GatewayOptions:
    """What may differ between clusters."""

    external_url: str = DEFAULT_URL
    tls_secret: str = ""
    """Secret of type kubernetes.io/tls; empty if something else in front of the gateway has the certificate."""
    users_secret: str = ""
    """Secret with `users.yaml`: users, clients and issuers in dex's format; empty for local users only."""
    has_istio: bool = False
    registry: str = ""
    """The registry of the images in the notebook form; empty for where they come from."""

    @property
    def own_certificate(self) -> str:
        """The Secret that the gateway itself uses: Istio's ingress takes it from the gateway."""
        return "" if self.has_istio else self.tls_secret

    @property
    def service_port(self) -> int:
        return 443 if self.own_certificate else 80


def gateway(
    own_namespace: str, image: str, options: GatewayOptions, pipelines: PipelinesDeployment | None = None
) -> list[Object]:
    """All objects of the gateway, except for the definitions of its route kinds."""
    program = Program(component=COMPONENT, namespace=own_namespace)
    return [
        *[namespace(name) for name in dict.fromkeys((own_namespace, istio.KUBEFLOW))],
        *account(program, gateway_rules(), []),
        *routing(own_namespace, options),
        _form_defaults(program, options),
        _claim(program),
        _service(program, options, pipelines),
        *([api_service(program)] if pipelines is not None else []),
        _deployment(program, image, options, pipelines),
    ]


def routing(own_namespace: str, options: GatewayOptions) -> list[Object]:
    """Objects for Istio; none where Istio is not installed."""
    program = Program(component=COMPONENT, namespace=own_namespace)
    if not options.has_istio:
        return []
    through_istio = istio.ingress(program, options.external_url, options.service_port, options.tls_secret)
    return [istio.routes_gateway(program), *through_istio]


def _form_defaults(program: Program, options: GatewayOptions) -> Object:
    """The images of the notebook form; administrators may add the other keys of the file."""
    lines = ["spawnerFormDefaults:"]
    for key, choices in NOTEBOOKS.items():
        named = [in_registry(image, options.registry) for image in choices]
        lines += [f"  {key}:", f"    value: {named[0]}", "    options:", *(f"    - {image}" for image in named)]
    return program.object("v1", "ConfigMap", data={SPAWNER_FILE: "\n".join([*lines, ""])})


def _claim(program: Program) -> Object:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": DATABASE_SIZE}}}
    return program.object("v1", "PersistentVolumeClaim", spec=spec)


def _service(program: Program, options: GatewayOptions, pipelines: PipelinesDeployment | None) -> Object:
    name = "https" if options.own_certificate else "http"
    port = {"name": name, "port": options.service_port, "targetPort": "gateway", "protocol": "TCP"}
    listening = [port, *([gateway_port()] if pipelines is not None else [])]
    return program.object("v1", "Service", spec={"type": "ClusterIP", "selector": program.labels, "ports": listening})


def _deployment(program: Program, image: str, options: GatewayOptions, pipelines: PipelinesDeployment | None) -> Object:
    """One pod: sessions and users are in a database on its volume, which two pods must not write."""
    made = deployment(program, _container(image, options, pipelines), volumes=_volumes(program, options))
    made["spec"]["strategy"] = {"type": "Recreate"}
    pod = made["spec"]["template"]["spec"]
    pod["securityContext"]["fsGroup"] = USER
    pod["securityContext"]["fsGroupChangePolicy"] = "OnRootMismatch"
    return made


def _volumes(program: Program, options: GatewayOptions) -> Sequence[tuple[Object, Object]]:
    """Each volume with its mount."""
    sources: list[Object] = [{"configMap": {"name": program.name}}]
    if options.users_secret:
        sources.append({"secret": {"name": options.users_secret, "items": [{"key": USERS_FILE, "path": USERS_FILE}]}})
    volumes: list[tuple[Object, Object]] = [
        ({"name": "data", "persistentVolumeClaim": {"claimName": program.name}}, {"mountPath": DATA}),
        ({"name": "configuration", "projected": {"sources": sources}}, {"mountPath": CONFIGURATION, "readOnly": True}),
    ]
    if options.own_certificate:
        certificate = {"name": "certificate", "secret": {"secretName": options.own_certificate}}
        volumes.append((certificate, {"mountPath": CERTIFICATE, "readOnly": True}))
    return volumes


def _container(image: str, options: GatewayOptions, pipelines: PipelinesDeployment | None) -> Object:
    tls = (
        [f"--gateway-tls-cert={CERTIFICATE}/tls.crt", f"--gateway-tls-key={CERTIFICATE}/tls.key"]
        if options.own_certificate
        else ["--insecure-http"]  # only the cluster's network sees it; a proxy in front of it has the certificate
    )
    probe = {
        "httpGet": {"path": "/healthz", "port": "gateway", "scheme": "HTTPS" if options.own_certificate else "HTTP"}
    }
    return {
        "name": COMPONENT,
        "image": image,
        "command": ["windlass", "gateway", "--in-cluster"],
        "args": [
            "--gateway-listen=0.0.0.0",
            f"--gateway-port={PORT}",
            f"--external-url={options.external_url}",
            *tls,
            *([f"--users-file={CONFIGURATION}/{USERS_FILE}"] if options.users_secret else []),
            f"--spawner-config={CONFIGURATION}/{SPAWNER_FILE}",
        ],
        "env": [
            {"name": "WINDLASS_DATA_DIR", "value": DATA},
            *(pipelines.gateway_variables() if pipelines is not None else []),
        ],
        "ports": ports(gateway=PORT, **({PORT_NAME: API_PORT} if pipelines is not None else {})),
        "livenessProbe": {**probe, "initialDelaySeconds": 15},
        "readinessProbe": probe,
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
    }
