"""The manifests of Windlass' scheduler, next to the cluster's own: its service account, rules and Deployment."""

from windlass.deploy.manager_permissions import lease_rules
from windlass.deploy.program import Object, Program, account, deployment, namespace, ports
from windlass.deploy.scheduler_permissions import scheduler_rules

COMPONENT = "scheduler"
METRICS_PORT, PROBE_PORT = 8080, 11251


def scheduler(own_namespace: str, image: str) -> list[Object]:
    """All objects of the scheduler."""
    program = Program(component=COMPONENT, namespace=own_namespace)
    return [
        namespace(own_namespace),
        *account(program, scheduler_rules(), lease_rules(program.name)),
        deployment(program, _container(image)),
    ]


def _container(image: str) -> Object:
    return {
        "name": COMPONENT,
        "image": image,
        "command": ["windlass", "scheduler", "--in-cluster"],
        "args": [f"--listen-address=:{METRICS_PORT}", f"--healthz-address=:{PROBE_PORT}"],
        "ports": ports(metrics=METRICS_PORT, probes=PROBE_PORT),
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "probes"}, "initialDelaySeconds": 15},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "probes"}},
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "2Gi"}},
    }
