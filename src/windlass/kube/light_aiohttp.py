"""Imports aiohttp without the certificates of the system's authorities.

aiohttp reads them for its default TLS context as soon as it is imported: 90 ms and 2 MB in each process, most of which
never ask a server whose certificate such an authority signed. Here that context reads them before its first handshake.
"""

import ssl
import sys
from typing import Any


class LateAuthorities(ssl.SSLContext):
    """A client's context. As long as it has no authorities it trusts nobody."""

    _has_authorities = False

    def wrap_bio(self, *args: Any, **named: Any) -> ssl.SSLObject:
        self._read_authorities()
        return super().wrap_bio(*args, **named)

    def wrap_socket(self, *args: Any, **named: Any) -> ssl.SSLSocket:
        self._read_authorities()
        return super().wrap_socket(*args, **named)

    def _read_authorities(self) -> None:
        if not self._has_authorities:
            self.load_default_certs(ssl.Purpose.SERVER_AUTH)
            self._has_authorities = True


def default_context() -> LateAuthorities:
    """Has the settings of `ssl.create_default_context()`."""
    context = LateAuthorities(ssl.PROTOCOL_TLS_CLIENT)
    if sys.version_info >= (3, 13):
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VERIFY_X509_STRICT
    return context


def import_aiohttp() -> None:
    """Has an effect only before anything else imports aiohttp."""
    usual = ssl.create_default_context

    def late(*args: Any, **named: Any) -> ssl.SSLContext:
        return usual(*args, **named) if args or named else default_context()

    ssl.create_default_context = late
    try:
        import aiohttp as aiohttp
    finally:
        ssl.create_default_context = usual
