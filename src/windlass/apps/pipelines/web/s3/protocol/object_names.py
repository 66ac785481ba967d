"""Which buckets and keys there can be: each is a folder or a file of the claim.

A key that ends in `/` is a folder, and has no content. What a file system or XML cannot represent is refused:
empty steps, `.` and `..`, steps of more than 255 bytes, control characters.
"""

import re

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error

ROOT = "minio"
"""The folder of a claim with the buckets: `minio://mlpipeline/a` is the object `a` of the bucket `mlpipeline`."""
MAX_KEY_BYTES = 1024
MAX_STEP_BYTES = 255
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
_NOT_TEXT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def is_text(text: str) -> bool:
    """Whether XML can represent the text, and a person can read it."""
    return not _NOT_TEXT.search(text)


def is_bucket_name(name: str) -> bool:
    """Whether S3 permits the name."""
    return bool(_BUCKET.fullmatch(name)) and ".." not in name and not _ADDRESS.fullmatch(name)


def check_bucket_name(name: str) -> None:
    if not is_bucket_name(name):
        raise S3Error("InvalidBucketName", "A bucket has 3 to 63 lower-case letters, digits, dots and hyphens.")


def is_step(name: str) -> bool:
    """Whether a file or folder of this name can be a part of a key."""
    return name not in ("", ".", "..") and "/" not in name and is_text(name) and len(name.encode()) <= MAX_STEP_BYTES


def check_key(key: str) -> None:
    """Raises S3Error for a key that no object can have."""
    if not is_text(key):
        raise S3Error("InvalidArgument", "A key must not have control characters.")
    if len(key.encode()) > MAX_KEY_BYTES:
        raise S3Error("KeyTooLongError", f"A key has at most {MAX_KEY_BYTES} bytes.")
    for step in key.removesuffix("/").split("/"):
        if not is_step(step):
            message = f"The key has an empty part, a part . or .., or one of more than {MAX_STEP_BYTES} bytes."
            raise S3Error("InvalidArgument", message)


def is_folder_key(key: str) -> bool:
    return key.endswith("/")


def bucket_path(bucket: str) -> str:
    """Return the path of a bucket in the claim."""
    return f"{ROOT}/{bucket}"


def object_path(bucket: str, key: str) -> str:
    """Return the path of an object in the claim; the key has been checked."""
    return f"{ROOT}/{bucket}/{key.removesuffix('/')}"
