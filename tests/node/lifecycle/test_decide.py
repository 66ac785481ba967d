"""The stories of pods: what is done at each step, and what their status says."""

from typing import Any

from tests.node.lifecycle.builders import NOW, a_container, a_pod, a_sidecar, deleted, ran, saw
from windlass.kube.json import Object, dig
from windlass.node.lifecycle.decide import decide
from windlass.node.lifecycle.decision import Decision, Finish, Prepare, Pull, Remove, Start, Stop
from windlass.node.lifecycle.observed import Eviction, Failure, HookState, Observed, ProbeResults, Rejection, Stopping


def container(decision: Decision, name: str = "main") -> Object:
    lists = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    return next(each for key in lists for each in decision.status.get(key, ()) if each["name"] == name)


def condition(decision: Decision, type: str) -> tuple[str, str]:
    found = next(each for each in decision.status["conditions"] if each["type"] == type)
    return found["status"], found.get("reason", "")


def started(decision: Decision) -> list[tuple[str, int]]:
    return [(each.container, each.attempt) for each in decision.do if isinstance(each, Start)]


def stopped(decision: Decision) -> list[tuple[str, float]]:
    return [(each.container, each.grace) for each in decision.do if isinstance(each, Stop)]


def waits(decision: Decision, name: str = "main") -> Any:
    return dig(container(decision, name), "state", "waiting", "reason")


def test_a_new_pod_is_prepared_and_its_image_is_pulled() -> None:
    answer = decide(a_pod(), Observed(now=NOW, host_ip="10.244.0.1"))

    assert answer.do == (Prepare(), Pull("main", "python:3.11", "IfNotPresent", 0))
    assert answer.status["phase"] == "Pending"
    assert waits(answer) == "ContainerCreating"
    assert condition(answer, "PodReadyToStartContainers") == ("False", "")
    assert condition(answer, "Ready") == ("False", "ContainersNotReady")


def test_a_prepared_pod_starts_all_its_containers() -> None:
    answer = decide(a_pod(a_container(), a_container("other")), saw())

    assert started(answer) == [("main", 0), ("other", 0)]


def test_a_running_pod_is_left_alone_and_ready() -> None:
    answer = decide(a_pod(), saw(ran()))

    assert answer.do == ()
    assert answer.wake_at is None
    assert answer.status["phase"] == "Running"
    assert condition(answer, "Ready") == ("True", "")
    assert container(answer)["containerID"] == "windlass://main-0"
    assert (answer.status["podIP"], answer.status["hostIP"]) == ("10.244.0.7", "10.244.0.1")


def test_init_containers_run_one_after_another() -> None:
    pod = a_pod(inits=(a_container("init"), a_container("init2")))

    assert started(decide(pod, saw())) == [("init", 0)]
    assert decide(pod, saw(ran("init"))).do == ()
    assert started(decide(pod, saw(ran("init", code=0)))) == [("init2", 0)]
    last = decide(pod, saw(ran("init", code=0), ran("init2", code=0)))
    assert started(last) == [("main", 0)]
    assert condition(last, "Initialized") == ("True", "")
    assert waits(last) == "PodInitializing"


def test_an_init_container_that_fails_is_run_again_or_ends_the_pod() -> None:
    init = a_container("init")

    assert started(decide(a_pod(inits=(init,)), saw(ran("init", code=1)))) == [("init", 1)]
    answer = decide(a_pod(inits=(init,), restartPolicy="Never"), saw(ran("init", code=1)))
    assert answer.do == (Remove(),)
    assert answer.status["phase"] == "Failed"
    assert waits(answer) == "PodInitializing"


def test_a_sidecar_starts_before_the_next_and_is_stopped_last() -> None:
    side = a_sidecar(startupProbe={"exec": {"command": ["true"]}})
    pod = a_pod(inits=(side, a_container("init")), restartPolicy="Never")

    assert decide(pod, saw(ran("side"))).do == ()
    up = {"side": ProbeResults(0, started=True)}
    assert started(decide(pod, saw(ran("side"), probe_results=up))) == [("init", 0)]
    whole = (ran("side"), ran("init", code=0))
    assert stopped(decide(deleted(pod), saw(*whole, ran(), probe_results=up))) == [("main", 30)]
    done = decide(pod, saw(*whole, ran(code=0), probe_results=up))
    assert stopped(done) == [("side", 30)]
    assert done.status["phase"] == "Running"
    assert condition(done, "Ready") == ("False", "PodCompleted")
    over = decide(pod, saw(ran("side", code=143), ran("init", code=0), ran(code=0)))
    assert (over.do, over.status["phase"]) == ((Remove(),), "Succeeded")


def test_restart_policies_say_what_an_exit_means() -> None:
    for policy, code, again, phase in (
        ("Always", 0, True, "Running"),
        ("Always", 1, True, "Running"),
        ("OnFailure", 0, False, "Succeeded"),
        ("OnFailure", 1, True, "Running"),
        ("Never", 0, False, "Succeeded"),
        ("Never", 1, False, "Failed"),
    ):
        answer = decide(a_pod(restartPolicy=policy), saw(ran(code=code)))
        assert (bool(started(answer)), answer.status["phase"]) == (again, phase), (policy, code)


