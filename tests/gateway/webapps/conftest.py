"""One editor of one namespace for the tests of the web apps, and a user without rights there."""

import pytest

from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import make_namespace, serve_kinds

NAMESPACE = "web-apps"


@pytest.fixture(scope="session")
def editor(platform: Platform) -> Person:
    """May use the web apps in the namespace `web-apps`."""
    person = a_person(platform, "web-apps-editor@example.com")
    serve_kinds(platform)
    make_namespace(platform, NAMESPACE, person)
    return person


@pytest.fixture(scope="session")
def stranger(platform: Platform) -> Person:
    return a_person(platform, "web-apps-stranger@example.com")
