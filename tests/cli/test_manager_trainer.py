"""Which controllers of TrainJobs and JobSets a manager runs, and for which gangs."""

from dataclasses import dataclass
from typing import Any

import pytest

from windlass.apis import scheduling_volcano_v1beta1 as volcano
from windlass.apis.jobset_v1alpha2 import JobSet
from windlass.cli.manager_trainer import trainer_controllers
from windlass.kube.controller import AnyController, Service
from windlass.kube.kind import KINDS, Kind
from windlass.kube.view import view


@dataclass
class Cluster:
    kinds: tuple[Kind, ...]

    async def served(self) -> tuple[Kind, ...]:
        return self.kinds


def kinds_of(controllers: tuple[AnyController, ...]) -> set[str]:
    return {each.kind.__name__ for each in controllers if not isinstance(each, Service)}


@pytest.mark.parametrize(
    ("asked", "is_embedded", "kinds"),
    [
        ((), True, {"TrainJob", "JobSet"}),
        ((), False, set()),
        (("tfjob",), True, set()),
        (("trainjob",), True, {"TrainJob"}),
        (("trainjob", "jobset"), False, {"TrainJob", "JobSet"}),
    ],
)
async def test_a_cluster_may_have_its_own_trainer_so_there_it_must_be_asked_for(
    asked: tuple[str, ...], is_embedded: bool, kinds: set[str]
) -> None:
    cluster: Any = Cluster(tuple(KINDS))

    assert kinds_of(await trainer_controllers(cluster, frozenset(asked), is_embedded=is_embedded)) == kinds


async def test_pod_groups_that_a_cluster_does_not_have_are_not_waited_for() -> None:
    cluster: Any = Cluster((KINDS.of(JobSet), KINDS.of(volcano.PodGroup)))
    [jobs, _] = await trainer_controllers(cluster, frozenset(["trainjob"]), is_embedded=False)

    assert not isinstance(jobs, Service)
    assert [view(one).kind.group for one in jobs.owns if view(one).kind.name == "PodGroup"] == ["scheduling.volcano.sh"]