def test_a_container_that_ends_again_and_again_waits_longer_and_longer() -> None:
    runs = [ran(attempt=number, code=1, ago=3000 - number, took=0.5) for number in range(3)]
    answer = decide(a_pod(), saw(*runs[:2], ran(attempt=2, code=1, ago=1, took=1)))

    assert answer.do == ()
    assert answer.wake_at == NOW + 20
    assert dig(container(answer), "state", "waiting") == {
        "reason": "CrashLoopBackOff",
        "message": "back-off 20s restarting failed container=main pod=p_ns(u)",
    }
    assert dig(container(answer), "lastState", "terminated", "exitCode") == 1
    assert container(answer)["restartCount"] == 2
    assert [each.message for each in answer.events] == ["Back-off restarting failed container main in pod p_ns(u)"]
    again = decide(a_pod(status=answer.status), saw(*runs[:2], ran(attempt=2, code=1, ago=1, took=1)))
    assert again.events == ()


def test_ten_good_minutes_forgive_what_was_before() -> None:
    assert started(decide(a_pod(), saw(ran(attempt=40, code=1, ago=700, took=699)))) == [("main", 41)]


def test_deletion_stops_then_removes_then_lets_the_object_go() -> None:
    pod = deleted(a_pod())

    first = decide(pod, saw(ran()))
    assert stopped(first) == [("main", 30)]
    assert [each.message for each in first.events] == ["Stopping container main"]
    assert decide(pod, saw(ran(), stopping={"main": Stopping(0, NOW - 3, 30)})).do == ()
    sooner = decide(deleted(a_pod(), 1), saw(ran(), stopping={"main": Stopping(0, NOW - 3, 30)}))
    assert (stopped(sooner), sooner.events) == ([("main", 1)], ())
    last = decide(pod, saw(ran(code=143)))
    assert last.do == (Remove(), Finish())
    assert last.status["phase"] == "Failed"
    assert (
        decide(pod | {"status": last.status}, saw(facts=None, prepared=False, address="")).status["phase"] == "Failed"
    )


def test_a_pod_that_never_started_goes_at_once() -> None:
    answer = decide(deleted(a_pod()), Observed(now=NOW))

    assert answer.do == (Remove(), Finish())
    assert dig(container(answer), "state", "terminated", "reason") == "ContainerStatusUnknown"


def test_probes_decide_on_ready_and_on_life() -> None:
    probe: Object = {"httpGet": {"port": 80}}
    pod = a_pod(a_container(readinessProbe=probe, livenessProbe=probe | {"terminationGracePeriodSeconds": 3}))

    assert container(decide(pod, saw(ran())))["ready"] is False
    assert container(decide(pod, saw(ran(), probe_results={"main": ProbeResults(0, ready=True)})))["ready"] is True
    assert (
        container(decide(pod, saw(ran(attempt=1), probe_results={"main": ProbeResults(0, ready=True)})))["ready"]
        is False
    )
    sick = decide(pod, saw(ran(), probe_results={"main": ProbeResults(0, ready=True, live=False)}))
    assert stopped(sick) == [("main", 3)]
    assert sick.events[0].message == "Container main failed liveness probe, will be restarted"


def test_a_new_agent_believes_the_status_until_the_probes_have_spoken() -> None:
    pod = a_pod(a_container(readinessProbe={"tcpSocket": {"port": 80}}))
    ready = decide(pod, saw(ran(), probe_results={"main": ProbeResults(0, ready=True)}))

    assert container(decide(pod | {"status": ready.status}, saw(ran())))["ready"] is True


def test_a_poststart_hook_holds_back_the_next_container_and_its_failure_kills() -> None:
    hooked = a_container(lifecycle={"postStart": {"exec": {"command": ["true"]}}})
    pod = a_pod(hooked, a_container("other"))

    assert started(decide(pod, saw())) == [("main", 0)]
    pending = decide(pod, saw(ran(), hooks={"main": HookState(0, "pending")}))
    assert (pending.do, waits(pending), pending.status["phase"]) == ((), "ContainerCreating", "Pending")
    assert started(decide(pod, saw(ran(), hooks={"main": HookState(0, "done")}))) == [("other", 0)]
    assert stopped(decide(pod, saw(ran(), hooks={"main": HookState(0, "failed", "no")}))) == [("main", 30)]


def test_images_that_do_not_come_are_reported_as_kubelet_does() -> None:
    early = Failure("ErrImagePull", "no such image", 1, NOW + 9)
    late = Failure("ErrImagePull", "no such image", 1, NOW + 2)

    first = decide(a_pod(), saw(images={}, pull_failures={"main": early}))
    assert (first.do, waits(first)) == ((), "ErrImagePull")
    second = decide(a_pod(status=first.status), saw(images={}, pull_failures={"main": late}))
    assert (waits(second), second.wake_at) == ("ImagePullBackOff", NOW + 2)
    assert [each.message for each in second.events] == [
        'Back-off pulling image "python:3.11"',
        "Error: ImagePullBackOff",
    ]
    never = decide(a_pod(a_container(imagePullPolicy="Never")), saw(images={}))
    assert (never.do, waits(never)) == ((), "ErrImageNeverPull")


