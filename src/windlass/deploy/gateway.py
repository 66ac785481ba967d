"""The manifests of the gateway on a cluster: Deployment, Service, volume, service account and form defaults."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from windlass.apis.images import NOTEBOOKS, in_registry
from windlass.apis.istio.mesh import ROOT_NAMESPACE
from windlass.apis.wellknown import NETWORKING_GROUP, PART_OF_LABEL, PROFILE_VALUE
from windlass.deploy import istio
from windlass.deploy.app_parts import AppParts
from windlass.deploy.gateway_permissions import gateway_rules
from windlass.deploy.istio_rules import MeshRules, from_ingress, mesh_rules, program_policy, to_port
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
    mesh: MeshRules = field(default_factory=MeshRules)
    """Rules of the mesh, where there is one."""
    registry: str = ""
    """The registry of the images in the notebook form; empty for where they come from."""

    @property
    def own_certificate(self) -> str:
        """The Secret that the gateway itself uses: Istio's ingress takes it from the gateway."""
        return "" if self.has_istio else self.tls_secret

    @property
    def asks_for_tokens(self) -> bool:
        """Whether the ingress has the gateway name the user of a session by a token."""
        return self.has_istio and bool(self.mesh.auth_provider)

    @property
    def service_port(self) -> int:
        return 443 if self.own_certificate else 80


def gateway(own_namespace: str, image: str, options: GatewayOptions, apps: AppParts | None = None) -> list[Object]:
    """All objects of the gateway, except for the definitions of its route kinds."""
    program, apps = Program(component=COMPONENT, namespace=own_namespace), apps or AppParts()
    return [
        *[namespace(name) for name in dict.fromkeys((own_namespace, istio.KUBEFLOW))],
        *account(program, gateway_rules(), []),
        *routing(program, options, apps),
        _form_defaults(program, options),
        _claim(program),
        _service(program, options, apps),
        _network_policy(program, options, apps),
        *apps.gateway_objects(f"{program.name}.{program.namespace}.svc.cluster.local"),
        _deployment(program, image, options, apps),
    ]


def routing(program: Program, options: GatewayOptions, apps: AppParts) -> list[Object]:
    """Objects for Istio; none where Istio is not installed."""
    if not options.has_istio:
        return []
    url, port = options.external_url, options.service_port
    through_istio = istio.ingress(program, url, port, options.tls_secret)
    open_ports = [to_port(port.number) for port in apps.gateway_ports()]
    return [
        istio.routes_gateway(program),
        *through_istio,
        program_policy(program, [from_ingress(PORT), *open_ports]),
        *mesh_rules(program, port, url, istio.host_of(url), options.mesh),
    ]


def _network_policy(program: Program, options: GatewayOptions, apps: AppParts) -> Object:
    """Each port for its callers: the pages for the ingress, the APIs of apps for pods of profiles."""
    ingress: list[Object] = [{"from": [{"podSelector": {}}]}]
    callers = [_namespace_labelled("kubernetes.io/metadata.name", ROOT_NAMESPACE)] if options.has_istio else []
    ingress.append({**({"from": callers} if callers else {}), "ports": [{"port": PORT, "protocol": "TCP"}]})
    for port in apps.gateway_ports():
        profiles = [_namespace_labelled(PART_OF_LABEL, PROFILE_VALUE)]
        ingress.append({"from": profiles, "ports": [{"port": port.number, "protocol": "TCP"}]})
    spec = {"podSelector": {"matchLabels": program.labels}, "policyTypes": ["Ingress"], "ingress": ingress}
    return program.object(f"{NETWORKING_GROUP}/v1", "NetworkPolicy", spec=spec)


def _namespace_labelled(key: str, value: str) -> Object:
    return {"namespaceSelector": {"matchLabels": {key: value}}}


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


def _service(program: Program, options: GatewayOptions, apps: AppParts) -> Object:
    name = "https" if options.own_certificate else "http"
    port = {"name": name, "port": options.service_port, "targetPort": "gateway", "protocol": "TCP"}
    listening = [port, *apps.service_ports()]
    return program.object("v1", "Service", spec={"type": "ClusterIP", "selector": program.labels, "ports": listening})


def _deployment(program: Program, image: str, options: GatewayOptions, apps: AppParts) -> Object:
    """One pod: sessions and users are in a database on its volume, which two pods must not write."""
    made = deployment(program, _container(image, options, apps), volumes=_volumes(program, options))
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


def _container(image: str, options: GatewayOptions, apps: AppParts) -> Object:
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
            *([{"name": "WINDLASS_INGRESS_TOKENS", "value": "true"}] if options.asks_for_tokens else []),
            *apps.gateway_variables(),
        ],
        "ports": ports(gateway=PORT, **{port.name: port.number for port in apps.gateway_ports()}),
        "livenessProbe": {**probe, "initialDelaySeconds": 15},
        "readinessProbe": probe,
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
    }
