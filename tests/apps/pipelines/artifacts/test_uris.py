"""URIs of artifacts have one path in containers and one in the claim, and none that leads elsewhere."""

import pytest

from windlass.apps.pipelines.artifacts.uris import artifact_path, claim_path, join_uri, local_path, mount_of


@pytest.mark.parametrize(
    ("uri", "in_container", "in_claim"),
    [
        ("minio://b/k/x", "/minio/b/k/x", "minio/b/k/x"),
        ("s3://b/k", "/s3/b/k", "s3/b/k"),
        ("gs://b/k/", "/gcs/b/k", "gcs/b/k"),
        ("az://container/k/x", "/az/container/k/x", "az/container/k/x"),
        ("s3://b/k?region=eu-1&endpoint=x/..", "/s3/b/k", "s3/b/k"),
        ("oci://quay.io/a/b:1", "/oci/quay.io_a_b:1/models", None),
    ],
)
def test_a_uri_has_a_path_in_containers_and_in_the_claim(uri: str, in_container: str, in_claim: str | None) -> None:
    assert local_path(uri) == in_container
    assert claim_path(uri) == in_claim


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "/tmp/x",
        "https://host/x",
        "minio://",
        "minio://b/../c",
        "minio://b//c",
        "s3://./x",
        "gs://b/\0",
        "az://",
        "oci://",
    ],
)
def test_a_uri_outside_the_stores_has_no_path(uri: str) -> None:
    with pytest.raises(ValueError, match=r"local path|not the URI"):
        local_path(uri)
    assert claim_path(uri) is None


def test_an_artifact_in_the_workspace_is_read_there() -> None:
    assert artifact_path("s3://b/k", {"_kfp_workspace": True}) == "/kfp-workspace/.artifacts/s3/b/k"
    assert artifact_path("s3://b/k", {"_kfp_workspace": "yes"}) == "/s3/b/k"
    assert artifact_path("az://b/az/k", {"_kfp_workspace": True}) == "/kfp-workspace/.artifacts/az:/b/az/k"


def test_names_are_appended_before_the_query() -> None:
    assert join_uri("s3://b/root/?region=x", "p", "r") == "s3://b/root/p/r?region=x"
    assert join_uri("minio://b/root", "p") == "minio://b/root/p"
    assert mount_of("gs://b/k") == "/gcs"
    assert mount_of("https://b/k") is None
