from datetime import UTC, datetime

from tests.kube.live import managed, until
from windlass.apis.core_v1 import ConfigMap, Namespace, Secret
from windlass.controllers.core import namespaces, root_ca, service_accounts
from windlass.controllers.core.namespaces import Sweep, conditions, emptied_kinds
from windlass.kube import errors
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.conditions import find
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, ObjectMeta, PartialObjectMetadata
from windlass.kube.testing import applied

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NAMESPACE, SECRET = KINDS.of(Namespace), KINDS.of(Secret)


def test_pods_are_emptied_first_and_cluster_scoped_kinds_never() -> None:
    kinds = [
        Kind(group="apps", version="v1", name="Deployment", plural="deployments"),
        Kind(group="", version="v1", name="Node", plural="nodes", namespaced=False),
        Kind(group="", version="v1", name="Binding", plural="bindings", verbs=frozenset({"create"})),
        Kind(group="", version="v1", name="Pod", plural="pods"),
    ]

    assert [kind.plural for kind in emptied_kinds(kinds)] == ["pods", "deployments"]


def test_conditions_name_what_is_left_and_what_holds_it() -> None:
    sweep = Sweep()
    held = PartialObjectMetadata(metadata=ObjectMeta(finalizers=["a/b"], deletion_grace_period_seconds=30))
    sweep.note(Kind(group="", version="v1", name="Pod", plural="pods"), [held, held])

    found = {c.type: (c.status, c.reason, c.message) for c in conditions([], sweep, (), NOW)}

    assert found == {
        "NamespaceDeletionDiscoveryFailure": (
            "False", "ResourcesDiscovered", "All resources successfully discovered",
        ),
        "NamespaceDeletionGroupVersionParsingFailure": (
            "False", "ParsedGroupVersions", "All legacy kube types successfully parsed",
        ),
        "NamespaceDeletionContentFailure": (
            "False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization",
        ),
        "NamespaceContentRemaining": (
            "True", "SomeResourcesRemain", "Some resources are remaining: pods. has 2 resource instances",
        ),
        "NamespaceFinalizersRemaining": (
            "True", "SomeFinalizersRemain",
            "Some content in the namespace has finalizers remaining: a/b in 2 resource instances",
        ),
    }  # fmt: skip
    assert sweep.grace == 30


def test_a_failure_is_told_and_keeps_the_namespace() -> None:
    sweep = Sweep(failures=["pods is forbidden"])

    failed = find(conditions([], sweep, ["metrics.k8s.io/v1"], NOW), "NamespaceDeletionContentFailure")

    assert failed is not None
    assert (failed.status, failed.reason) == ("True", "ContentDeletionFailed")
    assert not sweep.is_clean


async def gone(client: Client, room: str) -> bool:
    try:
        await client.get(Namespace, room)
    except errors.NotFound:
        return True
    return False


async def test_a_namespace_goes_with_everything_in_it(client: Client, room: str) -> None:
    await client.create(Secret(metadata=ObjectMeta(name="a", namespace=room)))
    async with managed(client, namespaces.CONTROLLER):
        await client.delete(NAMESPACE, Key("", room))

        await until(lambda: gone(client, room))
        assert (await client.list(Secret, room)).items == []


async def test_what_a_finalizer_holds_keeps_the_namespace_and_is_named(client: Client, room: str) -> None:
    await client.create(Secret(metadata=ObjectMeta(name="a", namespace=room, finalizers=["test.windlass.dev/hold"])))
    async with managed(client, namespaces.CONTROLLER):
        await client.delete(NAMESPACE, Key("", room))

        async def told() -> str:
            condition = find((await client.get(Namespace, room)).status.conditions, "NamespaceFinalizersRemaining")
            return condition.message if condition and condition.status == "True" else ""

        assert "test.windlass.dev/hold in 1 resource instances" in await until(told)
        assert (await client.get(Namespace, room)).status.phase == "Terminating"
        await client.patch(SECRET, Key(room, "a"), {"metadata": {"finalizers": None}})
        await until(lambda: gone(client, room))


async def test_each_namespace_has_a_default_service_account_again_and_again(client: Client, room: str) -> None:
    account = KINDS.find("v1", "ServiceAccount")
    assert account is not None
    async with managed(client, service_accounts.CONTROLLER):

        async def uid() -> str:
            try:
                return (await client.get(account, "default", room))["metadata"]["uid"]
            except errors.NotFound:
                return ""

        first = await until(uid)
        await client.delete(account, Key(room, "default"))

        async def another() -> bool:
            return await uid() not in ("", first)

        await until(another)


def a_namespace(name: str) -> Namespace:
    return Namespace(metadata=ObjectMeta(name=name))


def test_the_root_ca_is_copied_from_where_the_server_puts_it() -> None:
    source = ConfigMap(metadata=ObjectMeta(name=root_ca.NAME, namespace="kube-system"), data={"ca.crt": "PEM"})
    observed = Observed(lambda form: store_of(source), a_namespace("ml"), NOW)

    (copy,) = applied(root_ca.reconcile(a_namespace("ml"), observed))

    assert isinstance(copy, ConfigMap)
    assert (copy.metadata.namespace, copy.data) == ("ml", {"ca.crt": "PEM"})
    assert not applied(root_ca.reconcile(a_namespace("kube-system"), observed))


def store_of(*objects: ConfigMap) -> Store[ConfigMap]:
    store: Store[ConfigMap] = Store()
    store.replace(objects)
    return store
