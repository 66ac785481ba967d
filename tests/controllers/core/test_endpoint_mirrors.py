from typing import Any

import msgspec
import pytest

from tests.controllers.core.backend_builders import a_service
from windlass.apis.core_v1 import Endpoints
from windlass.apis.discovery_v1 import EndpointSlice
from windlass.controllers.core.endpoint_mirrors import reconcile
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta
from windlass.kube.objects import AnyObject, owner_reference
from windlass.kube.plan import Plan
from windlass.kube.testing import applied, deleted

SUBSETS: list[dict[str, Any]] = [
    {
        "addresses": [{"ip": "192.0.2.1", "hostname": "a"}, {"ip": "2001:db8::1"}],
        "notReadyAddresses": [{"ip": "192.0.2.2"}],
        "ports": [{"port": 80, "protocol": "TCP"}],
    }
]
BARE = a_service(selector={})


def by_hand(**metadata: Any) -> Endpoints:
    given = {"name": "web", "namespace": "n", "uid": "e1", **metadata}
    return Endpoints(metadata=ObjectMeta(**given), subsets=SUBSETS)


def plan_of(endpoints: Endpoints, *objects: AnyObject) -> Plan:
    return reconcile(endpoints, Observed.just(*objects, of=endpoints))


def test_addresses_written_by_hand_are_in_slices_of_their_family() -> None:
    made: list[Any] = list(applied(plan_of(by_hand(labels={"team": "a"}), BARE)))
    assert [(piece["addressType"], piece["endpoints"]) for piece in made] == [
        (
            "IPv4",
            [
                {"addresses": ["192.0.2.1"], "conditions": {"ready": True}, "hostname": "a"},
                {"addresses": ["192.0.2.2"], "conditions": {"ready": False}},
            ],
        ),
        ("IPv6", [{"addresses": ["2001:db8::1"], "conditions": {"ready": True}}]),
    ]
    assert made[0]["ports"] == [{"name": "", "port": 80, "protocol": "TCP"}]
    assert made[0]["metadata"]["labels"] == {
        "team": "a",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
    }


@pytest.mark.parametrize(
    ("endpoints", "others"),
    [
        (by_hand(), []),
        (by_hand(), [a_service()]),
        (by_hand(labels={"endpointslice.kubernetes.io/skip-mirror": "true"}), [BARE]),
        (by_hand(labels={"endpoints.kubernetes.io/managed-by": "endpoint-controller"}), [BARE]),
        (by_hand(annotations={"control-plane.alpha.kubernetes.io/leader": "{}"}), [BARE]),
    ],
    ids=["no service", "a selector", "not wanted", "from pods", "an election"],
)
def test_others_are_not_mirrored_and_old_mirrors_go(endpoints: Endpoints, others: list[AnyObject]) -> None:
    made: list[Any] = list(applied(plan_of(by_hand(), BARE)))
    mirrors: list[EndpointSlice] = []
    for piece in made:
        kept = msgspec.convert(piece, EndpointSlice)
        owners = [owner_reference(endpoints, KINDS.of(Endpoints))]
        metadata = msgspec.structs.replace(kept.metadata, owner_references=owners)
        mirrors.append(msgspec.structs.replace(kept, metadata=metadata))
    plan = plan_of(endpoints, *others, *mirrors)
    assert (applied(plan), len(deleted(plan))) == ([], 2)
