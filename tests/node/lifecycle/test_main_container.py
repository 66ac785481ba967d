"""A pod that says which of its containers is the main one ends with it, and as it."""

from typing import Any

import pytest

from tests.node.lifecycle.builders import a_container, a_pod, a_sidecar, deleted, ran, saw
from tests.node.lifecycle.test_decide import condition, started, stopped
from windlass.kube.json import Object
from windlass.node.lifecycle.admission import admit
from windlass.node.lifecycle.decide import decide
from windlass.node.lifecycle.decision import Finish, Remove
from windlass.node.lifecycle.main_container import MAIN_CONTAINER

NODE: Object = {"metadata": {"name": "n"}, "status": {"allocatable": {"pods": "10"}}}


def with_main(name: str = "main", policy: str = "Never", **spec: Any) -> Object:
    pod = a_pod(a_container("other"), a_container("main"), restartPolicy=policy, **spec)
    pod["metadata"]["annotations"] = {MAIN_CONTAINER: name}
    return pod


@pytest.mark.parametrize(
    ("policy", "main", "other", "phase"),
    [
        ("Never", 0, 1, "Succeeded"),
        ("Never", 3, 0, "Failed"),
        ("OnFailure", 0, 143, "Succeeded"),
        ("Never", 137, 137, "Failed"),
    ],
)
def test_the_exit_codes_of_other_containers_do_not_count(policy: str, main: int, other: int, phase: str) -> None:
    answer = decide(with_main(policy=policy), saw(ran("main", code=main), ran("other", code=other)))

    assert (answer.status["phase"], answer.do) == (phase, (Remove(),))


@pytest.mark.parametrize("code", [0, 1])
def test_when_the_main_container_has_ended_the_others_are_stopped_as_at_the_end_of_a_pod(code: int) -> None:
    pod = with_main(terminationGracePeriodSeconds=7)

    answer = decide(pod, saw(ran("main", code=code), ran("other")))

    assert stopped(answer) == [("other", 7.0)]
    assert answer.status["phase"] == "Running"
    assert condition(answer, "Ready")[0] == "False"
    assert not started(answer)


@pytest.mark.parametrize(("policy", "code"), [("Always", 0), ("Always", 1), ("OnFailure", 1)])
def test_a_main_container_that_is_started_again_has_not_ended(policy: str, code: int) -> None:
    answer = decide(with_main(policy=policy), saw(ran("main", code=code), ran("other")))

    assert (started(answer), stopped(answer)) == ([("main", 1)], [])


def test_other_containers_may_end_while_the_main_one_goes_on() -> None:
    answer = decide(with_main(), saw(ran("main"), ran("other", code=1)))

    assert (answer.do, answer.status["phase"]) == ((), "Running")


def test_a_container_that_never_ran_does_not_hold_the_pod() -> None:
    answer = decide(with_main(), saw(ran("main", code=0)))

    assert (answer.status["phase"], answer.do) == ("Succeeded", (Remove(),))


def test_sidecars_among_the_init_containers_go_last() -> None:
    pod = a_pod(a_container("main"), a_container("other"), inits=(a_sidecar(),), restartPolicy="Never")
    pod["metadata"]["annotations"] = {MAIN_CONTAINER: "main"}

    first = decide(pod, saw(ran("side"), ran("main", code=0), ran("other")))
    then = decide(pod, saw(ran("side"), ran("main", code=0), ran("other", code=143)))

    assert [each[0] for each in stopped(first)] == ["other"]
    assert [each[0] for each in stopped(then)] == ["side"]


def test_a_reboot_after_the_main_container_has_ended_does_not_change_the_verdict() -> None:
    answer = decide(with_main(), saw(ran("main", code=0), ran("other"), alive=False, prepared=False))

    assert answer.status["phase"] == "Succeeded"


def test_a_reboot_while_it_ran_does() -> None:
    answer = decide(with_main(), saw(ran("main"), ran("other"), alive=False, prepared=False))

    assert answer.status["phase"] == "Failed"


def test_a_pod_that_is_deleted_is_judged_by_its_main_container() -> None:
    answer = decide(deleted(with_main()), saw(ran("main", code=0), ran("other", code=143)))

    assert (answer.status["phase"], answer.do) == ("Succeeded", (Remove(), Finish()))


def test_a_name_that_no_container_has_is_warned_of_and_all_of_them_count() -> None:
    pod = with_main("mian")

    answer = decide(pod, saw(ran("main", code=0), ran("other")))
    warnings = admit(pod, NODE, []).warnings

    assert (answer.do, answer.status["phase"]) == ((), "Running")
    assert [each.reason for each in warnings] == ["UnknownMainContainer"]
    assert 'no container "mian"' in warnings[0].message
    assert admit(with_main(), NODE, []).warnings == ()
