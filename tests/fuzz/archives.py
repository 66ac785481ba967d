"""Archives and messages that hold hostile content, are damaged, or grow when they are unpacked."""

import gzip
import io
import random
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from functools import cache

NAMES = (
    "pipeline.yaml",
    "a.yaml",
    "../../a.yaml",
    "/etc/a.yaml",
    "a/b/../c.yaml",
    "a.txt",
    "x" * 300 + ".yaml",
    "é.yml",
)
BOMB = 50 << 20


def zipped(content: bytes, name: str = "pipeline.yaml", *more: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members may have one name
        for member, text in ((name, content), *more):
            archive.writestr(member, text)
    return file.getvalue()


def tarred(
    content: bytes, name: str = "pipeline.yaml", *more: tuple[str, bytes], kind: bytes = tarfile.REGTYPE
) -> bytes:
    """A .tar.gz."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as archive:
        for member, text in ((name, content), *more):
            entry = tarfile.TarInfo(member)
            entry.type, entry.size = kind, len(text) if kind == tarfile.REGTYPE else 0
            entry.linkname = "" if kind == tarfile.REGTYPE else "../../../etc/passwd"
            archive.addfile(entry, io.BytesIO(text))
    return file.getvalue()


@cache
def gzip_bomb() -> bytes:
    return gzip.compress(bytes(BOMB), 1)


@cache
def _zip_bomb() -> bytes:
    return zipped(bytes(BOMB))


def archived(dice: random.Random, content: bytes) -> bytes:
    """The content in an archive of any kind, which may be damaged."""
    makers: tuple[Callable[[], bytes], ...] = (
        lambda: zipped(content),
        lambda: tarred(content),
        lambda: zipped(content, dice.choice(NAMES), (dice.choice(NAMES), content)),
        lambda: tarred(content, dice.choice(NAMES), (dice.choice(NAMES), b"x")),
        lambda: tarred(b"", "pipeline.yaml", kind=dice.choice((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE))),
        _zip_bomb,
        gzip_bomb,
        lambda: gzip.compress(content),
        lambda: zipped(zipped(content), "a.zip"),
        lambda: zipped(b"x", "a", *((f"{n}.yaml", b"a: b") for n in range(2_000))),
    )
    made = dice.choices(makers, (4, 4, 2, 2, 1, 0.3, 0.3, 1, 1, 0.5))[0]()
    return damaged(dice, made) if dice.random() < 0.3 else made


def damaged(dice: random.Random, content: bytes) -> bytes:
    if dice.random() < 0.3:
        return content[: dice.randrange(len(content) + 1)]
    changed = bytearray(content)
    for _ in range(dice.choice((1, 3, 20))):
        if changed:
            changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def protobuf(dice: random.Random) -> bytes:
    """A message whose fields nest deeply, or that is none."""
    if dice.random() < 0.4:
        return dice.randbytes(dice.randrange(2_000))
    message = dice.randbytes(dice.randrange(20))
    for _ in range(dice.choice((3, 100, 3_000))):
        message = bytes([dice.choice((0x0A, 0x12, 0x1A, 0x22))]) + varint(len(message)) + message
    return damaged(dice, message) if dice.random() < 0.3 else message


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)
