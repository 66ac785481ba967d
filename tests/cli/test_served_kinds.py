"""A manager says which kinds a cluster lacks, where it would otherwise wait for them without a word."""

from dataclasses import dataclass
from typing import Any

import pytest

from windlass.cli.failure import Failure
from windlass.cli.served_kinds import require_kinds
from windlass.controllers import jobset, trainer
from windlass.kube.kind import KINDS, Kind

CONTROLLERS = (*trainer.controllers(), *jobset.controllers())


@dataclass
class Cluster:
    kinds: tuple[Kind, ...]

    async def served(self) -> tuple[Kind, ...]:
        return self.kinds


async def test_a_cluster_that_has_all_of_them_is_fine() -> None:
    cluster: Any = Cluster(tuple(KINDS))

    await require_kinds(cluster, CONTROLLERS)


async def test_what_is_not_there_is_named() -> None:
    cluster: Any = Cluster(tuple(kind for kind in KINDS if kind.group != "trainer.kubeflow.org"))

    with pytest.raises(Failure) as told:
        await require_kinds(cluster, CONTROLLERS)

    assert str(told.value) == (
        "--enable-scheme: this cluster does not have ClusterTrainingRuntime.v1alpha1.trainer.kubeflow.org, "
        "TrainJob.v1alpha1.trainer.kubeflow.org, TrainingRuntime.v1alpha1.trainer.kubeflow.org. Install them there"
    )


async def test_without_controllers_nobody_is_asked() -> None:
    cluster: Any = None

    await require_kinds(cluster, ())
