"""The buckets and objects of one claim, as folders and files. Methods raise S3Error and OSError; call them in threads.

Every step of a path is opened without following links, relative to the folder before it: pods write in these folders,
and this process has other rights than they. An object appears whole, by a rename of its complete file.
"""

import errno
import hashlib
import os
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from windlass.apps.pipelines.names import DEFAULT_BUCKET
from windlass.apps.pipelines.web.s3.files import records
from windlass.apps.pipelines.web.s3.files.records import HIDDEN, ObjectInfo, Record
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.listing import Child, Page, Question, page_of
from windlass.apps.pipelines.web.s3.protocol.object_names import (
    ROOT,
    bucket_path,
    check_bucket_name,
    is_folder_key,
    is_step,
    object_path,
)
from windlass.formats.volume_files import (
    create_file,
    list_folder,
    make_folder,
    move_file,
    open_file,
    open_folder,
    remove_empty_folder,
    remove_tree,
)

STAGING = f"{HIDDEN}/staging"
STAGING_KEPT_SECONDS = 24 * 3600
COPY_BYTES = 1 << 20
EMPTY_MD5 = hashlib.md5(b"", usedforsecurity=False).hexdigest()


class Bucket(NamedTuple):
    name: str
    created: float


class OpenObject(NamedTuple):
    """An object and the descriptor of its content, which the caller closes. A folder has none: -1."""

    descriptor: int
    info: ObjectInfo

    def read(self, position: int, size: int) -> bytes:
        return os.pread(self.descriptor, size, position)

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)


class StagedFile:
    """A file that is not yet an object."""

    def __init__(self, root: Path) -> None:
        self._root, self.path = root, f"{STAGING}/{secrets.token_hex(16)}"
        self._file = os.fdopen(create_file(root, self.path), "wb")

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def copy_from(self, descriptor: int, start: int, size: int) -> str:
        """Append a part of another file; answers the MD5 of the part."""
        digest = hashlib.md5(usedforsecurity=False)
        end = start + size
        while start < end:
            data = os.pread(descriptor, min(COPY_BYTES, end - start), start)
            if not data:
                raise S3Error("ServiceUnavailable", "The source became shorter while it was copied.")
            digest.update(data)
            self._file.write(data)
            start += len(data)
        return digest.hexdigest()

    def close(self) -> os.stat_result:
        """Write out what is buffered; answers the status of the file."""
        self._file.flush()
        status = os.fstat(self._file.fileno())
        self._file.close()
        return status

    def discard(self) -> None:
        """Remove the file, unless it was moved to its place."""
        with suppress(OSError):  # a full disk: what is buffered is lost, as is intended
            self._file.close()
        remove_tree(self._root, self.path)