def test_an_image_volume_that_does_not_come_is_reported_by_the_containers_that_mount_it() -> None:
    mounts = [{"name": "model", "mountPath": "/model"}]
    containers = a_container(volumeMounts=mounts), a_container("other")
    volumes = [{"name": "model", "image": {"reference": "team/model:1"}}]
    failure = Failure("ErrImagePull", "no such image", 1, NOW + 9, image="team/model:1")

    first = decide(a_pod(*containers, volumes=volumes), saw(prepared=False, failure=failure))
    assert (first.do, waits(first), waits(first, "other")) == ((), "ErrImagePull", "ContainerCreating")
    assert first.wake_at is not None
    later = Failure("ErrImagePull", "no such image", 1, NOW + 2, image="team/model:1")
    second = decide(a_pod(*containers, volumes=volumes, status=first.status), saw(prepared=False, failure=later))
    assert (second.do, waits(second)) == ((), "ImagePullBackOff")
    assert 'Back-off pulling image "team/model:1"' in [each.message for each in second.events]
    due = Failure("ErrImagePull", "no such image", 1, NOW - 1, image="team/model:1")
    assert decide(a_pod(*containers, volumes=volumes), saw(prepared=False, failure=due)).do == (Prepare(),)


def test_an_image_without_a_program_is_reported_until_the_container_has_another_one() -> None:
    failure = Failure("CreateContainerError", "no command specified", 3, NOW + 9, image="team/app:1")
    seen = saw(images={}, config_failures={"main": failure})

    held = decide(a_pod(a_container(image="team/app:1")), seen)
    assert (held.do, waits(held), held.wake_at) == ((), "CreateContainerError", NOW + 9)
    assert [each.message for each in held.events] == ["Error: no command specified"]
    changed = decide(a_pod(a_container(image="team/app:2"), status=held.status), seen)
    assert [each.reference for each in changed.do if isinstance(each, Pull)] == ["team/app:2"]


def test_a_deadline_ends_the_pod() -> None:
    status = decide(a_pod(), saw(ran())).status | {"startTime": "2027-01-15T07:59:00Z"}
    pod = a_pod(activeDeadlineSeconds=60, status=status)

    assert stopped(decide(pod, saw(ran()))) == [("main", 30)]
    over = decide(pod, saw(ran(code=143)))
    assert (over.status["phase"], over.status["reason"]) == ("Failed", "DeadlineExceeded")
    assert over.status["message"] == "Pod was active on the node longer than the specified deadline"
    assert decide(a_pod(activeDeadlineSeconds=90, status=status), saw(ran())).wake_at == NOW + 30


def test_an_eviction_is_remembered_in_the_status() -> None:
    first = decide(a_pod(), saw(ran(), evicting=Eviction("The node was low on resource: memory.")))
    assert stopped(first) == [("main", 1)]
    assert condition(first, "DisruptionTarget") == ("True", "TerminationByKubelet")
    over = decide(a_pod(status=first.status), saw(ran(code=137)))
    assert (over.status["phase"], over.status["reason"]) == ("Failed", "Evicted")
    assert over.do == (Remove(),)


def test_a_refused_pod_fails_and_stays_so() -> None:
    seen = Observed(now=NOW, rejection=Rejection("OutOfcpu", "Node didn't have enough resource: cpu"))
    answer = decide(a_pod(), seen)
    assert answer.status["message"] == "Pod was rejected: Node didn't have enough resource: cpu"
    assert decide(a_pod(status=answer.status), Observed(now=NOW)).status == answer.status


def test_after_a_reboot_the_pod_is_started_anew_or_has_failed() -> None:
    always = decide(a_pod(inits=(a_container("init"),)), saw(ran("init", code=0), ran(), alive=False))
    assert Prepare() in always.do
    assert started(always) == []
    assert dig(container(always), "state", "terminated", "exitCode") == 255
    never = decide(a_pod(restartPolicy="Never"), saw(ran(), alive=False))
    assert never.status["phase"] == "Failed"


def test_a_run_that_nobody_remembers_is_not_started_under_the_same_number() -> None:
    status = decide(a_pod(), saw(ran(attempt=2))).status

    answer = decide(a_pod(status=status), saw())
    assert dig(container(answer), "lastState", "terminated", "reason") in (None, "ContainerStatusUnknown")
    assert all(attempt > 2 for _, attempt in started(answer))


def test_an_ephemeral_container_runs_once() -> None:
    pod = a_pod(ephemeralContainers=[a_container("debug")])

    assert started(decide(pod, saw(ran()))) == [("debug", 0)]
    assert decide(pod, saw(ran(), ran("debug", code=1))).do == ()
