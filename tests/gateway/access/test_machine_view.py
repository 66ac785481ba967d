"""The machine view is the only user's, on this machine, and nobody's as soon as that is not so."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp.test_utils import make_mocked_request

from tests.gateway.builders import settings
from windlass.apis.machine_viewers import MACHINE_VIEWERS
from windlass.gateway.access.machine_view import Installation, Viewer, has_machine_view, machine_viewer
from windlass.gateway.access.machine_viewers import set_withdrawn
from windlass.gateway.context import GatewayContext, open_context
from windlass.gateway.database import Database
from windlass.gateway.identity.user import User
from windlass.gateway.identity.users import Users
from windlass.gateway.login.authentication import of_session
from windlass.gateway.request import Identity
from windlass.supervisor import run_state
from windlass.supervisor.datadir import DataDir

ANN, BOB = User("ann@example.com", "ann", "1"), User("bob@example.com", "bob", "2")
LAPTOP = settings(data_dir=Path("/data"))
ALONE = Installation(
    settings=LAPTOP, api_listen="127.0.0.1", users=(ANN,), has_connectors=False, has_published_password=False,
    is_withdrawn=False,
)  # fmt: skip
BY_ANY_SIGN_IN, BY_LINK_ALONE = Viewer(ANN.email, by_link_alone=False), Viewer(ANN.email, by_link_alone=True)
HERE = {"Host": "127.0.0.1:8080"}


@pytest.mark.parametrize("listen", ["127.0.0.1", "::1", "localhost"])
def test_the_only_user_has_it_while_loopback_alone_listens(listen: str) -> None:
    at = replace(LAPTOP, listen=listen)

    assert machine_viewer(replace(ALONE, settings=at, api_listen=listen)) == BY_ANY_SIGN_IN


@pytest.mark.parametrize(
    "changed",
    [
        {"users": ()},
        {"users": (ANN, BOB)},
        {"users": (replace(ANN, source="file"),)},
        {"users": (replace(ANN, source="company"),)},
        {"has_connectors": True},
        {"is_withdrawn": True},
        *({"api_listen": listen} for listen in (None, "", "0.0.0.0", "::", "192.168.1.7", "127.0.0.1.example.com")),
        *({"settings": replace(LAPTOP, listen=listen)} for listen in ("", "0.0.0.0", "::", "192.168.1.7")),
        {"settings": replace(LAPTOP, external_url="https://lab.example.com")},
        {"settings": replace(LAPTOP, ingress_tokens=True)},
        {"settings": replace(LAPTOP, data_dir=None)},
    ],
    ids=str,
)
def test_nobody_has_it_otherwise(changed: dict[str, Any]) -> None:
    assert machine_viewer(replace(ALONE, **changed)) is None


@pytest.mark.parametrize(
    "changed", [{"has_published_password": True}, {"settings": replace(LAPTOP, demo=True)}], ids=str
)
def test_a_published_password_leaves_it_to_links(changed: dict[str, Any]) -> None:
    assert machine_viewer(replace(ALONE, **changed)) == BY_LINK_ALONE


@pytest.mark.parametrize(
    ("identity", "headers", "client", "has"),
    [
        (Identity(ANN.email), HERE, "127.0.0.1", True),
        (Identity(ANN.email), {"Host": "localhost:8080"}, "::1", True),
        (Identity(BOB.email), HERE, "127.0.0.1", False),
        *((Identity(ANN.email, (), proof), HERE, "127.0.0.1", False) for proof in ("access-token", "id-token")),
        (Identity(ANN.email, (), "service-account"), HERE, "127.0.0.1", False),
        (Identity(ANN.email), HERE, "192.168.1.9", False),
        (Identity(ANN.email), HERE, "", False),
        (Identity(ANN.email), {}, "127.0.0.1", False),
        (Identity(ANN.email), {"Host": "rebound.example.com"}, "127.0.0.1", False),
        (Identity(ANN.email), {**HERE, "X-Forwarded-For": "127.0.0.1"}, "127.0.0.1", False),
        (Identity(ANN.email), {**HERE, "x-forwarded-host": "lab"}, "127.0.0.1", False),
        (Identity(ANN.email), {**HERE, "Forwarded": "for=10.0.0.1"}, "127.0.0.1", False),
        (Identity(ANN.email), {**HERE, "Via": "1.1 proxy"}, "127.0.0.1", False),
        (Identity(ANN.email), {**HERE, "X-Real-IP": "10.0.0.1"}, "127.0.0.1", False),
    ],
)
def test_it_is_for_a_browser_on_this_machine(
    identity: Identity, headers: dict[str, str], client: str, has: bool
) -> None:
    by_link = replace(identity, is_by_link=True)
    assert has_machine_view(identity, BY_ANY_SIGN_IN, LAPTOP, headers, client) is has
    assert has_machine_view(by_link, BY_LINK_ALONE, LAPTOP, headers, client) is has
    assert not has_machine_view(identity, BY_LINK_ALONE, LAPTOP, headers, client)
    assert not has_machine_view(by_link, None, LAPTOP, headers, client)


def test_an_identity_without_it_names_the_groups_of_the_user_alone() -> None:
    identity = Identity(ANN.email, ("ml",), has_machine_view=True)

    assert identity.rbac_groups == ("ml", MACHINE_VIEWERS)
    assert identity.without_machine_view.rbac_groups == identity.groups == ("ml",)


# --- a running gateway


@pytest.fixture
def context(tmp_path: Path) -> Iterator[GatewayContext]:
    given = settings(folder=tmp_path / "gateway", data_dir=tmp_path, users_file=tmp_path / "users.yaml")
    listen(tmp_path, "127.0.0.1")
    with open_context(given, Mock(), {}) as opened:
        opened.users.add(ANN.email, "a password")
        yield opened


def listen(folder: Path, address: str) -> None:
    data = DataDir(folder)
    data.prepare()
    run_state.save(
        data, run_state.RunState(pid=1, born=1, version="", phase="ready", url="", started=0, api_listen=address)
    )


def signed_in(context: GatewayContext, *, by_link: bool = False) -> Identity:
    cookie = f"oauth2_proxy_kubeflow={context.sessions.start(ANN.email, by_link=by_link)}"
    transport = Mock()
    transport.get_extra_info = {"peername": ("127.0.0.1", 40_000)}.get
    identity = of_session(context, make_mocked_request("GET", "/", {**HERE, "Cookie": cookie}, transport=transport))
    assert identity is not None
    return identity


def add_bob_from_another_process(context: GatewayContext) -> None:
    other = Database(context.settings.database)
    Users(other, context.static_file).add(BOB.email, "a password")
    other.close()


CONNECTORS = """
connectors:
- {type: github, id: github, name: GitHub, config: {clientID: a, clientSecret: b, orgs: [{name: acme}]}}
"""
ENDS = {
    "a second user": add_bob_from_another_process,
    "a connector": lambda context: context.settings.users_file.write_text(CONNECTORS),
    "a listener on the network": lambda context: listen(context.settings.data_dir, "0.0.0.0"),
    "no supervisor that says where it listens": lambda context: DataDir(context.settings.data_dir).state.unlink(),
    "its withdrawal": lambda context: set_withdrawn(context.database, withdrawn=True),
    "the published password": lambda context: context.users.set_password(ANN.email, "12341234"),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_it_ends_at_once_for_requests_and_for_what_is_open(context: GatewayContext, end: Any) -> None:
    before, as_of = signed_in(context), context.sign_ins_as_of
    assert before.has_machine_view
    assert context.is_current(before)

    end(context)

    assert context.sign_ins_as_of != as_of
    assert not context.is_current(before)
    assert context.is_current(before.without_machine_view)
    assert not signed_in(context).has_machine_view


def test_a_session_by_link_keeps_it_when_the_password_becomes_a_published_one(context: GatewayContext) -> None:
    by_link = signed_in(context, by_link=True)

    context.users.set_password(ANN.email, "12341234")

    assert context.is_current(by_link)
    assert signed_in(context, by_link=True).has_machine_view


def test_reviews_of_a_user_with_and_without_it_are_different_questions(context: GatewayContext) -> None:
    identity = signed_in(context)

    context.client_of(identity)
    context.client_of(identity.without_machine_view)

    asked = [call.args for call in context.client.impersonating.call_args_list]  # type: ignore[attr-defined]
    assert asked == [(ANN.email, (MACHINE_VIEWERS,)), (ANN.email, ())]
