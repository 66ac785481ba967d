"""A link to the gateway that signs a user in, once and within a minute."""

from typing import NamedTuple
from urllib.parse import urlencode

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.settings import Settings, data_dir_at
from windlass.cli.user.directory import open_directory
from windlass.gateway.identity.emails import normalised
from windlass.gateway.identity.users import FIRST_EMAIL
from windlass.gateway.login.links import SignInLinks
from windlass.supervisor import run_state


class SignInLink(NamedTuple):
    origin: str
    """The gateway's address."""
    email: str
    url: str


def make_sign_in_link(settings: Settings, email: str = "", target: str = "") -> SignInLink:
    """For the given user, else the first one, to the page at `target`; a `Failure` if no gateway runs."""
    data = data_dir_at(settings.data_dir)
    now = run_state.running(data)
    if now is None or not now.gateway_url:
        raise Failure(f"no gateway runs on {screen.short_path(data.root)}. Start it: windlass up")
    with open_directory(settings) as directory:
        users = directory.users
        first = users.find(FIRST_EMAIL) or next(iter(users.all()), None)
        chosen = users.find(normalised(email)) if email else first
        if chosen is None:
            raise Failure(f"there is no user {email}. See: windlass user list")
        token = SignInLinks(directory.database).create(chosen.email)
    query = urlencode({"token": token} | ({"rd": target} if target else {}))
    return SignInLink(now.gateway_url, chosen.email, f"{now.gateway_url}/oauth2/link?{query}")
