"""Options of apps come from flags, from the environment and from the platform, in this order."""

from pathlib import Path
from typing import Any

import pytest

from windlass.apis.images import EMBEDDED_TENSORBOARD, TENSORBOARD
from windlass.apps import all_apps, options_of_apps
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.tensorboards.options import Options as TensorboardOptions
from windlass.apps.training.options import Options as TrainingOptions
from windlass.cli.components.app_options import read_options
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import ManagerSettings
from windlass.controllers.context import Context


def context(environment: dict[str, str] | None = None, data_dir: Path | None = None, **flags: Any) -> Context:
    options = read_options(environment or {}, data_dir, ManagerSettings(**flags))
    return Context(is_embedded=data_dir is not None, options=options)


def test_modules_of_options_are_those_that_the_apps_declare() -> None:
    assert options_of_apps() == tuple(app.options for app in all_apps() if app.options)


def test_each_app_has_a_value() -> None:
    assert {type(options) for options in context().options} == set(options_of_apps())


def test_the_embedded_platform_has_defaults_of_its_own() -> None:
    pipelines = context(data_dir=Path("/data")).options_of(PipelineOptions)

    assert (pipelines.database_url, pipelines.volumes) == ("sqlite:////data/pipelines/pipelines.db", "/data/volumes")
    assert context().options_of(PipelineOptions) == PipelineOptions()
    assert context(data_dir=Path("/data")).options_of(TensorboardOptions).image == EMBEDDED_TENSORBOARD
    assert context().options_of(TensorboardOptions).image == TENSORBOARD


def test_a_variable_overrides_the_default_of_the_platform() -> None:
    given = context({"WINDLASS_PIPELINES_DATABASE": "sqlite://"}, Path("/data"))

    assert given.options_of(PipelineOptions).database_url == "sqlite://"


def test_flags_of_an_app_are_its_options(tmp_path: Path) -> None:
    file = tmp_path / "template.yaml"
    file.write_text("[{name: wait}]")
    flags = {"controller_threads": 7, "pytorch_init_container_template_file": file, "default_clean_pod_policy": "All"}
    options = context({"CUSTOM_CLUSTER_DOMAIN": "corp"}, **flags).options_of(TrainingOptions)

    assert (options.controller_threads, options.clean_pod_policy, options.cluster_domain) == (7, "All", "corp")
    assert options.pytorch_init_container_template == "[{name: wait}]"


@pytest.mark.parametrize(
    ("enabled", "name", "scheduler"),
    [("false", "", ""), ("true", "", "volcano"), ("true", "kube-batch", "kube-batch"), ("false", "other", "other")],
)
def test_gangs_are_scheduled_by_the_named_scheduler_or_volcano(enabled: str, name: str, scheduler: str) -> None:
    given = context(enable_gang_scheduling=enabled, gang_scheduler_name=name)

    assert given.options_of(TrainingOptions).used_gang_scheduler == scheduler


@pytest.mark.parametrize(("text", "problem"), [("{}", "not a list of containers"), (None, "No such file")])
def test_a_bad_file_is_named(tmp_path: Path, text: str | None, problem: str) -> None:
    file = tmp_path / "template.yaml"
    if text is not None:
        file.write_text(text)

    with pytest.raises(Failure, match=f"{file}: {problem}"):
        context(pytorch_init_container_template_file=file)
