"""The program that holds a pod's namespaces: an image of one file, built here, so that none has to be pulled."""

import io
import platform
import struct
import tarfile

IMAGE = "localhost/windlass-pause:1"

# Sleep for good: pause() in a loop, and where there is no such call, ppoll() of nothing.
_PROGRAMS = {
    "x86_64": (62, bytes.fromhex("b822000000 0f05 ebf7")),
    "aarch64": (
        183,
        struct.pack("<7I", 0xD2800928, 0xD2800000, 0xD2800001, 0xD2800002, 0xD2800003, 0xD4000001, 0x17FFFFFA),
    ),
}
_BASE, _HEADERS = 0x400000, 64 + 56


class NoProgram(Exception):
    """There is no program for this machine's architecture."""


def program(machine: str) -> bytes:
    """Build a static executable: a header, one segment, the code."""
    if machine not in _PROGRAMS:
        raise NoProgram(f"podman and docker can hold pods on {' and '.join(_PROGRAMS)} only, and this is {machine}")
    kind, code = _PROGRAMS[machine]
    size = _HEADERS + len(code)
    identity = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header = identity + struct.pack("<HHIQQQIHHHHHH", 2, kind, 1, _BASE + _HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, _BASE, _BASE, size, size, 0x1000)
    return header + segment + code


def image_archive(machine: str = "") -> bytes:
    """Build the image's archive for an import. Raises NoProgram."""
    content, archive = program(machine or platform.machine()), io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        entry = tarfile.TarInfo("pause")
        entry.size, entry.mode = len(content), 0o755
        tar.addfile(entry, io.BytesIO(content))
    return archive.getvalue()
