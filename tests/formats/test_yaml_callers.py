"""Every reader of YAML refuses nested text with its own error: none recurses, whoever wrote the text."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from windlass.apis.options import BadOption
from windlass.apiserver.verbs.bodies import read_document
from windlass.apps.notebooks.web.spawner_config import BadSpawnerConfig, parsed
from windlass.apps.pipelines.argo.manifests import BadManifest, read_manifest, read_operations
from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.package import read_package
from windlass.apps.trainer.snapshots import snapshot_runtime
from windlass.apps.training.options import Options
from windlass.apps.training.waiting import init_containers
from windlass.apps.training.web.views.simulations import documents_of
from windlass.cli.components.app_options import use_options
from windlass.cli.connection import namespace_of
from windlass.cli.failure import Failure
from windlass.cli.kubeconfig import merge_into
from windlass.cli.settings import ClusterFlags
from windlass.formats import json_or_yaml
from windlass.gateway.account.kubeconfig import read_cluster
from windlass.gateway.identity.file_fields import BadUsersFile
from windlass.gateway.identity.static_file import parse as parse_users
from windlass.kube.connect import by_kubeconfig
from windlass.kube.errors import BadRequest
from windlass.scheduler.framework.conf import BadConf
from windlass.scheduler.framework.conf import parse as parse_conf
from windlass.scheduler.simulate.yaml_positions import BadDescription, Located
from windlass.supervisor.credentials import read_kubeconfig
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.errors import SupervisorError

N = 20_000
NESTED = {"lists": "[" * N, "mappings": '{"a":' * N, "items": "- " * N, "lines": "a: [\n" * N}
REFUSING: dict[str, tuple[Callable[[str], Any], type[Exception]]] = {
    "body": (lambda text: read_document(text.encode(), "application/yaml"), BadRequest),
    "package": (read_package, InvalidPipeline),
    "package of bytes": (lambda text: read_package(text.encode()), InvalidPipeline),
    "manifest": (read_manifest, BadManifest),
    "operations": (read_operations, BadManifest),
    "simulation": (lambda text: asyncio.run(documents_of(text)), BadRequest),
    "users": (lambda text: parse_users(text, {}), BadUsersFile),
    "spawner": (parsed, BadSpawnerConfig),
    "template": (lambda text: init_containers("m", 1, Options(pytorch_init_container_template=text)), ValueError),
    "scheduler": (lambda text: parse_conf(text, frozenset(), frozenset()), BadConf),
    "description": (lambda text: Located("d.yaml", text), BadDescription),
    "JSON or YAML": (json_or_yaml.parse, ValueError),
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("name", REFUSING)
def test_nested_text_is_refused_with_the_reader_s_own_error(name: str, text: str) -> None:
    read, error = REFUSING[name]
    with pytest.raises(error, match="nested deeper than 200 levels"):
        read(text)


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_nested_files_are_refused_or_say_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text)

    with pytest.raises(SupervisorError):
        read_kubeconfig(DataDir(tmp_path))
    with pytest.raises(ValueError, match="nested deeper than 200 levels"):
        asyncio.run(by_kubeconfig(path))
    with pytest.raises(Failure):
        merge_into(path, {}, use=False)
    with pytest.raises(BadOption):
        use_options({"DEFAULT_POD_SPEC_PATH": str(path)})
    assert read_cluster(path) is None
    assert namespace_of(ClusterFlags(kubeconfig=path), None) == "default"
    assert snapshot_runtime({"data": {"runtime": text}}) is None
