"""Each profile's namespace has keys of its own for the S3 endpoint of pods."""

from base64 import b64decode

import msgspec
import pytest

from windlass.apis.core_v1 import Namespace, Secret
from windlass.apps.pipelines.artifacts.profile_keys import CONTROLLER, GENERATED
from windlass.apps.pipelines.controllers import app_controllers
from windlass.apps.pipelines.names import ARTIFACT_SECRET
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.profiles.kinds import Profile
from windlass.controllers.context import Context
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta
from windlass.kube.testing import NOW, MemoryServer


@pytest.fixture
def server() -> MemoryServer:
    return MemoryServer(lambda: NOW)


@pytest.fixture
def profile(server: MemoryServer) -> Profile:
    spec = {"owner": {"kind": "User", "name": "ann"}}
    wire = {"apiVersion": "kubeflow.org/v1", "kind": "Profile", "metadata": {"name": "ann"}, "spec": spec}
    return msgspec.convert(server.put(wire), Profile)


def a_namespace(profile: Profile, **more: object) -> Namespace:
    owner = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Profile",
        "name": "ann",
        "uid": profile.metadata.uid,
        "controller": True,
    }
    return msgspec.convert({"metadata": {"name": "ann", "uid": "1", "ownerReferences": [owner], **more}}, Namespace)


async def provide(server: MemoryServer, profile: Profile, *observed: Namespace | Secret) -> None:
    await CONTROLLER.act(profile, Observed.just(*observed, of=profile, now=NOW), Client(server))


def secrets(server: MemoryServer) -> list[Secret]:
    return [msgspec.convert(obj, Secret) for (kind, _), obj in server.objects.items() if kind == KINDS.of(Secret)]


async def test_the_access_key_is_the_namespace_and_the_secret_key_is_random(
    server: MemoryServer, profile: Profile
) -> None:
    await provide(server, profile, a_namespace(profile))

    (made,) = secrets(server)
    assert (made.metadata.namespace, made.metadata.name) == ("ann", "mlpipeline-minio-artifact")
    assert b64decode(made.data["accesskey"]) == b"ann"
    assert len(bytes.fromhex(b64decode(made.data["secretkey"]).decode())) == 32
    assert made.metadata.owner_references[0].uid == profile.metadata.uid
    assert GENERATED.labels in made.metadata.labels


async def test_a_secret_that_exists_is_never_overwritten(server: MemoryServer, profile: Profile) -> None:
    await Client(server).create(Secret(metadata=ObjectMeta(name=ARTIFACT_SECRET, namespace="ann"), data={"a": "Yg=="}))

    await provide(server, profile, a_namespace(profile))
    assert [secret.data for secret in secrets(server)] == [{"a": "Yg=="}]


async def test_keys_that_the_cache_has_not_seen_yet_stay(server: MemoryServer, profile: Profile) -> None:
    await provide(server, profile, a_namespace(profile))
    before = secrets(server)

    await provide(server, profile, a_namespace(profile))
    assert secrets(server) == before


async def test_only_the_profiles_own_namespace_gets_keys(server: MemoryServer, profile: Profile) -> None:
    foreign = a_namespace(profile, ownerReferences=[])
    going = a_namespace(profile, deletionTimestamp="2026-01-01T00:00:00Z")

    for observed in ((), (foreign,), (going,)):
        await provide(server, profile, *observed)
    assert secrets(server) == []


def test_only_an_embedded_platform_makes_them() -> None:
    def names(volumes: str) -> list[str]:
        context = Context(is_embedded=bool(volumes), options=(PipelineOptions(volumes=volumes),))
        return [controller.name for controller in app_controllers(context)]

    assert CONTROLLER.name in names("volumes")
    assert CONTROLLER.name not in names("")
