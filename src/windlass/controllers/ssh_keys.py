"""Key pairs for ssh between the pods of a job."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyPair:
    """`private` in PEM, `public` as a line of authorized_keys."""

    private: bytes
    public: bytes


def make_keys() -> KeyPair:
    """Return a new pair, ECDSA on P-521."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP521R1())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return KeyPair(private, public + b"\n")
