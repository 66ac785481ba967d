"""Which operation of S3 a request is, by its method, path and query. Pure."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error, not_implemented


class Operation(Enum):
    LIST_BUCKETS = auto()
    CREATE_BUCKET = auto()
    HEAD_BUCKET = auto()
    DELETE_BUCKET = auto()
    GET_BUCKET_LOCATION = auto()
    GET_BUCKET_SETTING = auto()
    """A setting that no bucket has, such as its policy: see `ABSENT` and `EMPTY`."""
    LIST_OBJECTS = auto()
    LIST_OBJECTS_V2 = auto()
    LIST_UPLOADS = auto()
    DELETE_OBJECTS = auto()
    GET_OBJECT = auto()
    GET_OBJECT_ATTRIBUTE = auto()
    """An attribute that no object has, such as its tags."""
    HEAD_OBJECT = auto()
    PUT_OBJECT = auto()
    COPY_OBJECT = auto()
    DELETE_OBJECT = auto()
    CREATE_UPLOAD = auto()
    UPLOAD_PART = auto()
    UPLOAD_PART_COPY = auto()
    COMPLETE_UPLOAD = auto()
    ABORT_UPLOAD = auto()
    LIST_PARTS = auto()


ABSENT: Mapping[str, str] = {
    "cors": "NoSuchCORSConfiguration",
    "encryption": "ServerSideEncryptionConfigurationNotFoundError",
    "lifecycle": "NoSuchLifecycleConfiguration",
    "object-lock": "ObjectLockConfigurationNotFoundError",
    "policy": "NoSuchBucketPolicy",
    "replication": "ReplicationConfigurationNotFoundError",
    "tagging": "NoSuchTagSet",
    "website": "NoSuchWebsiteConfiguration",
}
"""Settings of buckets that clients ask for, and the errors that say that there is none."""
EMPTY: Mapping[str, str] = {
    "accelerate": "AccelerateConfiguration",
    "logging": "BucketLoggingStatus",
    "notification": "NotificationConfiguration",
    "versioning": "VersioningConfiguration",
}
"""Settings of buckets whose empty document says that they are not in use."""
OBJECT_ATTRIBUTES = ("tagging",)
_FEATURES = frozenset(
    {
        *ABSENT,
        *EMPTY,
        *("acl", "analytics", "append", "attributes", "intelligent-tiering", "inventory", "legal-hold", "metrics"),
        *("ownershipControls", "policyStatus", "publicAccessBlock", "requestPayment", "restore", "retention"),
        *("select", "session", "torrent", "versions"),
    }
)
"""Subresources: their presence in the query makes a request another operation."""


def operation_of(method: str, bucket: str, key: str, query: Mapping[str, str], *, is_copy: bool) -> Operation:
    """Raises S3Error NotImplemented, which names the feature, or MethodNotAllowed. `is_copy`: it names a source."""
    if query.get("versionId", "null") not in ("", "null"):
        raise not_implemented("versionId")
    feature = next((name for name in query if name in _FEATURES), None)
    if not bucket:
        operation = {"GET": Operation.LIST_BUCKETS}.get(method) if feature is None else None
    elif not key:
        operation = _of_bucket(method, query, feature)
    else:
        operation = _of_object(method, query, feature, is_copy=is_copy)
    if operation is not None:
        return operation
    if feature is not None:
        raise not_implemented(f"{method} ?{feature}")
    if method == "POST" and bucket and not key:
        raise not_implemented("POST of a form")
    raise S3Error("MethodNotAllowed", f"{method} is not permitted here.")


def _of_bucket(method: str, query: Mapping[str, str], feature: str | None) -> Operation | None:
    if feature is not None:
        is_known = method == "GET" and (feature in ABSENT or feature in EMPTY)
        return Operation.GET_BUCKET_SETTING if is_known else None
    match method:
        case "GET" if "location" in query:
            return Operation.GET_BUCKET_LOCATION
        case "GET" if "uploads" in query:
            return Operation.LIST_UPLOADS
        case "GET":
            return Operation.LIST_OBJECTS_V2 if query.get("list-type") == "2" else Operation.LIST_OBJECTS
        case "POST" if "delete" in query:
            return Operation.DELETE_OBJECTS
        case "PUT":
            return Operation.CREATE_BUCKET
        case "HEAD":
            return Operation.HEAD_BUCKET
        case "DELETE":
            return Operation.DELETE_BUCKET
        case _:
            return None


def _of_object(method: str, query: Mapping[str, str], feature: str | None, *, is_copy: bool) -> Operation | None:
    if feature is not None:
        return Operation.GET_OBJECT_ATTRIBUTE if method == "GET" and feature in OBJECT_ATTRIBUTES else None
    match method:
        case "GET":
            return Operation.LIST_PARTS if "uploadId" in query else Operation.GET_OBJECT
        case "HEAD":
            return Operation.HEAD_OBJECT
        case "PUT" if "uploadId" in query:
            return Operation.UPLOAD_PART_COPY if is_copy else Operation.UPLOAD_PART
        case "PUT":
            return Operation.COPY_OBJECT if is_copy else Operation.PUT_OBJECT
        case "POST" if "uploads" in query:
            return Operation.CREATE_UPLOAD
        case "POST" if "uploadId" in query:
            return Operation.COMPLETE_UPLOAD
        case "DELETE":
            return Operation.ABORT_UPLOAD if "uploadId" in query else Operation.DELETE_OBJECT
        case _:
            return None


def check_headers(headers: Mapping[str, Sequence[str]]) -> None:
    """Refuse by name what headers ask for and this endpoint does not do. Raises S3Error."""
    for name, values in headers.items():
        value = values[0] if values else ""
        if name.startswith(("x-amz-server-side-encryption", "x-amz-object-lock", "x-amz-grant-")):
            raise not_implemented(f"the header {name}")
        if name in ("x-amz-tagging", "x-amz-website-redirect-location", "x-amz-write-offset-bytes") and value:
            raise not_implemented(f"the header {name}")
        if name == "x-amz-acl" and value not in ("private", "bucket-owner-full-control"):
            raise not_implemented(f"the ACL {value}")
        if name == "x-amz-storage-class" and value not in ("STANDARD", "REDUCED_REDUNDANCY"):
            raise S3Error("InvalidStorageClass", f"The storage class {value} is not supported.")
