"""URIs of artifacts, and where a container and the claim of a namespace have them.

`minio://bucket/key` is `/minio/bucket/key` in a container and `minio/bucket/key` in the claim. A URI may end in a query
(`s3://bucket/key?region=eu-1`), which says how to reach the store and is no part of a path.
"""

from collections.abc import Mapping
from typing import Any

MOUNTS = {"minio": "/minio", "s3": "/s3", "gs": "/gcs", "az": "/az"}
"""Schemes of object stores, and the folders in which containers see them."""
WORKSPACE_PATH = "/kfp-workspace"
WORKSPACE_METADATA = "_kfp_workspace"
"""A key in the metadata of an artifact that was downloaded into the workspace of its run."""
OCI = "oci"
"""The scheme of a model in an image."""
IMAGE_MODELS = "models"
"""The folder of an image that has its model."""


def split_uri(uri: str) -> tuple[str, str, str]:
    """Split into scheme, path and query; the scheme is empty for what is no URI."""
    scheme, separator, rest = uri.partition("://")
    if not separator:
        return "", uri, ""
    path, _, query = rest.partition("?")
    return scheme, path, query


def join_uri(root: str, *names: str) -> str:
    """Append names to a URI, before its query."""
    base, mark, query = root.partition("?")
    return "/".join((base.rstrip("/"), *names)) + mark + query


def mount_of(uri: str) -> str | None:
    """Return the folder in which containers see the store of a URI; None for a URI of no store."""
    return MOUNTS.get(split_uri(uri)[0])


def local_path(uri: str) -> str:
    """Return the path of an artifact in a container. Raises ValueError for a URI that has none."""
    scheme, path, _ = split_uri(uri)
    if scheme == OCI and path:
        return f"/oci/{path.replace('/', '_')}/{IMAGE_MODELS}"
    if scheme not in MOUNTS:
        raise ValueError(f"{uri!r} has no local path: its scheme is none of {', '.join((*MOUNTS, OCI))}")
    return f"{MOUNTS[scheme]}/{_checked(uri, path)}"


def image_reference(uri: str) -> str:
    """Return the image of a URI of the scheme `oci`."""
    return uri.removeprefix(f"{OCI}://")


def artifact_path(uri: str, metadata: Mapping[str, Any]) -> str:
    """Return the path of an input artifact, which may be a copy in the workspace. Raises ValueError."""
    path = local_path(uri)
    if metadata.get(WORKSPACE_METADATA) is not True:
        return path
    if split_uri(uri)[0] == "az":
        path = path.replace("/az/", "/az:/", 1)  # the SDK of kfp has no folder for az:// and appends the URI itself
    return f"{WORKSPACE_PATH}/.artifacts{path}"


def claim_path(uri: str) -> str | None:
    """Return the path of an artifact in the claim of its namespace; None if it is not kept there."""
    if mount_of(uri) is None:
        return None
    try:
        return local_path(uri).lstrip("/")
    except ValueError:
        return None


def _checked(uri: str, path: str) -> str:
    """Refuse paths that lead elsewhere: pods could otherwise name files of others."""
    path = path.rstrip("/")
    if not path or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(f"{uri!r} is not the URI of an artifact: its path is empty or has an empty, . or .. part")
    return path
