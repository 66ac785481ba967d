"""Whether pipelines without a namespace are allowed, by the setting of the server."""

from typing import Any, cast

import pytest

from windlass.pipelines.wire.call import Call, Services
from windlass.pipelines.wire.errors import InvalidArgument
from windlass.pipelines.wire.pipelines import new_pipeline


class Administrator:
    user = "admin"

    async def allows(self, *asked: Any) -> bool:
        return True

    async def own_namespaces(self) -> list[str]:
        return []


def a_call(*, requires_namespace: bool) -> Call:
    unused: Any = None
    services = Services(
        open_database=unused,
        artifacts=unused,
        default_account=unused,
        now=lambda: 1.0,
        fetch=unused,
        requires_namespace=requires_namespace,
    )
    return Call(request=unused, services=services, caller=cast(Any, Administrator()), database=unused, parts={})


async def test_a_pipeline_is_shared_unless_the_server_requires_a_namespace() -> None:
    assert (await new_pipeline(a_call(requires_namespace=False), {"name": "p"})).namespace == ""
    with pytest.raises(InvalidArgument, match="namespace: is required"):
        await new_pipeline(a_call(requires_namespace=True), {"name": "p"})
    made = await new_pipeline(a_call(requires_namespace=True), {"name": "p", "namespace": "ml"})
    assert made.namespace == "ml"
