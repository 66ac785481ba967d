"""The manifests of pipelines: where the database, the object store and the API for pods are."""

from typing import Any

import pytest
from click.testing import CliRunner

from windlass.cli.main import cli
from windlass.cli.manifests import parts

Object = dict[str, Any]


def made(*options: str, **flags: str) -> dict[tuple[str, str], Object]:
    objects = parts(
        "all",
        "team",
        "windlass:1",
        options=options,
        flags={f"pipelines-{name}": value for name, value in flags.items()},
    )
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in objects}


def variables(objects: dict[tuple[str, str], Object], program: str) -> dict[str, Any]:
    (container,) = objects["Deployment", f"windlass-{program}"]["spec"]["template"]["spec"]["containers"]
    return {one["name"]: one.get("value", one.get("valueFrom")) for one in container["env"]}


def test_manager_and_gateway_take_the_database_from_a_secret() -> None:
    objects = made("platform", "pipelines", **{"database-secret": "db"})

    reference = {"secretKeyRef": {"name": "db", "key": "url", "optional": True}}
    for program in ("manager", "gateway"):
        assert variables(objects, program)["WINDLASS_PIPELINES_DATABASE"] == reference


def test_pods_copy_artifacts_with_the_image_of_the_manager_to_the_root_that_is_given() -> None:
    found = variables(made("pipelines", root="s3://bucket/path"), "manager")

    assert found["WINDLASS_PIPELINES_IMAGE"] == "windlass:1"
    assert found["WINDLASS_PIPELINES_ROOT"] == "s3://bucket/path"


def test_pods_find_the_api_by_kubeflows_name_at_the_gateway() -> None:
    objects = made("platform", "pipelines")

    service = objects["Service", "ml-pipeline"]
    assert service["metadata"]["namespace"] == "kubeflow"
    assert service["spec"]["externalName"] == "windlass-gateway.team.svc.cluster.local"
    targets = {one["port"]: one["targetPort"] for one in objects["Service", "windlass-gateway"]["spec"]["ports"]}
    (container,) = objects["Deployment", "windlass-gateway"]["spec"]["template"]["spec"]["containers"]
    listening = {one["name"]: one["containerPort"] for one in container["ports"]}
    assert [listening[targets[port]] for port in (8888, 8887)] == [8888, 8888], "REST and gRPC"
    assert variables(objects, "gateway")["WINDLASS_PIPELINES_API_PORT"] == "8888"


def test_without_pipelines_nothing_of_them_is_printed() -> None:
    objects = made("platform")

    assert ("Service", "ml-pipeline") not in objects
    assert not [name for part in ("manager", "gateway") for name in variables(objects, part) if "PIPELINES" in name]


def test_without_a_gateway_there_is_no_name_for_it() -> None:
    assert ("Service", "ml-pipeline") not in made("pipelines")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--pipelines-root", "s3://b/x"], "needs --pipelines"),
        (["--pipelines", "--pipelines-root", "/tmp"], "must be an s3://, gs://, az:// or minio:// URI"),
        (["--pipelines", "--pipelines-database-secret", "Bad Name"], "--pipelines-database-secret"),
    ],
)
def test_bad_flags_are_refused(flags: list[str], words: str) -> None:
    done = CliRunner().invoke(cli, ["manifests", *flags])

    assert done.exit_code == 2
    assert words in done.output
