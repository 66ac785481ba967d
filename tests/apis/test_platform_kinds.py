"""Kinds of the platform: notebooks, profiles, boards, viewers and the routes to them."""

import msgspec
import pytest

from windlass.apis.crd import SameSchema, definition
from windlass.apis.networking_istio_v1alpha3 import OTHER_VERSIONS, Gateway, VirtualService
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy, RequestAuthentication
from windlass.apiserver.crds.definition import CrdStrategy
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.profiles.kinds import PodDefault, Profile
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.volumes.kinds import PVCViewer
from windlass.kube.meta import Object

KINDS = (
    Notebook,
    Profile,
    PodDefault,
    PVCViewer,
    Tensorboard,
    VirtualService,
    Gateway,
    AuthorizationPolicy,
    RequestAuthentication,
)


@pytest.mark.parametrize("declared", KINDS)
def test_a_cluster_accepts_the_definition(declared: type[Object]) -> None:
    crd = definition(declared)
    strategy = CrdStrategy()
    strategy.default(crd)
    strategy.prepare_create(crd)

    assert strategy.validate(crd) == []


def test_other_versions_have_the_schema_of_the_stored_one() -> None:
    versions = definition(VirtualService, *map(SameSchema, OTHER_VERSIONS))["spec"]["versions"]

    assert [(version["name"], version["storage"]) for version in versions] == [
        ("v1alpha3", True),
        ("v1beta1", False),
        ("v1", False),
    ]
    assert versions[0]["schema"] == versions[1]["schema"] == versions[2]["schema"]


def test_a_route_is_read_and_what_nobody_declares_is_left_alone() -> None:
    text = b"""{"metadata": {"name": "notebook-a-b"}, "spec": {"hosts": ["*"], "http": [{"match": [{"uri": {"prefix":
    "/notebook/a/b/"}}], "headers": {"request": {"set": {"x": "1"}}}, "retries": {"attempts": 3}, "route":
    [{"destination": {"host": "b.a.svc.cluster.local", "port": {"number": 80}}}]}]}}"""

    route = msgspec.json.decode(text, type=VirtualService).spec.http[0]

    assert route.match[0].uri.prefix == "/notebook/a/b/"
    assert route.headers.request.set_ == {"x": "1"}
    assert route.route[0].destination.port.number == 80
