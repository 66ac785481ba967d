"""A webhook for tests: a real HTTPS server on loopback, in a thread, whose answers the test decides."""

import asyncio
import base64
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests import loops

Answer = Callable[[Any], Any]
"""From a decoded review to the decoded answer."""


def write_certificate(folder: Path, *names: str) -> tuple[Path, bytes]:
    """A self-signed certificate for 127.0.0.1 and `names`: key and certificate in one file, and the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webhook")])
    now = datetime.now(UTC)
    known_as = [x509.IPAddress(IPv4Address("127.0.0.1")), *map(x509.DNSName, names)]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(known_as), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "webhook.pem"
    path.write_bytes(private + pem)
    return path, pem


class WebhookServer:
    """Answers each path as the test says; `reviews` are those it was sent, in order."""

    def __init__(self, folder: Path, *names: str) -> None:
        self._file, pem = write_certificate(folder, *names)
        self._answers: dict[str, Answer] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._runner: web.AppRunner
        self.bundle = base64.b64encode(pem).decode()
        self.port = 0
        self.reviews: list[Any] = []

    def on(self, path: str, answer: Answer) -> dict[str, str]:
        """Answer this path from now on; the clientConfig that leads there."""
        self._answers[path] = answer
        return {"url": f"https://127.0.0.1:{self.port}{path}", "caBundle": self.bundle}

    def reviews_at(self, path: str) -> list[Any]:
        return [review for at, review in self.reviews if at == path]

    async def _handle(self, request: web.Request) -> web.Response:
        review = await request.json()
        self.reviews.append((request.path, review))
        answer = await asyncio.to_thread(self._answers[request.path], review)
        return answer if isinstance(answer, web.Response) else web.json_response(answer)

    async def _listen(self) -> None:
        app = web.Application(client_max_size=8 << 20)
        app.router.add_post("/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self._file)
        site = web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=context)
        await site.start()
        self.port = self._runner.addresses[0][1]

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(60)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        loops.close(self._loop)


@contextmanager
def serving(folder: Path, *names: str) -> Iterator[WebhookServer]:
    server = WebhookServer(folder, *names)
    server.start()
    try:
        yield server
    finally:
        server.stop()
