"""Which apps a manager runs: all embedded, on a cluster those that it is asked for."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from windlass.apis import scheduling_volcano_v1beta1 as volcano
from windlass.apps import all_apps
from windlass.apps.jobset.app import APP as JOBSET
from windlass.apps.tensorboards.options import Options
from windlass.apps.trainer.app import APP as TRAINER
from windlass.apps.volcano.app import APP as VOLCANO
from windlass.cli.components.app_options import read_options
from windlass.cli.components.manager_apps import app_controllers, enabled_schemes, require_kinds
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import ManagerSettings
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController, Service
from windlass.kube.kind import KINDS, Kind
from windlass.kube.view import view

OPTIONAL = {"TrainJob": "trainjob", "JobSet": "jobset", "Command": "volcano"}
"""A kind of each app that a cluster may have the original of, and its scheme."""


@dataclass
class Cluster:
    kinds: tuple[Kind, ...]

    async def served(self) -> tuple[Kind, ...]:
        return self.kinds


def a_cluster(kinds: Iterable[Kind] = KINDS) -> Any:
    return Cluster(tuple(kinds))


async def chosen(
    *schemes: str, is_embedded: bool = False, cluster: Any = None, namespace: str = ""
) -> tuple[AnyController, ...]:
    settings, client = ManagerSettings(enable_scheme=schemes, namespace=namespace), cluster or a_cluster()
    options = read_options(os.environ, settings.data_dir if is_embedded else None, settings)
    return await app_controllers(settings, client, enabled_schemes(settings), options, is_embedded=is_embedded)


def kinds_of(controllers: tuple[AnyController, ...]) -> set[str]:
    return {each.kind.__name__ for each in controllers if not isinstance(each, Service)}


@pytest.mark.parametrize(
    ("schemes", "is_embedded", "optional"),
    [
        ((), True, {"TrainJob", "JobSet", "Command"}),
        ((), False, set()),
        (("tfjob",), True, set()),
        (("trainjob",), True, {"TrainJob"}),
        (("volcano",), True, {"Command"}),
        (("trainjob", "jobset"), False, {"TrainJob", "JobSet"}),
        (("TFJob,Volcano",), False, {"Command"}),
    ],
)
async def test_a_cluster_may_have_its_own_so_there_a_app_must_be_asked_for(
    schemes: tuple[str, ...], is_embedded: bool, optional: set[str]
) -> None:
    controllers = await chosen(*schemes, is_embedded=is_embedded)

    assert kinds_of(controllers) & set(OPTIONAL) == optional
    assert ("TFJob" in kinds_of(controllers)) == (not schemes or "tfjob" in ",".join(schemes).lower())


def test_a_scheme_that_nobody_knows_is_named() -> None:
    with pytest.raises(Failure, match="dragonjob"):
        enabled_schemes(ManagerSettings(enable_scheme=("TFJob, DragonJob",)))


async def test_pod_groups_that_a_cluster_does_not_have_are_not_waited_for() -> None:
    cluster = a_cluster(kind for kind in KINDS if kind.name != "PodGroup" or kind == KINDS.of(volcano.PodGroup))

    (jobs, _) = await chosen("trainjob", cluster=cluster)

    assert not isinstance(jobs, Service)
    assert [view(one).kind.group for one in jobs.owns if view(one).kind.name == "PodGroup"] == ["scheduling.volcano.sh"]


async def test_queues_are_in_no_namespace_so_neither_can_the_manager_be() -> None:
    with pytest.raises(Failure, match="Remove --namespace"):
        await chosen("volcano", namespace="n")


def test_kinds_that_a_cluster_lacks_are_named() -> None:
    served = frozenset(kind for kind in KINDS if kind.group != "trainer.kubeflow.org")

    with pytest.raises(Failure) as refused:
        require_kinds([JOBSET, TRAINER], served)

    assert str(refused.value) == (
        "--enable-scheme trainjob: this cluster does not serve ClusterTrainingRuntime.v1alpha1.trainer.kubeflow.org, "
        "TrainJob.v1alpha1.trainer.kubeflow.org, TrainingRuntime.v1alpha1.trainer.kubeflow.org. Install them first"
    )


def test_a_cluster_that_has_all_of_them_is_fine() -> None:
    require_kinds([*all_apps()], frozenset(KINDS))


def test_a_cluster_without_volcanos_kinds_cannot_run_its_controllers() -> None:
    with pytest.raises(Failure, match="--enable-scheme volcano: this cluster does not serve"):
        require_kinds([VOLCANO], frozenset())


@pytest.mark.parametrize(("value", "is_on"), [(None, True), ("true", True), ("false", False)])
async def test_the_environment_says_whether_boards_prefer_the_node_of_their_volume(
    monkeypatch: pytest.MonkeyPatch, value: str | None, is_on: bool
) -> None:
    given: list[Context] = []

    def of_boards(context: Context) -> tuple[AnyController, ...]:
        given.append(context)
        return ()

    monkeypatch.setattr("windlass.apps.tensorboards.controllers.app_controllers", of_boards)
    monkeypatch.delenv("RWO_PVC_SCHEDULING", raising=False)
    if value is not None:
        monkeypatch.setenv("RWO_PVC_SCHEDULING", value)
    await chosen(is_embedded=True)

    assert [context.options_of(Options).rwo_scheduling for context in given] == [is_on]
