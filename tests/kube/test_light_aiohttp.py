"""aiohttp without the system's authorities until somebody needs them."""

import ssl
import subprocess
import sys

from windlass.kube.light_aiohttp import default_context

SCRIPT = """
import ssl
from windlass.kube.light_aiohttp import LateAuthorities, import_aiohttp
usual = ssl.create_default_context
import_aiohttp()
assert ssl.create_default_context is usual
import aiohttp.connector
context = aiohttp.connector._SSL_CONTEXT_VERIFIED
print(type(context).__name__, context.cert_store_stats()["x509"])
"""


def test_an_import_reads_no_authorities() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["LateAuthorities", "0"]


def test_it_verifies_as_the_default_context_does() -> None:
    late, usual = default_context(), ssl.create_default_context()

    assert (late.verify_mode, late.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert (late.verify_flags, late.options) == (usual.verify_flags, usual.options)
    assert (late.minimum_version, late.maximum_version) == (usual.minimum_version, usual.maximum_version)


def test_the_authorities_are_there_before_the_first_handshake() -> None:
    late, usual = default_context(), ssl.create_default_context()

    late.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="example.com")

    assert late.cert_store_stats() == usual.cert_store_stats()
