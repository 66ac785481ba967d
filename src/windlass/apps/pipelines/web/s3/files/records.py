"""What S3 keeps of an object besides its content: ETag, headers and metadata, in a folder of the claim.

A record belongs to a file of one size and modification time. Where a pod has written the file itself, no record fits:
the ETag is then made of the file's size and time, in the form of ETags that are no MD5. Pods can write records too, so
whatever is read is checked. Call this module in threads.
"""

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.formats.volume_files import exists, read_file, remove_tree, write_file

HIDDEN = ".windlass-s3"
"""The folder of the claim with all that is not the content of objects."""
_RECORDS = f"{HIDDEN}/objects"
MAX_RECORD_BYTES = 64 << 10
MAX_METADATA_BYTES = 2048
METADATA_PREFIX = "x-amz-meta-"
KEPT_HEADERS = (
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
)
DEFAULT_TYPE = "binary/octet-stream"
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\ud7ff\ue000-\U0010ffff]*")
_ETAG = re.compile(r"[0-9a-f]{32}(-[0-9]{1,5})?")


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    size: int = 0
    modified_ns: int = 0
    etag: str = ""
    headers: dict[str, str] = {}
    """Those of `KEPT_HEADERS` and `x-amz-meta-…`, by their names in lower case."""


class ObjectInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an object."""

    size: int
    modified_ns: int
    etag: str
    headers: Mapping[str, str] = {}

    @property
    def modified(self) -> float:
        return self.modified_ns / 1e9


_decoder = msgspec.json.Decoder(Record)


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a request that belong to the object. Raises S3Error."""
    kept = {name: headers[name] for name in KEPT_HEADERS if headers.get(name)}
    encodings = [name.strip() for name in kept.pop("content-encoding", "").split(",")]
    encoding = ",".join(name for name in encodings if name not in ("", "aws-chunked"))
    metadata = {name: value for name, value in headers.items() if name.startswith(METADATA_PREFIX)}
    sizes = [len(name) - len(METADATA_PREFIX) + len(value) for name, value in metadata.items()]
    if sum(sizes) > MAX_METADATA_BYTES:
        raise S3Error("MetadataTooLarge", f"The metadata has more than {MAX_METADATA_BYTES} bytes.")
    kept |= metadata | ({"content-encoding": encoding} if encoding else {})
    bad = next((name for name, value in kept.items() if not _HEADER_VALUE.fullmatch(value)), None)
    if bad is not None:
        raise S3Error("InvalidArgument", f"The header {bad} is not text.")
    return kept


def info_of(root: Path, bucket: str, key: str, status: os.stat_result) -> ObjectInfo:
    """Return what is known of an object whose file has this status."""
    size, modified_ns = (0 if key.endswith("/") else status.st_size), status.st_mtime_ns
    record = read_record(root, bucket, key)
    # A folder's time changes with its content, so a record of a folder always belongs to it.
    if record is not None and (key.endswith("/") or (record.size, record.modified_ns) == (size, modified_ns)):
        return ObjectInfo(size=size, modified_ns=modified_ns, etag=record.etag, headers=record.headers)
    tag = hashlib.md5(f"{size} {modified_ns} {status.st_ino}".encode(), usedforsecurity=False).hexdigest()
    return ObjectInfo(size=size, modified_ns=modified_ns, etag=f"{tag}-1")


def read_record(root: Path, bucket: str, key: str) -> Record | None:
    content = read_file(root, _path(bucket, key), MAX_RECORD_BYTES)
    if content is None:
        return None
    try:
        record = _decoder.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if not _ETAG.fullmatch(record.etag):
        return None
    headers = {name: value for name, value in record.headers.items() if _may_send(name, value)}
    return msgspec.structs.replace(record, headers=headers)


def write_record(root: Path, bucket: str, key: str, record: Record) -> None:
    """Raises OSError."""
    write_file(root, _path(bucket, key), msgspec.json.encode(record))


def has_record(root: Path, bucket: str, key: str) -> bool:
    return exists(root, _path(bucket, key))


def remove_record(root: Path, bucket: str, key: str) -> None:
    remove_tree(root, _path(bucket, key))


def remove_records(root: Path, bucket: str) -> None:
    """Remove the records of a bucket."""
    remove_tree(root, f"{_RECORDS}/{bucket}")


def _path(bucket: str, key: str) -> str:
    name = hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()
    return f"{_RECORDS}/{bucket}/{name[:2]}/{name[2:]}"


def _may_send(name: str, value: str) -> bool:
    is_ours = name in KEPT_HEADERS or re.fullmatch(r"x-amz-meta-[a-z0-9!#$%&'*+.^_`|~-]{1,200}", name) is not None
    return is_ours and _HEADER_VALUE.fullmatch(value) is not None
