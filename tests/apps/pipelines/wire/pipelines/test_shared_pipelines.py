"""Whose a pipeline without a namespace is, by the rights of its creator and the setting of the server."""

from dataclasses import dataclass
from typing import Any, cast

import pytest

from windlass.apps.pipelines.wire.call import Call, Services
from windlass.apps.pipelines.wire.errors import InvalidArgument, PermissionDenied
from windlass.apps.pipelines.wire.pipelines.pipelines import new_pipeline


@dataclass(frozen=True)
class Person:
    """Someone with profiles, who may create pipelines in them, or everywhere."""

    profiles: tuple[str, ...] = ()
    is_administrator: bool = False
    user: str = "anna"

    async def allows(self, verb: str, group: str, resource: str, namespace: str, name: str = "") -> bool:
        assert (verb, group, resource) == ("create", "pipelines.kubeflow.org", "pipelines")
        return self.is_administrator or namespace in self.profiles

    async def own_namespaces(self) -> list[str]:
        return list(self.profiles)


ADMINISTRATOR = Person(is_administrator=True)


def a_call(caller: Person = ADMINISTRATOR, *, requires_namespace: bool = False) -> Call:
    unused: Any = None
    services = Services(
        open_database=unused,
        artifacts=unused,
        default_account=unused,
        now=lambda: 1.0,
        fetch=unused,
        requires_namespace=requires_namespace,
    )
    return Call(request=unused, services=services, caller=cast(Any, caller), database=unused, parts={})


async def test_a_pipeline_is_shared_unless_the_server_requires_a_namespace() -> None:
    assert (await new_pipeline(a_call(requires_namespace=False), {"name": "p"})).namespace == ""
    with pytest.raises(InvalidArgument, match="namespace: is required"):
        await new_pipeline(a_call(requires_namespace=True), {"name": "p"})
    made = await new_pipeline(a_call(requires_namespace=True), {"name": "p", "namespace": "ml"})
    assert made.namespace == "ml"


@pytest.mark.parametrize("given", [{}, {"namespace": ""}, {"namespace": "-"}])
async def test_who_may_share_pipelines_does_so_by_giving_no_namespace(given: dict[str, str]) -> None:
    caller = Person(profiles=("ml",), is_administrator=True)

    assert (await new_pipeline(a_call(caller), {"name": "p", **given})).namespace == ""


async def test_anyone_else_gives_a_pipeline_without_a_namespace_to_their_only_profile() -> None:
    assert (await new_pipeline(a_call(Person(profiles=("ml",))), {"name": "p"})).namespace == "ml"
    for profiles in ((), ("ml", "other")):
        with pytest.raises(PermissionDenied, match="in all namespaces"):
            await new_pipeline(a_call(Person(profiles=profiles)), {"name": "p"})


@pytest.mark.parametrize("namespace", ["", "-"])
async def test_an_empty_namespace_is_never_replaced_by_the_own_one(namespace: str) -> None:
    body, caller = {"name": "p", "namespace": namespace}, Person(profiles=("ml",))

    with pytest.raises(PermissionDenied, match="in all namespaces"):
        await new_pipeline(a_call(caller), body)
    with pytest.raises(InvalidArgument, match="namespace: is required"):
        await new_pipeline(a_call(caller, requires_namespace=True), body)


async def test_where_pipelines_are_not_shared_everyone_uses_their_only_profile() -> None:
    for caller in (Person(profiles=("ml",)), Person(profiles=("ml",), is_administrator=True)):
        assert (await new_pipeline(a_call(caller, requires_namespace=True), {"name": "p"})).namespace == "ml"
