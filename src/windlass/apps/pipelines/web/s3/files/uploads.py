"""Multipart uploads: a folder each, with a file for every part, until they become one object. Call in threads.

A part is `<number>.<MD5>`, so that its name is all that has to be known of it.
"""

import os
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from itertools import pairwise
from typing import NamedTuple

import msgspec

from windlass.apps.pipelines.web.s3.files.records import HIDDEN, MAX_RECORD_BYTES, ObjectInfo, Record
from windlass.apps.pipelines.web.s3.files.store import StagedFile, Store
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.formats.volume_files import list_folder, move_file, open_file, read_file, remove_tree, write_file

UPLOADS = f"{HIDDEN}/uploads"
MAX_PARTS = 10_000
MIN_PART_BYTES = 5 << 20
KEPT_SECONDS = 7 * 24 * 3600
_ID = re.compile(r"[0-9a-f]{32}")
_PART = re.compile(r"([0-9]{5})\.([0-9a-f]{32})")


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    started: float
    headers: dict[str, str] = {}


class Part(NamedTuple):
    number: int
    etag: str
    size: int
    modified: float


_decoder = msgspec.json.Decoder(Upload)


@dataclass(frozen=True)
class Uploads:
    store: Store

    def create(self, bucket: str, key: str, headers: Mapping[str, str]) -> str:
        """Start an upload; answers its id."""
        self.store.require_bucket(bucket)
        upload_id = secrets.token_hex(16)
        upload = Upload(key=key, started=time.time(), headers=dict(headers))
        write_file(self.store.root, f"{_folder(bucket, upload_id)}/upload", msgspec.json.encode(upload))
        return upload_id

    def get(self, bucket: str, key: str, upload_id: str) -> Upload:
        """Raises S3Error NoSuchUpload."""
        upload = self._read(bucket, upload_id) if _ID.fullmatch(upload_id) else None
        if upload is None or upload.key != key:
            raise S3Error("NoSuchUpload", "The upload does not exist: it may have been completed or aborted.")
        return upload

    def _read(self, bucket: str, upload_id: str) -> Upload | None:
        content = read_file(self.store.root, f"{_folder(bucket, upload_id)}/upload", MAX_RECORD_BYTES)
        try:
            return _decoder.decode(content) if content is not None else None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None

    def all(self, bucket: str) -> list[tuple[str, Upload]]:
        """Return uploads with their ids, by key and id."""
        self.store.require_bucket(bucket)
        names = [name for name, _ in list_folder(self.store.root, f"{UPLOADS}/{bucket}") or [] if _ID.fullmatch(name)]
        uploads = [(name, upload) for name in names if (upload := self._read(bucket, name)) is not None]
        return sorted(uploads, key=lambda item: (item[1].key, item[0]))

    def add_part(self, bucket: str, key: str, upload_id: str, number: int, file: StagedFile, etag: str) -> None:
        """Make a staged file a part, in place of an earlier one of this number."""
        self.get(bucket, key, upload_id)
        file.close()
        folder, name = _folder(bucket, upload_id), f"{number:05}.{etag}"
        for part in self._names(bucket, upload_id):
            if part.startswith(f"{number:05}.") and part != name:
                remove_tree(self.store.root, f"{folder}/{part}")
        move_file(self.store.root, file.path, f"{folder}/{name}")

    def parts(self, bucket: str, key: str, upload_id: str) -> list[Part]:
        """Return the parts by number."""
        self.get(bucket, key, upload_id)
        found: list[Part] = []
        for name in sorted(self._names(bucket, upload_id)):
            descriptor = open_file(self.store.root, f"{_folder(bucket, upload_id)}/{name}")
            if descriptor is not None:
                status = os.fstat(descriptor)
                os.close(descriptor)
                found.append(Part(int(name[:5]), name[6:], status.st_size, status.st_mtime))
        return found

    def _names(self, bucket: str, upload_id: str) -> list[str]:
        listed = list_folder(self.store.root, _folder(bucket, upload_id)) or []
        return [name for name, is_folder in listed if not is_folder and _PART.fullmatch(name)]

    def complete(
        self,
        bucket: str,
        key: str,
        upload_id: str,
        wanted: Sequence[tuple[int, str]],
        check: Callable[[str | None], None],
    ) -> ObjectInfo:
        """Make one object of the parts, given by number and ETag, and end the upload."""
        upload = self.get(bucket, key, upload_id)
        chosen = chosen_parts(wanted, self.parts(bucket, key, upload_id))
        digests = b"".join(bytes.fromhex(part.etag) for part in chosen)
        etag = f"{md5(digests, usedforsecurity=False).hexdigest()}-{len(chosen)}"
        file = self.store.stage()
        try:
            for part in chosen:
                self._append(file, bucket, upload_id, part)
            info = self.store.place(bucket, key, file, Record(etag=etag, headers=upload.headers), check)
        finally:
            file.discard()
        remove_tree(self.store.root, _folder(bucket, upload_id))
        return info

    def _append(self, file: StagedFile, bucket: str, upload_id: str, part: Part) -> None:
        descriptor = open_file(self.store.root, f"{_folder(bucket, upload_id)}/{part.number:05}.{part.etag}")
        if descriptor is None:
            raise invalid_part(part.number)
        try:
            if file.copy_from(descriptor, 0, part.size) != part.etag:
                raise invalid_part(part.number)
        finally:
            os.close(descriptor)

    def abort(self, bucket: str, key: str, upload_id: str) -> None:
        self.get(bucket, key, upload_id)
        remove_tree(self.store.root, _folder(bucket, upload_id))

    def sweep(self) -> None:
        """Remove uploads that nobody has completed in time."""
        oldest = time.time() - KEPT_SECONDS
        for bucket, _ in list_folder(self.store.root, UPLOADS) or []:
            for name, _ in list_folder(self.store.root, f"{UPLOADS}/{bucket}") or []:
                upload = self._read(bucket, name)
                if upload is None or upload.started < oldest:
                    remove_tree(self.store.root, f"{UPLOADS}/{bucket}/{name}")


def chosen_parts(wanted: Sequence[tuple[int, str]], present: Sequence[Part]) -> list[Part]:
    """Return the parts of an object in order. Raises S3Error for a part that is missing, too small or out of order."""
    if not wanted:
        raise S3Error("MalformedXML", "The upload needs at least one part.")
    numbers = [number for number, _ in wanted]
    if any(first >= second for first, second in pairwise(numbers)):
        raise S3Error("InvalidPartOrder", "The parts must be in ascending order of their numbers.")
    by_number = {part.number: part for part in present}
    chosen: list[Part] = []
    for number, etag in wanted:
        part = by_number.get(number)
        if part is None or part.etag != etag.strip().strip('"').lower():
            raise invalid_part(number)
        chosen.append(part)
    if any(part.size < MIN_PART_BYTES for part in chosen[:-1]):
        raise S3Error("EntityTooSmall", f"All parts but the last have at least {MIN_PART_BYTES} bytes.")
    return chosen


def invalid_part(number: int) -> S3Error:
    return S3Error("InvalidPart", f"Part {number} was not uploaded, or has another ETag.")


def _folder(bucket: str, upload_id: str) -> str:
    return f"{UPLOADS}/{bucket}/{upload_id}"
