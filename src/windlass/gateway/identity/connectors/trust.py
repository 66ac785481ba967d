"""Certificate authorities that a connector trusts for its server, instead of the machine's."""

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

_PEM = "-----BEGIN CERTIFICATE-----"


@dataclass(frozen=True)
class Trust:
    """Files and PEM text of certificate authorities; without either the machine's own are trusted."""

    files: tuple[str, ...] = ()
    certificates: str = ""

    def context(self) -> "ssl.SSLContext":
        """For a client that verifies the server's certificate and host. Raises OSError for what cannot be read."""
        import ssl

        if not self.files and not self.certificates:
            return ssl.create_default_context()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for file in self.files:
            context.load_verify_locations(cafile=file)
        if self.certificates:
            context.load_verify_locations(cadata=self.certificates)
        return context


MACHINE_TRUST = Trust()


def decoded_certificates(text: str) -> str | None:
    """PEM of a text that is PEM or base64 of it, as dex's `rootCAData` is; None for anything else."""
    if _PEM in text:
        return text
    try:
        pem = base64.b64decode(text, validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return None
    return pem if _PEM in pem else None
