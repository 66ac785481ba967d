"""The manifests of Windlass' scheduler beside a cluster's own: who it is, what it may do, its Deployment."""

from windlass.deploy.manager_rights import lease_rules
from windlass.deploy.parts import Object, Program, account, deployment, namespace, ports
from windlass.deploy.scheduler_rights import scheduler_rules

COMPONENT = "scheduler"
METRICS_PORT, PROBE_PORT = 8080, 11251


def scheduler(own_namespace: str, image: str) -> list[Object]:
    """All of it."""
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
