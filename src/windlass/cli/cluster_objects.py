"""The manifests of Windlass on a cluster: its kinds, its manager with what that may do, its webhooks. Decides only."""

from collections.abc import Collection
from dataclasses import dataclass

from windlass.apis.jobset import crds as job_set_crds
from windlass.apis.trainer import crds as trainer_crds
from windlass.apis.trainer.public import public_objects
from windlass.apis.training.common import GROUP
from windlass.apis.training.crds import definitions
from windlass.apis.volcano import crds as volcano_crds
from windlass.apiserver.auth import bootstrap
from windlass.cli.cluster_parts import Object, Program, account, deployment, namespace, ports
from windlass.cli.cluster_rules import cluster_rules, lease_rules, secret_rules
from windlass.controllers import jobset, trainer, training, volcano
from windlass.webhooks.asked import SERVICE_PORT, Place, Service
from windlass.webhooks.configuration import (
    CONVERTED,
    conversion,
    mutating_configuration,
    validating_configuration,
)
from windlass.webhooks.trainer_configuration import trainer_configurations
from windlass.webhooks.volcano_configuration import volcano_configurations

COMPONENT = "manager"
SECRET_NAME = "windlass-webhook-cert"
WEBHOOK_PORT, METRICS_PORT, PROBE_PORT = 9443, 8080, 8081
PEOPLES_ROLES = tuple(f"kubeflow-training-{level}" for level in ("admin", "edit", "view"))
TRAINERS_ROLES = tuple(f"kubeflow-trainer-{level}" for level in ("admin", "edit", "view"))


@dataclass(frozen=True, kw_only=True)
class Installation:
    """What may differ between clusters. With `volcano`, Volcano's kinds are looked after too; with `trainer`, TrainJobs
    and JobSets."""

    namespace: str
    image: str
    webhooks: Place
    volcano: bool = False
    trainer: bool = False

    @classmethod
    def of(
        cls,
        namespace: str,
        image: str,
        webhooks: Place | None = None,
        *,
        volcano: bool = False,
        trainer: bool = False,
    ) -> "Installation":
        place = webhooks or Service(name=f"windlass-{COMPONENT}", namespace=namespace)
        return cls(namespace=namespace, image=image, webhooks=place, volcano=volcano, trainer=trainer)

    @property
    def manager(self) -> Program:
        return Program(component=COMPONENT, namespace=self.namespace)

    @property
    def schemes(self) -> list[str]:
        """What the manager looks after."""
        second = [trainer.NAME, jobset.NAME] if self.trainer else []
        return [*sorted(training.kinds()), *second, *([volcano.NAME] if self.volcano else [])]


def custom_resources(wanted: Installation) -> list[Object]:
    """The training kinds, Trainer's and Volcano's. Other schedulers' PodGroups and queues come with those."""
    converted = {kind.group_resource for kind in CONVERTED}
    made = [crd for crd in definitions() if crd["spec"]["group"] == GROUP]
    for crd in made:
        if crd["metadata"]["name"] in converted:
            crd["spec"]["conversion"] = conversion(wanted.webhooks)
    others = volcano_crds.definitions() if wanted.volcano else []
    second = [*job_set_crds.definitions(), *trainer_crds.definitions()] if wanted.trainer else []
    return [*made, *second, *(crd for crd in others if crd["spec"]["group"].endswith(".volcano.sh"))]


def webhooks(wanted: Installation) -> list[Object]:
    """The configurations, and the Service that they lead to if they lead to one."""
    services = [_service(wanted)] if isinstance(wanted.webhooks, Service) else []
    of_training = [validating_configuration(wanted.webhooks), mutating_configuration(wanted.webhooks)]
    of_trainer = trainer_configurations(wanted.webhooks) if wanted.trainer else []
    of_volcano = volcano_configurations(wanted.webhooks) if wanted.volcano else []
    return [*services, *of_training, *of_trainer, *of_volcano]


def operator(wanted: Installation) -> list[Object]:
    """The manager, who it is and what it may do; and what people who train may do."""
    manager = wanted.manager
    everywhere = cluster_rules(with_volcano=wanted.volcano, with_trainer=wanted.trainer)
    return [
        namespace(wanted.namespace),
        *account(manager, everywhere, [*lease_rules(manager.name), *secret_rules(SECRET_NAME)]),
        *peoples_roles((*PEOPLES_ROLES, *(TRAINERS_ROLES if wanted.trainer else ()))),
        *(public_objects() if wanted.trainer else ()),
        deployment(manager, _container(wanted)),
    ]


def peoples_roles(names: Collection[str]) -> list[Object]:
    """Kubeflow's roles for training, which become part of its own and of Kubernetes' admin, edit and view."""
    roles: list[Object] = []
    for role in bootstrap.default_objects():
        if role["kind"] == "ClusterRole" and role["metadata"]["name"] in names:
            labels = {key: value for key, value in role["metadata"]["labels"].items() if key not in bootstrap.LABELS}
            metadata = {"name": role["metadata"]["name"], "labels": labels}
            gathers = {"aggregationRule", "rules"} <= role.keys()
            roles.append({**role, "metadata": metadata, **({"rules": []} if gathers else {})})
    return roles


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
        ],
        "ports": ports(webhooks=WEBHOOK_PORT, metrics=METRICS_PORT, probes=PROBE_PORT),
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "probes"}, "initialDelaySeconds": 15},
        # Not that of the controllers: their caches wait for conversions, which only a ready pod is asked for.
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "webhooks", "scheme": "HTTPS"}},
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
    }
