"""Login scripts as Kubeflow's users have them, in their shape: what they do must work unchanged."""

import re
from urllib.parse import urlsplit, urlunsplit

import pytest
import requests

from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform


@pytest.fixture(scope="module")
def carl(platform: Platform) -> Person:
    return a_person(platform, "carl@example.com")


def test_the_script_for_authservice(platform: Platform, carl: Person) -> None:
    """Get the host, post the form where one ended up, read the session's cookie: kfp up to Kubeflow 1.8."""
    session = requests.Session()
    response = session.get(platform.url)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    data = {"login": carl.email, "password": carl.password}
    session.post(response.url, headers=headers, data=data)
    session_cookie = session.cookies.get_dict()["authservice_session"]

    cookie = f"authservice_session={session_cookie}"
    assert requests.get(f"{platform.url}/oauth2/userinfo", headers={"Cookie": cookie}).json()["email"] == carl.email


def test_the_class_for_dex_and_oauth2_proxy(platform: Platform, carl: Person) -> None:
    """The checks of the session manager in Kubeflow's documents, for a sign-in by static password."""
    session = requests.Session()
    first = session.get(platform.url, allow_redirects=True)
    assert first.status_code == 200
    assert first.history, "a redirect means that a sign-in is needed"
    parts = urlsplit(first.url)
    if re.search(r"/auth$", parts.path):
        parts = parts._replace(path=re.sub(r"/auth$", "/auth/local", parts.path))
    if re.search(r"/auth/.*/login$", parts.path):
        login_url = urlunsplit(parts)
    else:
        login_url = session.get(urlunsplit(parts), allow_redirects=True).url
    answer = session.post(login_url, data={"login": carl.email, "password": carl.password}, allow_redirects=True)
    assert answer.status_code == 200
    assert answer.history, "no redirect means wrong credentials"
    assert not re.search(r"/approval$", urlsplit(answer.url).path)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in session.cookies)

    assert "oauth2_proxy_kubeflow=" in cookies
    assert requests.get(f"{platform.url}/oauth2/userinfo", headers={"Cookie": cookies}).json()["email"] == carl.email


def test_the_script_for_oauth2_proxy_starts_at_its_start(platform: Platform, carl: Person) -> None:
    session = requests.Session()
    response = session.get(f"{platform.url}/oauth2/start")
    session.post(response.url, data={"login": carl.email, "password": carl.password})
    cookie = session.cookies.get_dict()["oauth2_proxy_kubeflow"] or ""

    answer = requests.get(f"{platform.url}/", cookies={"oauth2_proxy_kubeflow": cookie})
    assert answer.status_code == 200
    assert not answer.history


def test_a_script_sees_that_its_password_is_wrong(platform: Platform, carl: Person) -> None:
    session = requests.Session()
    response = session.get(platform.url)
    answer = session.post(response.url, data={"login": carl.email, "password": "wrong"})

    assert not answer.history
    assert "authservice_session" not in session.cookies.get_dict()


def test_localhost_and_127_0_0_1_both_work(platform: Platform, carl: Person) -> None:
    """Redirects keep the host that was asked, so its cookies come back to it."""
    url = platform.url.replace("127.0.0.1", "localhost")
    session = requests.Session()
    response = session.get(url)
    assert response.url.startswith(url)
    answer = session.post(response.url, data={"login": carl.email, "password": carl.password})

    assert answer.url == f"{url}/"
    assert answer.status_code == 200
