"""Services and the pods behind them, for tests of Endpoints and EndpointSlices."""

from typing import Any

from windlass.apis.core_v1 import (
    Container,
    ContainerPort,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
    Service,
    ServicePort,
    ServiceSpec,
)
from windlass.kube.meta import ObjectMeta

BORN, CAME_UP = "2026-01-01T00:00:00Z", "2026-01-01T00:00:07Z"


def a_service(ports: list[ServicePort] | None = None, labels: dict[str, str] | None = None, **spec: Any) -> Service:
    given: dict[str, Any] = {"selector": {"app": "web"}, "cluster_ip": "10.0.0.9", "ip_families": ["IPv4"], **spec}
    web = [ServicePort(port=80, target_port=8080, protocol="TCP")]
    return Service(
        metadata=ObjectMeta(name="web", namespace="n", uid="s1", labels=labels or {}, creation_timestamp=BORN),
        spec=ServiceSpec(ports=web if ports is None else ports, **given),
    )


def a_backend(
    number: int, *, ready: bool = True, phase: str = "Running", going: bool = False, port: int = 8080, **spec: Any
) -> Pod:
    """A pod `web-N` at 10.1.0.N that calls its port `http`."""
    condition = PodCondition(type="Ready", status="True" if ready else "False", last_transition_time=CAME_UP)
    container = Container(name="c", ports=[ContainerPort(container_port=port, name="http", protocol="TCP")])
    return Pod(
        metadata=ObjectMeta(
            name=f"web-{number}", namespace="n", uid=f"p{number}", labels={"app": "web"},
            deletion_timestamp=BORN if going else None,
        ),
        spec=PodSpec(containers=[container], **spec),
        status=PodStatus(phase=phase, pod_ip=f"10.1.{number // 250}.{number % 250}", conditions=[condition]),
    )  # fmt: skip