@dataclass(frozen=True)
class Store:
    root: Path
    """The folder of the claim."""
    _placing: threading.Lock = field(default_factory=threading.Lock, compare=False)
    """Held while an object and its record are replaced, so that they fit each other."""

    # buckets

    def buckets(self) -> list[Bucket]:
        self._make_default()
        names = sorted(name for name, is_folder in list_folder(self.root, ROOT) or [] if is_folder and is_step(name))
        return [Bucket(name, self._created(name)) for name in names]

    def _created(self, name: str) -> float:
        folder = open_folder(self.root, bucket_path(name))
        if folder is None:  # removed meanwhile
            return 0.0
        try:
            return os.fstat(folder).st_mtime
        finally:
            os.close(folder)

    def create_bucket(self, name: str) -> None:
        check_bucket_name(name)
        if self._has_folder(bucket_path(name)):
            raise S3Error("BucketAlreadyOwnedByYou", "The bucket exists already.")
        make_folder(self.root, bucket_path(name))

    def require_bucket(self, name: str) -> None:
        """Raises S3Error NoSuchBucket."""
        if name == DEFAULT_BUCKET:
            self._make_default()
        if not is_step(name) or not self._has_folder(bucket_path(name)):
            raise S3Error("NoSuchBucket", "The specified bucket does not exist.")

    def delete_bucket(self, name: str) -> None:
        self.require_bucket(name)
        with self._placing:
            if page_of(Question(max_keys=1), self._children(name)).entries:
                raise S3Error("BucketNotEmpty", "The bucket you tried to delete is not empty.")
            self._remove_empty_folders(bucket_path(name))
            if self._has_folder(bucket_path(name)):
                raise S3Error("BucketNotEmpty", "The bucket has files whose names are no keys.")
            records.remove_records(self.root, name)
            remove_tree(self.root, f"{HIDDEN}/uploads/{name}")

    def _remove_empty_folders(self, path: str) -> None:
        for name, is_folder in list_folder(self.root, path) or []:
            if is_folder:
                self._remove_empty_folders(f"{path}/{name}")
        remove_empty_folder(self.root, path)

    def _make_default(self) -> None:
        if not self._has_folder(bucket_path(DEFAULT_BUCKET)):
            make_folder(self.root, bucket_path(DEFAULT_BUCKET))

    def _has_folder(self, path: str) -> bool:
        folder = open_folder(self.root, path)
        if folder is None:
            return False
        os.close(folder)
        return True

    # objects

    def page(self, bucket: str, question: Question) -> tuple[Page, dict[str, ObjectInfo]]:
        """Return a page of keys and what is known of each; an object that was deleted meanwhile is left out there."""
        self.require_bucket(bucket)
        page = page_of(question, self._children(bucket))
        infos = {entry.name: self.info(bucket, entry.name) for entry in page.entries if not entry.is_prefix}
        return page, {key: info for key, info in infos.items() if info is not None}

    def _children(self, bucket: str) -> Callable[[str], list[Child]]:
        def children(path: str) -> list[Child]:
            listed = list_folder(self.root, f"{bucket_path(bucket)}/{path}") or []
            return [
                Child(name, is_folder, not is_folder or records.has_record(self.root, bucket, f"{path}{name}/"))
                for name, is_folder in listed
                if is_step(name)
            ]

        return children

    def info(self, bucket: str, key: str) -> ObjectInfo | None:
        opened = self._open(bucket, key)
        if opened is None:
            return None
        opened.close()
        return opened.info

    def open(self, bucket: str, key: str) -> OpenObject:
        """Raises S3Error NoSuchBucket and NoSuchKey."""
        opened = self._open(bucket, key)
        if opened is None:
            self.require_bucket(bucket)
            raise S3Error("NoSuchKey", "The specified key does not exist.")
        return opened

    def _open(self, bucket: str, key: str) -> OpenObject | None:
        path = object_path(bucket, key)
        if is_folder_key(key):
            folder = open_folder(self.root, path) if records.has_record(self.root, bucket, key) else None
            if folder is None:
                return None
            try:
                return OpenObject(-1, records.info_of(self.root, bucket, key, os.fstat(folder)))
            finally:
                os.close(folder)
        descriptor = open_file(self.root, path)
        if descriptor is None:
            return None
        return OpenObject(descriptor, records.info_of(self.root, bucket, key, os.fstat(descriptor)))

    def stage(self) -> StagedFile:
        """Return a new file, which the caller discards in the end, also if it was placed."""
        return StagedFile(self.root)

    def place(
        self,
        bucket: str,
        key: str,
        file: StagedFile,
        record: Record,
        check: Callable[[str | None], None] | None = None,
    ) -> ObjectInfo:
        """Make a staged file an object, in place of the present one.

        `check` is given the ETag of the present object, or None, and may raise S3Error.
        """
        self.require_bucket(bucket)
        status = file.close()
        record = Record(size=status.st_size, modified_ns=status.st_mtime_ns, etag=record.etag, headers=record.headers)
        target = object_path(bucket, key)
        with self._placing:
            if check is not None:
                present = self.info(bucket, key)
                check(present.etag if present is not None else None)
            make_folder(self.root, target.rpartition("/")[0])
            if not self._is_marked(bucket, key):
                remove_empty_folder(self.root, target)
            # The record is first: without the file it fits nothing, and is ignored.
            records.write_record(self.root, bucket, key, record)
            move_file(self.root, file.path, target)
        return ObjectInfo(size=record.size, modified_ns=record.modified_ns, etag=record.etag, headers=record.headers)

    def _is_marked(self, bucket: str, key: str) -> bool:
        return records.has_record(self.root, bucket, f"{key}/")

    def make_folder_object(self, bucket: str, key: str, headers: dict[str, str]) -> str:
        """Make the object of a folder, `key/`; answers its ETag."""
        self.require_bucket(bucket)
        with self._placing:
            make_folder(self.root, object_path(bucket, key))
            records.write_record(self.root, bucket, key, Record(etag=EMPTY_MD5, headers=headers))
        return EMPTY_MD5

    def delete(self, bucket: str, key: str) -> None:
        """Delete an object, and the folders that were made for it alone; what is not there is no error."""
        self.require_bucket(bucket)
        with self._placing:
            path = object_path(bucket, key)
            if is_folder_key(key):
                records.remove_record(self.root, bucket, key)
                self._prune(bucket, key.removesuffix("/"))
                return
            descriptor = open_file(self.root, path)
            if descriptor is None:
                return
            os.close(descriptor)
            remove_tree(self.root, path)
            records.remove_record(self.root, bucket, key)
            self._prune(bucket, key.rpartition("/")[0])

    def _prune(self, bucket: str, folder: str) -> None:
        while folder and not self._is_marked(bucket, folder):
            if not remove_empty_folder(self.root, f"{bucket_path(bucket)}/{folder}"):
                return
            folder = folder.rpartition("/")[0]

    def sweep(self) -> None:
        """Remove what requests that were cut off have left."""
        oldest = time.time() - STAGING_KEPT_SECONDS
        for name, _ in list_folder(self.root, STAGING) or []:
            descriptor = open_file(self.root, f"{STAGING}/{name}")
            if descriptor is not None:
                is_old = os.fstat(descriptor).st_mtime < oldest
                os.close(descriptor)
                if is_old:
                    remove_tree(self.root, f"{STAGING}/{name}")


def storage_error(error: OSError) -> S3Error:
    """Return the answer to a request that failed with an error of the file system."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return S3Error("InsufficientStorage", "There is no space left for the object.")
        case errno.EISDIR | errno.ENOTEMPTY | errno.EEXIST:
            return S3Error("XMinioObjectExistsAsDirectory", "There are objects below this key, as in a folder.")
        case errno.ENOTDIR | errno.ELOOP:
            return S3Error("XMinioParentIsObject", "A part of the key is an object, or a link, and not a folder.")
        case errno.ENAMETOOLONG:
            return S3Error("KeyTooLongError", "The key is too long for the file system.")
        case errno.EFBIG:
            return S3Error("EntityTooLarge", "The object is too large for the file system.")
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return S3Error("AccessDenied", "A pod has made this folder or file for itself alone.")
        case _:
            return S3Error("ServiceUnavailable", f"The files of the bucket cannot be used: {error.strerror}.")
