"""Who a bearer token stands for: a personal access token, an ID token of this issuer, or a service account's token."""

import base64
import binascii
import hashlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from windlass.apis.proxied_identity import AUDIENCE, TOKEN_PREFIX
from windlass.gateway.identity.clients import OWN_CLIENT
from windlass.gateway.identity.signing_keys import BadToken, SigningKeys
from windlass.gateway.identity.users import Users
from windlass.gateway.request import Identity
from windlass.gateway.tokens.access_tokens import PREFIX, AccessTokens
from windlass.kube.json import parse

if TYPE_CHECKING:
    from windlass.kube.client import Client

ACCOUNT_PREFIX = "system:serviceaccount:"
PIPELINES_PREFIXES = (
    "/pipeline/",
    "/ml_metadata.",
    *(f"{root}/{version}/" for root in ("/apis", "//apis") for version in ("v2beta1", "v1beta1", "v1alpha1")),
)
REVIEW_LIFE = timedelta(seconds=10)  # for which an answer of the API server counts
MAX_REVIEWS = 1000
LONGEST_TOKEN = 16_384


class BearerTokens:
    def __init__(
        self, users: Users, keys: SigningKeys, access_tokens: AccessTokens, client: "Client", issuer: str
    ) -> None:
        self._users, self._keys, self._access_tokens = users, keys, access_tokens
        self._client, self._issuer = client, issuer
        self._reviews: dict[tuple[bytes, Sequence[str]], tuple[Identity | None, float]] = {}

    async def identity(self, token: str, path: str) -> Identity | None:
        """The identity at the gateway for a request of `path`; None for a token that is not accepted.

        Raises windlass.kube.errors.ApiError when the API server must be asked and cannot be.
        """
        known = self.of_person(token, "gateway")
        if known is not None or token.startswith(PREFIX) or issuer_of(token) == self._issuer:
            return known
        found = await self._reviewed(token, ())
        if found is None and path.startswith(PIPELINES_PREFIXES):
            found = await self._reviewed(token, (AUDIENCE,))
        return found

    def of_person(self, token: str, scope: str) -> Identity | None:
        """The person of an access token with `scope`, or of an ID token; None for any other token."""
        if len(token) > LONGEST_TOKEN:
            return None
        if token.startswith(PREFIX):
            found = self._access_tokens.find(token)
            if found is None or scope not in found.scopes:
                return None
            person = self._person(found.email, "access-token")
            return person and replace(person, token=found.digest)
        if issuer_of(token) != self._issuer:
            return None
        try:
            claims = self._keys.verify(token, OWN_CLIENT)
        except BadToken:
            return None
        person = self._person(str(claims.get("email") or ""), "id-token")
        return person and replace(person, ends=end_of(claims))

    def _person(self, email: str, proof: Any) -> Identity | None:
        """With the groups of now: they may have changed since the token was made."""
        user = self._users.find(email)
        return None if user is None else Identity(user.email, user.groups, proof)

    async def _reviewed(self, token: str, audiences: Sequence[str]) -> Identity | None:
        key = (hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest(), audiences)
        cached = self._reviews.get(key)
        if cached is not None and time.monotonic() < cached[1]:
            return cached[0]
        identity = await self._review(token, audiences)
        if len(self._reviews) >= MAX_REVIEWS:
            self._reviews.clear()
        self._reviews[key] = (identity, time.monotonic() + REVIEW_LIFE.total_seconds())
        return identity

    async def _review(self, token: str, audiences: Sequence[str]) -> Identity | None:
        from windlass.kube.json import decode, dig, dig_list, encode
        from windlass.kube.transport import Request

        review = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "spec": {"token": token, **({"audiences": list(audiences)} if audiences else {})},
        }
        path = "/apis/authentication.k8s.io/v1/tokenreviews"
        answer = decode((await self._client.send(Request("POST", path, {}, encode(review)))).body)
        name = str(dig(answer, "status", "user", "username") or "")
        if dig(answer, "status", "authenticated") is not True:
            return None
        if token.startswith(TOKEN_PREFIX) and not name.startswith(ACCOUNT_PREFIX):
            return self._person(name, "access-token")  # whose request the API server proxies
        if not name.startswith(ACCOUNT_PREFIX):
            return None
        groups = tuple(str(group) for group in dig_list(answer, "status", "user", "groups"))
        return Identity(name, groups, "service-account", ends=end_of(claims_of(token)))


def end_of(claims: Mapping[str, Any]) -> float:
    """When a verified token expires; never where it does not say so."""
    expires = claims.get("exp")
    return float(expires) if isinstance(expires, int | float) else math.inf


def issuer_of(token: str) -> str:
    """The `iss` that an unverified JWT carries; empty if it is none."""
    return str(claims_of(token).get("iss") or "")


def claims_of(token: str) -> dict[str, Any]:
    """The claims of an unverified JWT; empty if it is none."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        claims: Any = parse(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError):
        return {}
    return cast(dict[str, Any], claims) if isinstance(claims, dict) else {}
