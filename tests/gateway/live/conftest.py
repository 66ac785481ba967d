"""An editor of two namespaces, and a user without rights."""

import pytest

from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import make_namespace, serve_kinds

ONE, TWO = "live-one", "live-two"


@pytest.fixture(scope="session")
def follower(platform: Platform) -> Person:
    person = a_person(platform, "live-editor@example.com")
    serve_kinds(platform)
    make_namespace(platform, ONE, person)
    make_namespace(platform, TWO, person)
    return person


@pytest.fixture(scope="session")
def outsider(platform: Platform) -> Person:
    return a_person(platform, "live-outsider@example.com")
