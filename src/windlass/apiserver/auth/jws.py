"""Signed tokens of our own: compact JWS with ES256 and no other algorithm, so none can be smuggled in.

`cryptography` is imported on the first signature or check: a server that nobody asks for a service account token does
not pay for it.
"""

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.kube.json import Object, decode, encode, is_object

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey

HALF = 32
"""Bytes of each of the two numbers in a P-256 signature."""


class BadToken(ValueError):
    """A token that is not what it says it is; the message may be shown to whoever sent it."""


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str | bytes) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    try:
        return base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise BadToken("the token is not base64url") from error


def split(token: str) -> tuple[Object, Object]:
    """(header, claims) without checking the signature: to find out whose token it claims to be."""
    parts = token.split(".")
    if len(parts) != 3:
        raise BadToken("the token does not have three parts")
    return _part(parts[0]), _part(parts[1])


def _part(text: str) -> Object:
    try:
        found = decode(unb64(text))
    except ValueError as error:
        raise BadToken("the token is not JSON") from error
    if not is_object(found):
        raise BadToken("the token is not a JSON object")
    return found


class SigningKey:
    """The key pair that service account tokens are signed with, read from a PEM file when first needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._private: EllipticCurvePrivateKey | None = None
        self._public: EllipticCurvePublicKey | None = None
        self._id = ""

    def load(self) -> None:
        """Read the key now; callers need not, but a server may do it in a thread before the first token."""
        if self._private is not None:
            return
        from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        key = load_pem_private_key(self.path.read_bytes(), None)
        if not isinstance(key, EllipticCurvePrivateKey) or not isinstance(key.curve, SECP256R1):
            raise ValueError(f"{self.path} is not a P-256 private key")
        self._public = key.public_key()
        self._id = b64(hashlib.sha256(_spki(self._public)).digest())
        self._private = key

    @property
    def key_id(self) -> str:
        self.load()
        return self._id

    def sign(self, claims: Object) -> str:
        from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
        from cryptography.hazmat.primitives.hashes import SHA256

        self.load()
        assert self._private is not None
        head = encode({"alg": "ES256", "kid": self._id})
        signed = f"{b64(head)}.{b64(encode(claims))}"
        r, s = decode_dss_signature(self._private.sign(signed.encode(), ECDSA(SHA256())))
        return f"{signed}.{b64(r.to_bytes(HALF, 'big') + s.to_bytes(HALF, 'big'))}"

    def verify(self, token: str) -> Object:
        """The claims of a token that this key signed; BadToken for any other."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
        from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
        from cryptography.hazmat.primitives.hashes import SHA256

        header, claims = split(token)
        if header.get("alg") != "ES256":
            raise BadToken("the token is not signed with ES256")
        signed, _, tail = token.rpartition(".")
        signature = unb64(tail)
        if len(signature) != 2 * HALF:
            raise BadToken("the token's signature has the wrong length")
        self.load()
        assert self._public is not None
        r, s = int.from_bytes(signature[:HALF], "big"), int.from_bytes(signature[HALF:], "big")
        try:
            self._public.verify(encode_dss_signature(r, s), signed.encode(), ECDSA(SHA256()))
        except InvalidSignature as error:
            raise BadToken("the token's signature is wrong") from error
        return claims

    def jwk(self) -> Object:
        """The public half, as a JSON Web Key."""
        self.load()
        assert self._public is not None
        numbers = self._public.public_numbers()
        return {
            "use": "sig",
            "kty": "EC",
            "kid": self._id,
            "crv": "P-256",
            "alg": "ES256",
            "x": b64(numbers.x.to_bytes(HALF, "big")),
            "y": b64(numbers.y.to_bytes(HALF, "big")),
        }


def _spki(key: "EllipticCurvePublicKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
