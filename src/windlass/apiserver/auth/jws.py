"""Signed tokens of this server: compact JWS with ES256, and no other algorithm is accepted.

PyJWT and `cryptography` are imported on the first signature or verification: a server without service account tokens
does not need them. The authenticator caches verified tokens, so verification is not on the path of every request.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.kube.json import Object, encode, is_object, parse

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
    from jwt import PyJWS

ALGORITHM = "ES256"


class BadToken(ValueError):
    """An invalid token; the message may be returned to the client."""


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str | bytes) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    try:
        return base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise BadToken("the token is not base64url") from error


def split(token: str) -> tuple[Object, Object]:
    """Return (header, claims) without verifying the signature, to find out the issuer."""
    parts = token.split(".")
    if len(parts) != 3:
        raise BadToken("the token does not have three parts")
    unb64(parts[2])  # PyJWT ignores characters outside of the alphabet
    return _part(parts[0]), _part(parts[1])


def _part(text: str) -> Object:
    try:
        value = parse(unb64(text))
    except ValueError as error:
        raise BadToken("the token is not JSON") from error
    if not is_object(value):
        raise BadToken("the token is not a JSON object")
    return value


@cache
def _jws() -> "PyJWS":
    from jwt import PyJWS

    return PyJWS(algorithms=[ALGORITHM])


class SigningKey:
    """The key pair of service account tokens, read from a PEM file on first use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._private: EllipticCurvePrivateKey | None = None
        self._public: EllipticCurvePublicKey | None = None
        self._id = ""

    def load(self) -> None:
        """Read the key. Optional: a server may do it in a thread before the first token."""
        if self._private is not None:
            return
        from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        key = load_pem_private_key(self.path.read_bytes(), None)
        if not isinstance(key, EllipticCurvePrivateKey) or not isinstance(key.curve, SECP256R1):
            raise ValueError(f"{self.path} is not a P-256 private key")
        _jws()
        self._public = key.public_key()
        self._id = b64(hashlib.sha256(_spki(self._public)).digest())
        self._private = key

    @property
    def key_id(self) -> str:
        self.load()
        return self._id

    def sign(self, claims: Object) -> str:
        self.load()
        assert self._private is not None
        headers = {"kid": self._id, "typ": ""}  # without a type, as in Kubernetes
        return _jws().encode(encode(claims), self._private, algorithm=ALGORITHM, headers=headers)

    def verify(self, token: str) -> Object:
        """Return the claims of a token that this key signed. Raises BadToken."""
        from jwt import InvalidAlgorithmError, InvalidSignatureError, PyJWTError

        _, claims = split(token)
        self.load()
        assert self._public is not None
        try:
            _jws().decode(token, self._public, algorithms=[ALGORITHM])
        except InvalidAlgorithmError as error:
            raise BadToken(f"the token is not signed with {ALGORITHM}") from error
        except InvalidSignatureError as error:
            raise BadToken("the token's signature is wrong") from error
        except PyJWTError as error:
            raise BadToken(f"the token cannot be verified: {error}") from error
        return claims

    def jwk(self) -> Object:
        """Return the public key as a JSON Web Key."""
        from jwt.algorithms import ECAlgorithm

        self.load()
        assert self._public is not None
        return {"use": "sig", "kid": self._id, "alg": ALGORITHM, **ECAlgorithm.to_jwk(self._public, as_dict=True)}


def _spki(key: "EllipticCurvePublicKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
