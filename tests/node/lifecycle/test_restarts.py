"""Restart policies of single containers, their rules, changed images, and readiness that others decide on."""

from typing import Any

import pytest

from tests.node.lifecycle.builders import NOW, a_container, a_pod, a_sidecar, deleted, ran, saw
from tests.node.lifecycle.test_decide import condition, container, started, stopped, waits
from windlass.kube.json import Object, dig
from windlass.node.lifecycle.decide import decide
from windlass.node.lifecycle.decision import Pull, Remove
from windlass.node.lifecycle.observed import Failure, ImageRef
from windlass.node.lifecycle.view import spec_hash


def rule(operator: str, *values: int) -> Object:
    return {"action": "Restart", "exitCodes": {"operator": operator, "values": list(values)}}


@pytest.mark.parametrize(
    ("pod_policy", "fields", "code", "again"),
    [
        ("Always", {"restartPolicy": "Never"}, 1, False),
        ("Always", {"restartPolicy": "OnFailure"}, 0, False),
        ("Always", {"restartPolicy": "OnFailure"}, 1, True),
        ("Never", {"restartPolicy": "Always"}, 0, True),
        ("Never", {"restartPolicy": "OnFailure"}, 1, True),
        ("OnFailure", {"restartPolicy": "Never"}, 1, False),
        ("Never", {"restartPolicy": "Never", "restartPolicyRules": [rule("In", 42)]}, 42, True),
        ("Never", {"restartPolicy": "Never", "restartPolicyRules": [rule("In", 42)]}, 1, False),
        ("Never", {"restartPolicy": "Never", "restartPolicyRules": [rule("NotIn", 42, 43)]}, 1, True),
        ("Never", {"restartPolicy": "Never", "restartPolicyRules": [rule("NotIn", 42, 43)]}, 43, False),
        ("Never", {"restartPolicy": "Never", "restartPolicyRules": [rule("In", 1), rule("In", 2)]}, 2, True),
        ("Always", {"restartPolicy": "OnFailure", "restartPolicyRules": [rule("In", 0)]}, 0, True),
    ],
)
def test_a_container_may_have_a_restart_policy_of_its_own(
    pod_policy: str, fields: Object, code: int, again: bool
) -> None:
    answer = decide(a_pod(a_container(**fields), restartPolicy=pod_policy), saw(ran(code=code)))

    assert started(answer) == ([("main", 1)] if again else [])
    assert answer.status["phase"] == ("Running" if again else "Failed" if code else "Succeeded")
    assert (answer.do == (Remove(),)) is not again


def test_a_container_that_is_done_waits_for_the_others() -> None:
    pod = a_pod(a_container(restartPolicy="Never"), a_container("other"))

    answer = decide(pod, saw(ran(code=3), ran("other")))
    assert (answer.do, answer.status["phase"]) == ((), "Running")
    assert dig(container(answer), "state", "terminated", "exitCode") == 3
    assert condition(answer, "Ready") == ("False", "ContainersNotReady")


@pytest.mark.parametrize(("policy", "code"), [("Never", 1), ("OnFailure", 1), ("OnFailure", 0), ("Always", 0)])
def test_an_init_container_may_have_a_restart_policy_of_its_own(policy: str, code: int) -> None:
    other = {"Never": "Always", "OnFailure": "Never", "Always": "Never"}[policy]
    init = a_container("init", restartPolicy=policy, restartPolicyRules=[rule("In", 99)])

    answer = decide(a_pod(inits=(init,), restartPolicy=other), saw(ran("init", code=code)))

    if code == 0:
        assert started(answer) == [("main", 0)]
    elif policy == "Never":
        assert (answer.status["phase"], started(answer)) == ("Failed", [])
    else:
        assert started(answer) == [("init", 1)]


# Another image


def changed(name: str = "main", **more: Any) -> Any:
    return ran(name, spec_hash=spec_hash(a_container(name, image="python:3.10")), **more)


@pytest.mark.parametrize("policy", ["Always", "OnFailure", "Never"])
def test_a_container_with_another_image_is_stopped_and_started_again_at_once(policy: str) -> None:
    pod = a_pod(restartPolicy=policy)

    first = decide(pod, saw(changed()))
    assert stopped(first) == [("main", 30)]
    assert first.events[0].message == "Container main definition changed, will be restarted"
    second = decide(a_pod(restartPolicy=policy, status=first.status), saw(changed(code=0, ago=1)))
    assert started(second) == [("main", 1)]
    assert second.status["phase"] == "Running"
    same = ran(spec_hash=spec_hash(a_container()))
    assert decide(pod, saw(same)).do == ()


def test_a_new_image_is_pulled_first_and_its_troubles_are_not_those_of_the_old_one() -> None:
    runs = (changed(code=1, ago=500), changed(attempt=1, code=1, ago=1))
    old = ImageRef("python:3.10", "sha256:0")

    answer = decide(a_pod(), saw(*runs, images={"main": old}))
    assert answer.do == (Pull("main", "python:3.11", "IfNotPresent", 2),)
    failure = Failure("ErrImagePull", "no such image", 9, NOW + 300, image="python:3.10")
    answer = decide(a_pod(), saw(images={}, pull_failures={"main": failure}))
    assert answer.do == (Pull("main", "python:3.11", "IfNotPresent", 0),)
    same = Failure("ErrImagePull", "no such image", 9, NOW + 300, image="python:3.11")
    assert decide(a_pod(), saw(images={}, pull_failures={"main": same})).do == ()


def test_a_sidecar_with_another_image_is_started_again_and_a_passed_init_container_is_not() -> None:
    pod = a_pod(inits=(a_container("init"), a_sidecar()))

    answer = decide(pod, saw(changed("init", code=0), changed("side"), ran()))
    assert stopped(answer) == [("side", 30)]
    answer = decide(pod, saw(changed("init", code=0), changed("side", code=0, ago=1), ran()))
    assert started(answer) == [("side", 1)]


def test_a_pod_that_ends_is_not_started_again_for_another_image() -> None:
    assert started(decide(deleted(a_pod()), saw(changed(code=0)))) == []


# Readiness gates


@pytest.mark.parametrize(
    ("told", "status", "message"),
    [
        ([], "False", 'corresponding condition of pod readiness gate "example.com/up" does not exist.'),
        (["False"], "False", 'the status of pod readiness gate "example.com/up" is not "True", but False'),
        (["Unknown"], "False", 'the status of pod readiness gate "example.com/up" is not "True", but Unknown'),
        (["True"], "True", None),
    ],
)
def test_a_pod_is_ready_when_its_gates_say_so(told: list[str], status: str, message: str | None) -> None:
    known: Object = {"phase": "Running", "conditions": [{"type": "example.com/up", "status": each} for each in told]}
    pod = a_pod(readinessGates=[{"conditionType": "example.com/up"}], status=known)

    answer = decide(pod, saw(ran()))

    found = {each["type"]: each for each in answer.status["conditions"]}
    assert (found["Ready"]["status"], found["Ready"].get("message")) == (status, message)
    assert found["Ready"].get("reason") == (None if message is None else "ReadinessGatesNotReady")
    assert found["ContainersReady"]["status"] == "True"
    assert [each["status"] for each in answer.status["conditions"] if each["type"] == "example.com/up"] == told


def test_gates_do_not_matter_while_the_containers_are_not_ready() -> None:
    pod = a_pod(readinessGates=[{"conditionType": "example.com/up"}])

    answer = decide(pod, saw())
    assert condition(answer, "Ready") == ("False", "ContainersNotReady")
    assert waits(answer) == "ContainerCreating"
