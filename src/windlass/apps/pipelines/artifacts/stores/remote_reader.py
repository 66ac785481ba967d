"""Reads an object of a store as a file, in parts. Imports obstore, so import this module only for a remote URI."""

import io
from typing import TYPE_CHECKING

import obstore

from windlass.apps.pipelines.artifacts.reader import Content
from windlass.apps.pipelines.artifacts.stores.remote_transfers import Access
from windlass.apps.pipelines.artifacts.stores.store_client import CLIENT_ERRORS, reason_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

PART = 4 << 20
"""Bytes that one request asks for."""


def open_object(access: Access) -> Content | None:
    """Waits for the store, as reading the content does. Raises errors of obstore."""
    try:
        file = obstore.open_reader(access.client, access.key, buffer_size=PART)
    except FileNotFoundError:
        return None
    return Content("file", file.size, io.BufferedReader(ObjectFile(file), PART))


class ObjectFile(io.RawIOBase):
    """The reader of obstore as a file of Python."""

    def __init__(self, file: "obstore.ReadableFile") -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Raises OSError if the store fails."""
        target = memoryview(buffer).cast("B")
        try:
            content = memoryview(self._file.read(len(target)))
        except CLIENT_ERRORS as error:
            raise OSError(reason_of(error)) from error
        target[: len(content)] = content
        return len(content)
