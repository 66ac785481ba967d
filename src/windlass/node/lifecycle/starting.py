"""What a living pod starts next, in which order, and what its containers wait for."""

from msgspec import Struct

from windlass.kube.json import Object, dig
from windlass.node.lifecycle import notes
from windlass.node.lifecycle.backoff import FIRST, LONGEST, delay
from windlass.node.lifecycle.decision import Instruction, Prepare, Pull, Start
from windlass.node.lifecycle.observed import Trouble
from windlass.node.lifecycle.view import View, is_sidecar, spec_hash


class Waiting(Struct, frozen=True):
    """Why a container does not run; a status' `state.waiting`."""

    reason: str
    message: str = ""


class Starting(Struct):
    """The answer, as it is gathered."""

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
    trouble = view.seen.trouble
    if trouble is not None and view.now < trouble.retry_at:
        found.wake.append(trouble.retry_at)
    else:
        found.do.append(Prepare())


def _start_inits(view: View, found: Starting) -> None:
    """One after another; a sidecar is enough when it has started, and is kept running while the next ones go on."""
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
    """In order. A postStart hook holds the following containers back, as kubelet starts them one by one."""
    held = False
    for each in view.mains:
        run = view.newest(each)
        if run is not None and run.running:
            held = held or view.hook_pending(each, run)
        elif run is None or view.restarts(each, run):
            starts = _start(view, each, found, may_start=not held)
            held = held or (starts and dig(each, "lifecycle", "postStart") is not None)


def _start(view: View, container: Object, found: Starting, *, may_start: bool) -> bool:
    """Whether it starts now; else what it waits for is noted, and its image asked for."""
    name = container["name"]
    config_trouble = _trouble_of(view.seen.config_troubles, container)
    if _backs_off(view, container, found) or _in_trouble(view, config_trouble, name, found):
        return False
    attempt, policy = view.next_attempt(container), container.get("imagePullPolicy") or "IfNotPresent"
    image = view.image(container)
    if image is None or (policy == "Always" and image.attempt != attempt):
        _pull(view, container, policy, attempt, found)
        return False
    if not (may_start and view.usable):
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
    text = notes.crash_message(seconds, container["name"], view.full_name)
    found.waiting[container["name"]] = Waiting("CrashLoopBackOff", text)
    return True


def _trouble_of(troubles: dict[str, Trouble], container: Object) -> Trouble | None:
    """That of the container, unless it is about an image that the container had before."""
    trouble = troubles.get(container["name"])
    return None if trouble is None or trouble.about not in ("", container.get("image") or "") else trouble


def _in_trouble(view: View, trouble: Trouble | None, name: str, found: Starting) -> bool:
    """The trouble is shown until it is over; whether it is too soon to try again."""
    if trouble is None:
        return False
    found.waiting[name] = Waiting(trouble.reason, trouble.message)
    if view.now < trouble.retry_at:
        found.wake.append(trouble.retry_at)
        return True
    return False


def _pull(view: View, container: Object, policy: str, attempt: int, found: Starting) -> None:
    name, image = container["name"], str(container.get("image") or "")
    trouble = _trouble_of(view.seen.pull_troubles, container)
    if policy == "Never":
        text = f'Container image "{image}" is not present with pull policy of Never'
        found.waiting[name] = Waiting("ErrImageNeverPull", text)
        return
    if _in_trouble(view, trouble, name, found):
        assert trouble is not None
        _pull_back_off(view, container, trouble, found)
        return
    if name not in view.seen.pulling:
        found.do.append(Pull(name, image, policy, attempt))


def _pull_back_off(view: View, container: Object, trouble: Trouble, found: Starting) -> None:
    """ErrImagePull is shown for the first half of its pause, as long as kubelet takes to look again; then this."""
    if trouble.reason != "ErrImagePull":
        return
    half = trouble.retry_at - min(FIRST * 2 ** (trouble.times - 1), LONGEST) / 2
    if view.now < half:
        found.wake.append(half)
        return
    text = f'Back-off pulling image "{container.get("image")}": ErrImagePull: {trouble.message}'
    found.waiting[container["name"]] = Waiting("ImagePullBackOff", text)
