"""Signing in as a browser does, with requests: redirects are followed, cookies kept."""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

import requests

from tests.gateway.platform import Platform

FORM = re.compile(r'<form method="post" action="([^"]+)">')


@dataclass
class Browser:
    url: str
    session: requests.Session = field(default_factory=requests.Session)

    def get(self, path: str, **more: Any) -> requests.Response:
        return self.session.get(urljoin(self.url, path), timeout=60, **more)

    def post(self, path: str, **more: Any) -> requests.Response:
        return self.session.post(urljoin(self.url, path), timeout=60, **more)

    def login_page(self, path: str = "/") -> requests.Response:
        page = self.get(path)
        assert page.url.startswith(f"{self.url}/dex/auth/local/login?back=&state="), page.url
        return page

    def sign_in(self, email: str, password: str, path: str = "/") -> requests.Response:
        """Until where the sign-in leads to."""
        page = self.login_page(path)
        return self.post(page.url, data={"login": email, "password": password})

    @property
    def cookies(self) -> dict[str, str]:
        return {cookie.name: cookie.value or "" for cookie in self.session.cookies}


@dataclass
class Person:
    email: str
    password: str


def a_person(platform: Platform, email: str, *groups: str) -> Person:
    """A new user of the running platform."""
    flags = [word for group in groups for word in ("--group", group)]
    password = f"secret of {email}"
    done = platform.windlass("user", "add", email, "--password-stdin", *flags, stdin=password + "\n")
    assert done.returncode == 0, done.stderr
    return Person(email, password)


def signed_in(platform: Platform, person: Person) -> Browser:
    browser = Browser(platform.url)
    answer = browser.sign_in(person.email, person.password)
    assert answer.status_code == 200, answer.text
    return browser
