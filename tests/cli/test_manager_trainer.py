import pytest

from windlass.cli.manager_trainer import trainer_controllers


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
def test_a_cluster_may_have_its_own_trainer_so_there_it_must_be_asked_for(
    asked: tuple[str, ...], is_embedded: bool, kinds: set[str]
) -> None:
    found = trainer_controllers(frozenset(asked), is_embedded=is_embedded)

    assert {each.kind.__name__ for each in found if hasattr(each, "kind")} == kinds
