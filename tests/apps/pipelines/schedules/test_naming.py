from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.schedules.naming import fnv32a, run_id, run_name, schedule_label, workflow_labels
from windlass.kube.selector import parse_labels

names = st.from_regex(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", fullmatch=True)


def test_the_hash_is_fnv_1a() -> None:
    assert fnv32a("") == 0x811C9DC5
    assert fnv32a("a") == 0xE40C292C
    assert fnv32a("foobar") == 0xBF9CF968


def test_a_run_is_named_after_its_schedule_and_index() -> None:
    name = run_name("nightly", "uid-1", 3)

    assert name == f"nightly-3-{fnv32a('uid-1/3')}"
    assert run_id("uid-1", name) == run_id("uid-1", name)


def test_a_schedule_created_again_has_other_runs() -> None:
    assert run_name("nightly", "uid-1", 1) != run_name("nightly", "uid-2", 1)
    assert run_id("uid-1", "nightly-1") != run_id("uid-2", "nightly-1")


@given(names, st.integers(1, 10**9))
def test_names_and_labels_are_short_enough_for_labels(name: str, index: int) -> None:
    labels = workflow_labels(name, index, 1_700_000_000.0) | {"run": run_name(name, "uid", index)}

    assert all(len(value) <= 63 and value[0].isalnum() and value[-1].isalnum() for value in labels.values())
    assert schedule_label(name).items() <= labels.items()
    assert parse_labels(",".join(f"{key}={value}" for key, value in labels.items())).matches(labels)


def test_schedules_with_long_names_are_told_apart() -> None:
    assert schedule_label("x" * 70 + "a") != schedule_label("x" * 70 + "b")
