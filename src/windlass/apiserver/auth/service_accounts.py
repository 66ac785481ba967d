"""Tokens of service accounts: issuing them, and accepting them only while the objects that they are bound to exist.

Two forms, as in Kubernetes: tokens with an audience and an expiry (TokenRequest, projected volumes), bound to the
service account and perhaps to a Pod, Secret or Node; and legacy tokens in a Secret of type
`kubernetes.io/service-account-token`, which last as long as the Secret.
"""

import base64
import hmac
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from windlass.apiserver.auth.jws import BadToken, SigningKey
from windlass.apiserver.auth.user import (
    User,
    authenticated,
    extra_of,
    service_account_groups,
    service_account_name,
)
from windlass.kube.json import Object, dig, dig_object, is_list, timestamp

ISSUER = "https://kubernetes.default.svc.cluster.local"
LEGACY_ISSUER = "kubernetes/serviceaccount"
LEEWAY_SECONDS = 10
"""How far another process' clock may be behind when it checks `nbf` and `iat`."""

Get = Callable[[str, str, str], Object | None]
"""`get(resource, namespace, name)` returns the live object, as in get("serviceaccounts", "default", "builder")."""

BOUND_RESOURCES = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}


class BoundObject(msgspec.Struct, frozen=True):
    """An object whose deletion revokes the token, in addition to its service account."""

    kind: str
    name: str
    uid: str


class Verified(msgspec.Struct, frozen=True):
    """A valid token: its user, its audiences and its expiry (seconds since 1970; None without expiry)."""

    user: User
    audiences: tuple[str, ...]
    expires: float | None


