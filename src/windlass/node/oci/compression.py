# pyright: strict
"""Opens the layer of an image: a tar archive, plain or compressed by gzip or zstd."""

import gzip
import importlib
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from windlass.node.images.image import PullFailed

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@contextmanager
def opened(path: Path) -> Generator[IO[bytes]]:
    """Open a layer by its first bytes: media types of some tools do not match their layers. Raises PullFailed."""
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        if start.startswith(_GZIP):
            plain, broken = cast(IO[bytes], gzip.GzipFile(fileobj=file)), (EOFError, zlib.error, gzip.BadGzipFile)
        elif start == _ZSTD:
            zstd = _zstd()
            plain, broken = cast(IO[bytes], zstd.ZstdFile(file, "rb")), (EOFError, zstd.ZstdError)
        else:
            plain, broken = file, (EOFError,)
        try:
            with plain:
                yield plain
        except broken as error:
            raise PullFailed(f"the layer {path.name} is damaged: {error}") from error


def _zstd() -> Any:
    for name in ("compression.zstd", "backports.zstd"):  # part of Python since 3.14
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise PullFailed("a layer is compressed by zstd, which this Python cannot read: pip install 'windlass[zstd]'")
