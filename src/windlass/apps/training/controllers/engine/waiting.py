"""Why a job does not run yet, in the messages of its conditions: a refused child, its gang, or one of its pods.

What keeps a job from starting stands in the message of `Created`, whatever has happened since; what keeps a running one
from being whole, in that of `Running`. The types and reasons of the conditions are upstream's: clients read those.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from windlass.apis.gang_waits import gang_wait
from windlass.apps.training.controllers.engine.conditions import CREATED, with_message
from windlass.apps.training.controllers.engine.gang import Gang
from windlass.apps.training.job import Job
from windlass.apps.training.kinds.common import JobCondition
from windlass.controllers.waiting_gangs import EVENT_REASON, says_the_same
from windlass.kube import refusals
from windlass.kube.conditions import find
from windlass.kube.controller import Observed
from windlass.kube.plan import Event, Outcome


def gang_note(gang: Gang | None, job: Job, observed: Observed) -> Event | None:
    """Why the job's gang waits, as its PodGroup says; None where it does not."""
    wait = gang_wait(observed.one(gang.groups, job.name)) if gang is not None else None
    return Event(reason=EVENT_REASON, message=wait.about(job.name), warning=True) if wait is not None else None


def explained(
    conditions: Sequence[JobCondition], said: Mapping[str, tuple[str, Event | None]], now: datetime
) -> tuple[list[JobCondition], list[Event]]:
    """The conditions with these sentences, each followed by why the job waits, and the events of what is new."""
    changed, events = list(conditions), list[Event]()
    for type, (sentence, why) in said.items():
        message = f"{sentence} {why.message}" if why is not None else sentence
        old = find(changed, type)
        if old is None or (says_the_same(old.message, message) if why is not None else old.message == message):
            continue
        changed = with_message(changed, type, message, now)
        events += [why] if why is not None else []
    return changed, events


def refused(
    before: Sequence[JobCondition], after: Sequence[JobCondition], sentence: str, why: Sequence[Outcome], now: datetime
) -> list[JobCondition]:
    """The conditions `after` a reconcile in which a child was refused.

    If `Created` said the same `before`, it stays as it was: a write at each attempt would bring on the next attempt.
    """
    message = f"{sentence} {refusals.explain(why[0])}"
    old = find(before, CREATED)
    if old is None or not says_the_same(old.message, message):
        return with_message(after, CREATED, message, now)
    return [old if one.type == CREATED else one for one in after]