class ServiceAccountTokens:
    """Issues and verifies the tokens of a server's service accounts."""

    def __init__(
        self,
        key: SigningKey,
        get: Get,
        *,
        issuer: str = ISSUER,
        audiences: Sequence[str] = (),
        now: Callable[[], float] = time.time,
    ) -> None:
        self.key = key
        self.issuer = issuer
        self.audiences = tuple(audiences) or (issuer,)
        self._get = get
        self._now = now

    def issue(
        self,
        namespace: str,
        name: str,
        uid: str,
        audiences: Iterable[str] = (),
        expiration_seconds: int = 3600,
        bound_object: BoundObject | None = None,
        node: BoundObject | None = None,
    ) -> tuple[str, str]:
        """Return (token, expirationTimestamp). `node` is that of a bound pod: an informative claim, not verified."""
        now = int(self._now())
        expires = now + expiration_seconds
        about: Object = {"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}}
        for bound in (bound_object, node):
            if bound is not None:
                about[bound.kind.lower()] = {"name": bound.name, "uid": bound.uid}
        claims: Object = {
            "aud": list(audiences) or list(self.audiences),
            "exp": expires,
            "iat": now,
            "iss": self.issuer,
            "jti": str(uuid.uuid4()),
            "kubernetes.io": about,
            "nbf": now,
            "sub": service_account_name(namespace, name),
        }
        return self.key.sign(claims), timestamp(datetime.fromtimestamp(expires, UTC))

    def owns(self, claims: Object) -> bool:
        """Whether a token with these (unverified) claims was issued here."""
        return claims.get("iss") in (self.issuer, LEGACY_ISSUER)

    def verify(self, token: str, audiences: Sequence[str] = ()) -> Verified:
        """Return the user of a token; BadToken if invalid, expired, for another audience, or its objects are gone."""
        claims = self.key.verify(token)
        if claims.get("iss") == LEGACY_ISSUER:
            return self._verify_legacy(token, claims)
        return self._verify_bound(claims, tuple(audiences) or self.audiences)

    def _verify_bound(self, claims: Object, wanted: tuple[str, ...]) -> Verified:
        if claims.get("iss") != self.issuer:
            raise BadToken("the token is from another issuer")
        meant = claims.get("aud")
        meant_for = meant if is_list(meant) else [meant]
        agreed = tuple(audience for audience in wanted if audience in meant_for)
        if not agreed:
            raise BadToken(
                f"token audiences {_listed(meant_for)} is invalid for the target audiences {_listed(wanted)}"
            )
        expires = self._check_times(claims)
        about = dig_object(claims, "kubernetes.io")
        namespace = str(about.get("namespace") or "")
        name, uid = _reference(about, "serviceaccount")
        if claims.get("sub") != service_account_name(namespace, name):
            raise BadToken("the token's subject is not its service account")
        self._check_exists("serviceaccounts", namespace, name, uid)
        for kind, resource in BOUND_RESOURCES.items():
            bound_name, bound_uid = _reference(about, kind.lower())
            # A node beside a pod only says where the pod ran; Kubernetes does not tie the token to it either.
            if bound_name and not (kind == "Node" and "pod" in about):
                self._check_exists(resource, "" if kind == "Node" else namespace, bound_name, bound_uid)
        return Verified(self._user(namespace, name, uid, about, str(claims.get("jti") or "")), agreed, expires)

    def _check_times(self, claims: Object) -> float:
        now, expires, not_before = self._now(), claims.get("exp"), claims.get("nbf", 0)
        if not isinstance(expires, int | float):
            raise BadToken("the token has no expiry")
        if now >= expires:
            raise BadToken("service account token has expired")
        if not isinstance(not_before, int | float) or now + LEEWAY_SECONDS < not_before:
            raise BadToken("the token is not valid yet")
        return float(expires)

    def _check_exists(self, resource: str, namespace: str, name: str, uid: str) -> None:
        live = self._get(resource, namespace, name)
        if live is None or not name:
            raise BadToken(f"{resource} {name!r} of the token does not exist")
        if str(dig(live, "metadata", "uid") or "") != uid:
            raise BadToken(f"{resource} {name!r} is not the object that the token was issued for")
        if _is_long_deleted(live, self._now()):
            raise BadToken(f"{resource} {name!r} of the token was deleted")

    def _verify_legacy(self, token: str, claims: Object) -> Verified:
        prefix = "kubernetes.io/serviceaccount/"
        namespace, secret_name = str(claims.get(prefix + "namespace")), str(claims.get(prefix + "secret.name"))
        name = str(claims.get(prefix + "service-account.name"))
        uid = str(claims.get(prefix + "service-account.uid"))
        secret = self._get("secrets", namespace, secret_name)
        kept = str(dig(secret, "data", "token") or "")
        if secret is None or dig(secret, "metadata", "deletionTimestamp"):
            raise BadToken("Token has been invalidated")
        if not hmac.compare_digest(kept.encode(), base64.b64encode(token.encode())):
            raise BadToken("Token does not match server's copy")
        self._check_exists("serviceaccounts", namespace, name, uid)
        return Verified(self._user(namespace, name, uid, {}, ""), self.audiences, None)

    def _user(self, namespace: str, name: str, uid: str, about: Object, token_id: str) -> User:
        extra: dict[str, list[str]] = {}
        if token_id:
            extra["authentication.kubernetes.io/credential-id"] = [f"JTI={token_id}"]
        for kind in ("pod", "node"):
            bound_name, bound_uid = _reference(about, kind)
            if bound_name:
                extra[f"authentication.kubernetes.io/{kind}-name"] = [bound_name]
                extra[f"authentication.kubernetes.io/{kind}-uid"] = [bound_uid]
        who = service_account_name(namespace, name)
        return authenticated(who, uid, service_account_groups(namespace), extra_of(extra))

    def fill_secret(self, secret: Object, service_account: Object, ca_pem: bytes) -> bool:
        """Add missing data to a Secret of type `kubernetes.io/service-account-token`; return whether it changed."""
        meta, account = dig_object(secret, "metadata"), dig_object(service_account, "metadata")
        namespace = str(meta.get("namespace") or "")
        wanted: dict[str, bytes] = {"ca.crt": ca_pem, "namespace": namespace.encode()}
        data: Object = secret.setdefault("data", {})
        if not data.get("token"):
            prefix = "kubernetes.io/serviceaccount/"
            claims: Object = {
                "iss": LEGACY_ISSUER,
                prefix + "namespace": namespace,
                prefix + "secret.name": meta.get("name"),
                prefix + "service-account.name": account.get("name"),
                prefix + "service-account.uid": account.get("uid"),
                "sub": service_account_name(namespace, str(account.get("name"))),
            }
            wanted["token"] = self.key.sign(claims).encode()
        changes = {key: base64.b64encode(value).decode() for key, value in wanted.items()}
        changed = any(data.get(key) != value for key, value in changes.items())
        data.update(changes)
        return changed

    def discovery_document(self, server_url: str = "") -> Object:
        """The document at `/.well-known/openid-configuration`; `server_url` is set if it differs from the issuer."""
        return {
            "issuer": self.issuer,
            "jwks_uri": f"{server_url or self.issuer}/openid/v1/jwks",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        }

    def jwks(self) -> Object:
        """The document at `/openid/v1/jwks`."""
        return {"keys": [self.key.jwk()]}


def _reference(about: Object, kind: str) -> tuple[str, str]:
    found = dig_object(about, kind)
    return str(found.get("name") or ""), str(found.get("uid") or "")


def _listed(audiences: Iterable[object]) -> str:
    return "[" + ", ".join(f'"{audience}"' for audience in audiences) + "]"


def _is_long_deleted(live: Object, now: float) -> bool:
    """Whether an object was deleted over a minute ago: until then Kubernetes accepts a terminating pod's token."""
    deleted = dig(live, "metadata", "deletionTimestamp")
    if not isinstance(deleted, str):
        return False
    try:
        moment = datetime.fromisoformat(deleted.replace("Z", "+00:00"))
    except ValueError:
        return True
    return moment.timestamp() + 60 < now
