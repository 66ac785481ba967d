"""Sign-ins whose passwords a real LDAP directory checks."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.gateway.identity.directory import CONNECTOR, PEOPLE, Directory, needs_slapd, running_directory
from tests.support import free_port
from windlass.gateway.identity.connectors import ldap
from windlass.gateway.identity.connectors.connector import LdapConnector
from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.connectors.entries import connector_of
from windlass.gateway.identity.file_fields import Fields
from windlass.gateway.identity.user import User

pytestmark = needs_slapd
PASSWORD = "anns password"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Directory]:
    with running_directory(tmp_path_factory.mktemp("directory")) as running:
        yield running


def a_connector(port: int, users: dict[str, Any] | None = None, **more: Any) -> LdapConnector:
    """The test directory's; `users` changes userSearch, a value of None takes a field away."""
    config: dict[str, Any] = {**CONNECTOR, "host": f"127.0.0.1:{port}", **more}
    config["userSearch"] = {**CONNECTOR["userSearch"], **(users or {})}
    given = {name: value for name, value in config.items() if value is not None}
    entry = {"type": "ldap", "id": "company", "config": given}
    return cast(LdapConnector, connector_of(Fields(entry, "connectors[0]")))


def over_tls(port: int, **more: Any) -> LdapConnector:
    return a_connector(port, insecureNoSSL=None, **more)


async def test_a_person_of_the_directory_signs_in_with_their_groups(directory: Directory) -> None:
    user = await ldap.sign_in(a_connector(directory.port), "ann", PASSWORD)

    assert user == User("ann@staff.example", "Ann Miller", "ann", groups=("ml-team", "ops"), source="company")


@pytest.mark.parametrize(
    ("login", "password"),
    [
        ("ann", "wrong"),
        ("nobody", PASSWORD),
        ("ann", ""),
        ("ann", "\u00ad"),
        ("*", PASSWORD),
        ("an*", PASSWORD),
        ("ann)(uid=*", PASSWORD),
        ("x)(|(uid=ann", PASSWORD),
        ("ann\x00", PASSWORD),
    ],
    ids=["wrong", "unknown", "no password", "invisible password", "any", "some", "filter", "or", "null"],
)
async def test_nobody_else_signs_in(directory: Directory, login: str, password: str) -> None:
    """The directory takes a bind without a password for an anonymous one, which succeeds."""
    assert await ldap.sign_in(a_connector(directory.port), login, password) is None


async def test_a_name_of_two_entries_is_refused(directory: Directory) -> None:
    with pytest.raises(ConnectorFailed, match="more than one entry"):
        await ldap.sign_in(a_connector(directory.port), "twin", "twins password")
    one_level = a_connector(directory.port, {"scope": "one"})
    user = await ldap.sign_in(one_level, "twin", "twins password")
    assert user is not None
    assert user.email == "first@staff.example"


async def test_an_entry_without_an_address_is_refused_by_the_attribute(directory: Directory) -> None:
    with pytest.raises(ConnectorFailed, match=f"uid=gus,ou=guests,{PEOPLE} has no mail"):
        await ldap.sign_in(a_connector(directory.port), "gus", "guests password")


async def test_addresses_and_names_come_from_the_attributes_of_the_configuration(directory: Directory) -> None:
    users = {"nameAttr": "uid", "emailSuffix": "guests.example.com", "preferredUsernameAttr": "sn", "idAttr": "cn"}
    user = await ldap.sign_in(a_connector(directory.port, users), "gus", "guests password")

    assert user == User("gus@guests.example.com", "Guest", "Gus (guest)", groups=("guests",), source="company")


async def test_the_filter_of_the_configuration_decides_who_is_found(directory: Directory) -> None:
    assert await ldap.sign_in(a_connector(directory.port, {"filter": "(sn=Guest)"}), "ann", PASSWORD) is None
    assert await ldap.sign_in(a_connector(directory.port, {"filter": ""}), "ann", PASSWORD) is not None


async def test_without_a_group_search_there_are_no_groups(directory: Directory) -> None:
    user = await ldap.sign_in(a_connector(directory.port, groupSearch=None), "ann", PASSWORD)

    assert user is not None
    assert user.groups == ()


async def test_the_search_may_be_anonymous(directory: Directory) -> None:
    assert await ldap.sign_in(a_connector(directory.port, bindDN=None, bindPW=None), "ann", PASSWORD) is not None


async def test_referrals_to_other_hosts_are_not_followed(directory: Directory) -> None:
    assert await ldap.sign_in(a_connector(directory.port), "elsewhere", PASSWORD) is None
    below = a_connector(directory.port, {"baseDN": f"ou=elsewhere,{PEOPLE}"})
    with pytest.raises(ldap.DirectoryUnavailable, match="referral"):
        await ldap.sign_in(below, "ann", PASSWORD)

    assert not directory.has_been_referred()


@pytest.mark.parametrize("starts_tls", [False, True], ids=["ldaps", "startTLS"])
async def test_the_certificate_of_the_directory_is_verified(directory: Directory, starts_tls: bool) -> None:
    port, more = (directory.port, {"startTLS": True}) if starts_tls else (directory.tls_port, {})
    data = base64.b64encode(directory.cert.read_bytes()).decode()

    for trusted in ({"rootCA": str(directory.cert)}, {"rootCAData": data}, {"insecureSkipVerify": True}):
        assert await ldap.sign_in(over_tls(port, **trusted, **more), "ann", PASSWORD) is not None
    with pytest.raises(ldap.DirectoryUnavailable, match="certificate verify failed"):
        await ldap.sign_in(over_tls(port, **more), "ann", PASSWORD)
    other_host = over_tls(port, **more, rootCA=str(directory.cert), host=f"localhost:{port}")
    with pytest.raises(ldap.DirectoryUnavailable, match="certificate is not valid for"):
        await ldap.sign_in(other_host, "ann", PASSWORD)


async def test_a_directory_that_asks_for_a_client_certificate_gets_it(tmp_path: Path) -> None:
    with running_directory(tmp_path, verify_client="demand") as strict:
        trusted = over_tls(strict.tls_port, rootCA=str(strict.cert))
        with pytest.raises(ldap.DirectoryUnavailable):
            await ldap.check(trusted)
        proven = over_tls(
            strict.tls_port, rootCA=str(strict.cert), clientCert=str(strict.cert), clientKey=str(strict.key)
        )
        await ldap.check(proven)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"bindPW": "wrong"}, "it refuses bindDN and bindPW: invalidCredentials"),
        ({"users": {"baseDN": "ou=nowhere,dc=example,dc=com"}}, "ou=nowhere,dc=example,dc=com fails: noSuchObject"),
        ({"rootCA": "/nowhere", "insecureNoSSL": None, "startTLS": True}, "No such file"),
        ({"insecureNoSSL": None}, ""),
    ],
    ids=["credentials", "base", "certificates", "TLS where there is none"],
)
async def test_a_configuration_that_the_directory_refuses_is_named(
    directory: Directory, more: dict[str, Any], words: str
) -> None:
    with pytest.raises(ldap.DirectoryUnavailable) as error:
        await ldap.sign_in(a_connector(directory.port, **more), "ann", PASSWORD)

    assert words in str(error.value)


async def test_a_directory_that_is_down_is_unavailable() -> None:
    with pytest.raises(ldap.DirectoryUnavailable, match="refused"):
        await ldap.sign_in(a_connector(free_port()), "ann", PASSWORD)
