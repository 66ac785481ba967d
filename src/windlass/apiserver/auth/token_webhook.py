"""Bearer tokens that another program verifies: Kubernetes' --authentication-token-webhook-config-file.

The file is a kubeconfig whose server is asked with a TokenReview; `unix://SOCKET:/PATH` names a Unix socket. Answers
are kept for the time that the flag says, so `verify` never waits: it raises `ReviewNeeded`, whose `fetch` asks.
"""

import hashlib
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.apiserver.auth.jws import BadToken
from windlass.apiserver.auth.oidc import KeysNeeded
from windlass.apiserver.auth.user import User, authenticated, extra_of
from windlass.formats import json_or_yaml
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list, dig_object, encode, parse

if TYPE_CHECKING:
    from windlass.kube.client import Client

UNIX = "unix://"
MIN_TTL_SECONDS = 1.0
TIMEOUT_SECONDS = 10.0
CACHE_LIMIT = 10_000

log = logging.getLogger(__name__)


class ReviewNeeded(KeysNeeded):
    """The token cannot be judged before `fetch` has been awaited."""

    def __init__(self, webhook: "TokenWebhook", token: str) -> None:
        Exception.__init__(self, "the token must be reviewed first")
        self._webhook, self._token = webhook, token

    async def fetch(self) -> None:
        await self._webhook.fetch(self._token)


class TokenWebhook:
    def __init__(self, config_file: Path, ttl_seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._config_file = config_file
        self._ttl = max(ttl_seconds, MIN_TTL_SECONDS)
        self._now = now
        self._client: Client | None = None
        self._answers: dict[bytes, tuple[User | None, float]] = {}

    def verify(self, token: str) -> User:
        """The user of a token that was reviewed a moment ago. Raises BadToken and ReviewNeeded."""
        user, until = self._answers.get(_digest(token), (None, float("-inf")))
        if self._now() >= until:
            raise ReviewNeeded(self, token)
        if user is None:
            raise BadToken("the token webhook does not know the token")
        return user

    async def fetch(self, token: str) -> None:
        """Ask about a token. Where the webhook does not answer nothing is kept, and the token is refused this time."""
        review: Object = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "spec": {"token": token},
        }
        try:
            answer = await self._post(review)
        except (ApiError, OSError, ValueError) as error:
            log.warning("the token webhook of %s does not answer: %s", self._config_file, error)
            return
        if len(self._answers) >= CACHE_LIMIT:
            self._answers.clear()
        self._answers[_digest(token)] = (user_of(answer), self._now() + self._ttl)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _post(self, review: Object) -> Object:
        from windlass.kube.transport import Request

        if self._client is None:
            self._client = await _connect(self._config_file)
        answer = await self._client.send(Request("POST", "", {}, encode(review), timeout=TIMEOUT_SECONDS))
        return parse(answer.body)


def user_of(review: Object) -> User | None:
    """Whom a review names; None if it does not accept the token."""
    name = dig(review, "status", "user", "username")
    if dig(review, "status", "authenticated") is not True or not isinstance(name, str) or not name:
        return None
    groups = [str(group) for group in dig_list(review, "status", "user", "groups")]
    extra = {
        key: [str(value) for value in values] for key, values in dig_object(review, "status", "user", "extra").items()
    }
    return authenticated(name, str(dig(review, "status", "user", "uid") or ""), groups, extra_of(extra))


async def _connect(config_file: Path) -> "Client":
    from windlass.kube.client import Client
    from windlass.kube.connect import by_kubeconfig
    from windlass.kube.transport import HttpTransport

    config: Object = json_or_yaml.parse(config_file.read_text())  # noqa: ASYNC240 - a small file, read once
    server = str(dig(dig_list(config, "clusters")[0], "cluster", "server") or "")
    if not server.startswith(UNIX):
        return await by_kubeconfig(config_file)
    socket, _, path = server.removeprefix(UNIX).rpartition(":")
    return Client(HttpTransport(f"http://webhook{path}", socket=Path(socket)))


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
