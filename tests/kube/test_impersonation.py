"""A client in somebody's name sends their name and groups with every request."""

import pytest
from multidict import CIMultiDict

from tests.support import Windlass
from windlass.apis.core_v1 import Namespace
from windlass.kube.connect import by_socket
from windlass.kube.errors import Forbidden
from windlass.kube.transport import Request


def test_each_group_is_a_header_of_its_own() -> None:
    headers = Request("GET", "/api", as_user="ann@example.com", as_groups=("ml", "ops")).headers()

    assert headers == CIMultiDict(
        [
            ("Accept", "application/json"),
            ("Impersonate-User", "ann@example.com"),
            ("Impersonate-Group", "ml"),
            ("Impersonate-Group", "ops"),
        ]
    )


async def test_the_rights_are_the_other_persons(server: Windlass) -> None:
    socket, token = server.data_dir / "run" / "api.sock", server.data_dir / "credentials" / "admin.token"
    async with by_socket(socket, token_file=token) as admin:
        assert (await admin.impersonating("ann@example.com", ["system:masters"]).list(Namespace)).items
        with pytest.raises(Forbidden, match=r'User "ann@example\.com"'):
            await admin.impersonating("ann@example.com").list(Namespace)


async def test_nobody_cannot_be_impersonated(server: Windlass) -> None:
    async with by_socket(server.data_dir / "run" / "api.sock") as client:
        with pytest.raises(ValueError, match="nobody"):
            client.impersonating("")
