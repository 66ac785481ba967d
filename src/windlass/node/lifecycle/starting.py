"""Decides what a living pod starts next, in which order, and what its containers wait for."""

from msgspec import Struct

from windlass.kube.json import Object, dig, dig_list
from windlass.node.lifecycle import events
from windlass.node.lifecycle.backoff import INITIAL_DELAY, MAX_DELAY, delay
from windlass.node.lifecycle.decision import Instruction, Prepare, Pull, Start
from windlass.node.lifecycle.observed import Failure
from windlass.node.lifecycle.view import View, is_sidecar, spec_hash


class Waiting(Struct, frozen=True):
    """Why a container is not running; `state.waiting` of its status."""

    reason: str
    message: str = ""
    image: str = ""
    """The image that could not be pulled."""


class Starting(Struct):
    """Accumulates instructions, waiting reasons and wake-up times."""

    do: list[Instruction] = []
    waiting: dict[str, Waiting] = {}
    wake: list[float] = []


def starting(view: View) -> Starting:
    found = Starting()
    _prepare(view, found)
    for each in view.ephemerals:
        if view.newest(each) is None:
            _start(view, each, found, may_start=True)
    if not view.initialized:
        _start_inits(view, found)
        return found
    for each in view.sidecars:
        if not view.running(each):
            _start(view, each, found, may_start=True)
    _start_mains(view, found)
    return found


def _prepare(view: View, found: Starting) -> None:
    if view.usable:
        return
    failure = view.observed.failure
    if failure is not None and view.now < failure.retry_at:
        found.wake.append(failure.retry_at)
    else:
        found.do.append(Prepare())


def _start_inits(view: View, found: Starting) -> None:
    """Start init containers one after another. A sidecar need only have started; it is kept running meanwhile."""
    for each in view.all_inits:
        if is_sidecar(each):
            if not view.running(each):
                _start(view, each, found, may_start=True)
            if not view.is_started(each):
                return
        elif not view.has_passed(each):
            if not view.running(each):
                _start(view, each, found, may_start=True)
            return


def _start_mains(view: View, found: Starting) -> None:
    """Start main containers in order.

    A postStart hook delays the following containers, as kubelet starts them one by one.
    """
    held = False
    for each in view.mains:
        run = view.newest(each)
        if run is not None and run.running:
            held = held or view.hook_pending(each, run)
        elif run is None or view.restarts(each, run):
            starts = _start(view, each, found, may_start=not held)
            held = held or (starts and dig(each, "lifecycle", "postStart") is not None)


def _start(view: View, container: Object, found: Starting, *, may_start: bool) -> bool:
    """Whether the container starts now; otherwise record what it waits for, and pull its image."""
    name = container["name"]
    config_failure = _failure_of(view.observed.config_failures, container)
    if _backs_off(view, container, found) or _shows_failure(view, config_failure, name, found):
        return False
    attempt, policy = view.next_attempt(container), container.get("imagePullPolicy") or "IfNotPresent"
    image = view.image(container)
    if image is None or (policy == "Always" and image.attempt != attempt):
        _pull(view, container, policy, attempt, found)
        return False
    if _waits_for_volume(view, container, found) or not (may_start and view.usable):
        return False
    found.do.append(Start(name, attempt, spec_hash(container)))
    return True


def _backs_off(view: View, container: Object, found: Starting) -> bool:
    run = view.newest(container)
    if run is None or view.has_changed(container, run):
        return False
    seconds = delay(view.histories[container["name"]])
    if view.now >= run.finished_at + seconds:
        return False
    found.wake.append(run.finished_at + seconds)
    text = events.crash_message(seconds, container["name"], view.full_name)
    found.waiting[container["name"]] = Waiting("CrashLoopBackOff", text)
    return True


def _failure_of(failures: dict[str, Failure], container: Object) -> Failure | None:
    """Return the container's failure, unless it is about an image that the container no longer has."""
    failure = failures.get(container["name"])
    return None if failure is None or failure.image not in ("", container.get("image") or "") else failure


def _shows_failure(view: View, failure: Failure | None, name: str, found: Starting) -> bool:
    """Show the failure until it is resolved; whether it is too early to retry."""
    if failure is None:
        return False
    found.waiting[name] = Waiting(failure.reason, failure.message)
    if view.now < failure.retry_at:
        found.wake.append(failure.retry_at)
        return True
    return False


def _pull(view: View, container: Object, policy: str, attempt: int, found: Starting) -> None:
    name, image = container["name"], str(container.get("image") or "")
    failure = _failure_of(view.observed.pull_failures, container)
    if policy == "Never":
        text = f'Container image "{image}" is not present with pull policy of Never'
        found.waiting[name] = Waiting("ErrImageNeverPull", text)
        return
    if _shows_failure(view, failure, name, found):
        assert failure is not None
        _pull_back_off(view, name, image, failure, found)
        return
    if name not in view.observed.pulling:
        found.do.append(Pull(name, image, policy, attempt))


def _waits_for_volume(view: View, container: Object, found: Starting) -> bool:
    """Whether the container mounts an image that could not be pulled; its volume is prepared again, not the image."""
    failure = view.observed.failure
    if view.usable or failure is None or not failure.image:
        return False
    mounted = {mount.get("name") for mount in dig_list(container, "volumeMounts")}
    volumes = [each for each in dig_list(view.spec, "volumes") if each.get("name") in mounted]
    if failure.image not in {dig(each, "image", "reference") for each in volumes}:
        return False
    found.waiting[container["name"]] = Waiting(failure.reason, failure.message, failure.image)
    _pull_back_off(view, container["name"], failure.image, failure, found)
    return True


def _pull_back_off(view: View, name: str, image: str, failure: Failure, found: Starting) -> None:
    """Show ErrImagePull for the first half of the pause, as kubelet does until its next sync, then ImagePullBackOff."""
    if failure.reason != "ErrImagePull":
        return
    half = failure.retry_at - min(INITIAL_DELAY * 2 ** (failure.times - 1), MAX_DELAY) / 2
    if view.now < half:
        found.wake.append(half)
        return
    text = f'Back-off pulling image "{image}": ErrImagePull: {failure.message}'
    found.waiting[name] = Waiting("ImagePullBackOff", text, image)
