"""Filters for an LDAP directory, and users of its entries."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import binary, text
from ldap3.operation.search import MATCH_EQUAL, parse_filter
from ldap3.protocol.convert import prepare_filter_for_sending

from windlass.gateway.identity.connectors.connector import LdapConnector, LdapSearch
from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.connectors.directory_entries import DirectoryEntry, filter_of, folded, user_of

PEOPLE = LdapSearch("ou=people,dc=example,dc=com", "(objectClass=person)")


def parsed(filter: str) -> Any:
    return parse_filter(filter, None, False, True, None, False).elements[0]


@given(text() | text(alphabet="()*\\&|!=\x00ab \u00ad"))
def test_no_name_changes_the_filter(login: str) -> None:
    value = login.encode("utf-8", "replace")
    both = parsed(filter_of(PEOPLE, "uid", value))

    assert [(node.tag, node.assertion["attr"]) for node in both.elements] == [
        (MATCH_EQUAL, "objectClass"),
        (MATCH_EQUAL, "uid"),
    ]
    assert prepare_filter_for_sending(both.elements[1].assertion["value"]) == value


@given(binary())
def test_any_octets_can_be_looked_for(value: bytes) -> None:
    node = parsed(filter_of(LdapSearch("dc=com"), "member", value))

    assert (node.tag, node.assertion["attr"]) == (MATCH_EQUAL, "member")
    assert prepare_filter_for_sending(node.assertion["value"]) == value


@pytest.mark.parametrize("spelling", ["Ann", "ANN", " ann ", "a\u00adnn", "\uff41nn", "ann\u200b"])
def test_spellings_that_a_directory_takes_for_the_same_name_are_throttled_together(spelling: str) -> None:
    assert folded(spelling) == "ann"


def a_connector(**more: Any) -> LdapConnector:
    return LdapConnector(
        id="company", name="Company", host="ldap", port=636, users=PEOPLE, login_attribute="uid", **more
    )


def an_entry(**attributes: bytes) -> DirectoryEntry:
    return DirectoryEntry("uid=ann", {name: (value,) for name, value in attributes.items()})


def test_names_of_attributes_are_the_same_in_any_case() -> None:
    user = user_of(a_connector(email_attribute="MAIL"), an_entry(uid=b"ann", mail=b"ann@example.com"), ())

    assert (user.email, user.username) == ("ann@example.com", "ann")


def test_an_id_that_is_no_text_is_hexadecimal() -> None:
    entry = an_entry(objectguid=b"\xff\x00", mail=b"ann@example.com")

    assert user_of(a_connector(id_attribute="objectGUID"), entry, ()).user_id == "ff00"


def test_groups_of_kubernetes_and_repeated_ones_are_left_out() -> None:
    entry = an_entry(uid=b"ann", mail=b"ann@example.com")

    assert user_of(a_connector(), entry, ["ops", "system:masters", "ops", "a,b"]).groups == ("ops",)


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"mail": b"ann@example.com"}, "has no uid"),
        ({"uid": b"ann", "mail": b"no address"}, "not of the form name@domain"),
        ({"uid": b"ann", "mail": b"\xff@example.com"}, "e-mail address"),
    ],
)
def test_an_entry_that_names_nobody_is_refused(attributes: dict[str, bytes], why: str) -> None:
    with pytest.raises(ConnectorFailed, match=why):
        user_of(a_connector(), an_entry(**attributes), ())
