"""Why a gang, a pod or a container is not well, for pages: reasons as data with words and what helps. Pure."""

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.gang_waits import gang_wait
from windlass.apis.wellknown import NAME_CONFLICT
from windlass.controllers.waiting_containers import waiting_container
from windlass.gateway.views.fixes import event_fixes, reason_fixes
from windlass.gateway.views.parts import Why
from windlass.gateway.views.reading import name_of, namespace_of, text, whole
from windlass.gateway.views.visibility import Visible, masked_gang
from windlass.gateway.views.wait_sentences import wait_sentence
from windlass.gateway.webapps.phases import PhaseStatus
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.objects import without_nulls


def plain_why(
    code: str, sentence: str, *, details: dict[str, str] | None = None, command: str = "", link: str = ""
) -> Why:
    """A reason that comes from a condition, an event or a container."""
    named = {"message": sentence} if details is None else details
    return Why(code=code, sentence=sentence, reason=None, details=named, fixes=event_fixes(code, command, link))


def gang_why(group: Object | None, visible: Visible) -> Why | None:
    """Why a gang waits, as its PodGroup says; None where it does not wait."""
    wait = gang_wait(group) if group is not None else None
    if wait is None:
        return None
    if wait.data is None:
        return plain_why(wait.reason, wait.short_text)
    data = masked_gang(wait.data, visible)
    return Why(code=wait.reason, sentence=wait_sentence(data), reason=data, details={}, fixes=reason_fixes(data))


def pod_why(pod: Object) -> Why | None:
    """Why a pod does not run: a container that cannot start, one that failed, or no node."""
    waiting = _waiting(pod)
    return waiting or failed_why(pod) or _unscheduled(pod)


def _waiting(pod: Object) -> Why | None:
    try:
        wait = waiting_container(msgspec.convert(without_nulls(pod), Pod))
    except msgspec.ValidationError:
        return None
    if wait is None:
        return None
    details = {"pod": name_of(pod), "message": wait.details}
    return plain_why(wait.reason, f"{wait.reason}: {wait.details}", details=details, command=logs_command(pod))


def failed_why(pod: Object) -> Why | None:
    """Of a container that ended with an error, or of a pod that was evicted."""
    for status in dig_list(pod, "status", "containerStatuses"):
        ended = dig_object(status, "state", "terminated")
        code = whole(ended.get("exitCode"))
        if ended and code != 0:
            return _exit(pod, text(dig(status, "name")), ended, code)
    if dig(pod, "status", "phase") == "Failed":
        reason = text(dig(pod, "status", "reason")) or "PodFailed"
        return plain_why(reason, text(dig(pod, "status", "message")) or f"pod {name_of(pod)} failed")
    return None


def _exit(pod: Object, container: str, ended: Object, code: int) -> Why:
    reason = text(ended.get("reason")) or "Error"
    message = text(ended.get("message")).strip()
    sentence = f"{reason}: container {container} of {name_of(pod)} ended with exit code {code}"
    details = {"container": container, "pod": name_of(pod), "exitCode": str(code), "message": message}
    words = f"{sentence}: {message}" if message else sentence
    return plain_why(reason, words, details=details, command=logs_command(pod))


def _unscheduled(pod: Object) -> Why | None:
    for condition in dig_list(pod, "status", "conditions"):
        if dig(condition, "type") == "PodScheduled" and dig(condition, "status") == "False":
            reason = text(dig(condition, "reason")) or "Unschedulable"
            sentence = text(dig(condition, "message")) or "the scheduler has not placed it yet"
            named = {"message": text(dig(condition, "message"))}
            fixes = event_fixes("FailedScheduling")
            return Why(code=reason, sentence=sentence, reason=None, details=named, fixes=fixes)
    return None


def status_why(status: PhaseStatus, pod: Object | None) -> Why | None:
    """Why a server that should run does not; its pod knows best."""
    if status.phase not in ("warning", "error", "unavailable", "waiting"):
        return None
    # The pod of an object whose Service belongs to another may be well.
    found = pod_why(pod) if pod is not None and status.state != NAME_CONFLICT else None
    if found is not None:
        return found
    return plain_why(status.state, status.message) if status.phase != "waiting" and status.message else None


def logs_command(pod: Object) -> str:
    return f"kubectl logs -n {namespace_of(pod)} {name_of(pod)}"
