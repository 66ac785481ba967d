"""The manifests of Windlass on a cluster: CRDs, the manager with its RBAC rules, webhooks, and the gateway."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from windlass.apis.app import App
from windlass.apis.options import Site
from windlass.apiserver.auth import bootstrap
from windlass.apiserver.auth.kubeflow import LEVELS
from windlass.apps import all_apps
from windlass.deploy import istio
from windlass.deploy.app_parts import AppParts
from windlass.deploy.gateway import GatewayOptions, gateway
from windlass.deploy.istio_rules import program_policy, to_port
from windlass.deploy.manager_permissions import binding_rules, cluster_rules, lease_rules, secret_rules
from windlass.deploy.program import Object, Program, account, deployment, namespace, ports
from windlass.webhooks import configuration
from windlass.webhooks.addresses import SERVICE_PORT, Service, WebhookAddress

COMPONENT = "manager"
SECRET_NAME = "windlass-webhook-cert"
WEBHOOK_PORT, METRICS_PORT, PROBE_PORT = 9443, 8080, 8081


@dataclass(frozen=True, kw_only=True)
class Installation:
    """What may differ between clusters."""

    namespace: str
    image: str
    webhooks: WebhookAddress
    apps: tuple[App, ...]
    gateway: GatewayOptions = field(default_factory=GatewayOptions)
    flags: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values of the apps' own flags."""

    @classmethod
    def of(
        cls,
        namespace: str,
        image: str,
        webhooks: WebhookAddress | None = None,
        *,
        options: Collection[str] = (),
        gateway: GatewayOptions | None = None,
        flags: Mapping[str, str] | None = None,
    ) -> "Installation":
        place = webhooks or Service(name=f"windlass-{COMPONENT}", namespace=namespace)
        apps = tuple(app for app in all_apps() if app.install_option is None or app.install_option.flag in options)
        return cls(
            namespace=namespace,
            image=image,
            webhooks=place,
            apps=apps,
            gateway=gateway or GatewayOptions(),
            flags=flags or {},
        )

    @property
    def manager(self) -> Program:
        return Program(component=COMPONENT, namespace=self.namespace)

    @property
    def schemes(self) -> list[str]:
        """The kinds of jobs that the manager reconciles."""
        return [scheme for app in self.apps for scheme in sorted(app.schemes)]

    @property
    def with_scheduler(self) -> bool:
        return any(app.install_option is not None and app.install_option.with_scheduler for app in self.apps)

    @property
    def with_gateway(self) -> bool:
        return any(app.gives_namespaces for app in self.apps)

    @property
    def app_parts(self) -> AppParts:
        site = Site(namespace=self.namespace, image=self.image, registry=self.gateway.registry, flags=self.flags)
        return AppParts(apps=self.apps, site=site)


def custom_resources(wanted: Installation) -> list[Object]:
    """The apps' CRDs. PodGroups and queues of other schedulers are installed with those schedulers."""
    own = [crd for app in wanted.apps for crd in configuration.custom_resources(app, wanted.webhooks)]
    return [*own, *(istio.definitions(wanted.apps) if wanted.with_gateway and not wanted.gateway.has_istio else [])]


def webhooks(wanted: Installation) -> list[Object]:
    """The webhook configurations, and their Service if they use one."""
    services = [_service(wanted)] if isinstance(wanted.webhooks, Service) else []
    return [*services, *configuration.configurations(wanted.apps, wanted.webhooks)]


def operator(wanted: Installation) -> list[Object]:
    """The manager, its service account and RBAC rules, and the roles for users."""
    manager = wanted.manager
    provided = [one.obj for app in wanted.apps for one in app.provided() if one.on_cluster]
    return [
        namespace(wanted.namespace),
        *account(
            manager,
            [*cluster_rules(wanted.apps), *binding_rules(wanted.apps)],
            [*lease_rules(manager.name), *secret_rules(SECRET_NAME)],
        ),
        *user_roles(wanted.apps),
        *provided,
        deployment(manager, _container(wanted)),
    ]


def front_door(wanted: Installation) -> list[Object]:
    """The gateway that people sign in at; nothing unless profiles are installed."""
    if not wanted.with_gateway:
        return []
    made = gateway(wanted.namespace, wanted.image, wanted.gateway, wanted.app_parts)
    # In a mesh that denies by default, API servers still reach the webhooks, and monitoring the metrics.
    reached = program_policy(wanted.manager, [to_port(WEBHOOK_PORT), to_port(METRICS_PORT)])
    return [*made, *([reached] if wanted.gateway.has_istio else [])]


def user_roles(apps: Collection[App]) -> list[Object]:
    """Kubeflow's roles for these apps, which aggregate to its own and to Kubernetes' admin, edit and view."""
    roles = {rules.role for app in apps for rules in app.user_rules}
    gives_namespaces = any(app.gives_namespaces for app in apps)
    roles |= {"kubernetes"} if gives_namespaces else set()
    names = {f"kubeflow-{role}-{level}" for role in roles for level in LEVELS}
    names |= {f"kubeflow-{level}" for level in LEVELS} if gives_namespaces else set()
    found: list[Object] = []
    for role in bootstrap.default_objects():
        if role["kind"] == "ClusterRole" and role["metadata"]["name"] in names:
            labels = {key: value for key, value in role["metadata"]["labels"].items() if key not in bootstrap.LABELS}
            metadata = {"name": role["metadata"]["name"], "labels": labels}
            # A cluster's controller owns the rules of aggregated roles: naming them would be a conflict.
            kept = {key: value for key, value in role.items() if key != "rules" or "aggregationRule" not in role}
            found.append({**kept, "metadata": metadata})
    return found


def _service(wanted: Installation) -> Object:
    listening = [
        {"name": "webhooks", "port": SERVICE_PORT, "targetPort": "webhooks", "protocol": "TCP"},
        {"name": "metrics", "port": METRICS_PORT, "targetPort": "metrics", "protocol": "TCP"},
    ]
    return wanted.manager.object("v1", "Service", spec={"selector": wanted.manager.labels, "ports": listening})


def _container(wanted: Installation) -> Object:
    return {
        "name": COMPONENT,
        "image": wanted.image,
        "command": ["windlass", "manager", "--in-cluster"],
        "args": [
            f"--enable-scheme={','.join(wanted.schemes)}",
            f"--webhook-port={WEBHOOK_PORT}",
            f"--webhook-service-name={wanted.manager.name}",
            f"--webhook-secret-name={SECRET_NAME}",
            f"--metrics-bind-address=:{METRICS_PORT}",
            f"--health-probe-bind-address=:{PROBE_PORT}",
            *wanted.app_parts.manager_flags(),
        ],
        **({"env": variables} if (variables := wanted.app_parts.manager_variables()) else {}),
        "ports": ports(webhooks=WEBHOOK_PORT, metrics=METRICS_PORT, probes=PROBE_PORT),
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "probes"}, "initialDelaySeconds": 15},
        # Not that of the controllers: their caches wait for conversions, which only a ready pod is asked for.
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "webhooks", "scheme": "HTTPS"}},
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
    }
