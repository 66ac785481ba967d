"""Which action a happening asks for: the policies of its task in order, then those of the job; the first that fits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.apps.volcano.controllers.job.durations import parse_duration
from windlass.apps.volcano.controllers.job.policies.policy_events import PolicyEvent
from windlass.apps.volcano.controllers.job.tasks import task_named
from windlass.apps.volcano.kinds.batch import Job, LifecyclePolicy
from windlass.apps.volcano.kinds.bus import ANY_EVENT

WATCHED_SCALE = (ANY_EVENT, "JobUpdated")


@dataclass(frozen=True, slots=True)
class Order:
    """An action, why, and when."""

    action: str
    why: PolicyEvent
    delay: timedelta = timedelta()

    @property
    def due(self) -> datetime:
        return self.why.since + self.delay


def order_for(job: Job, policy_event: PolicyEvent) -> Order | None:
    """None where no policy has anything to say."""
    task = task_named(job, policy_event.task) if policy_event.task else None
    for policy in (*(task.policies if task is not None else ()), *job.spec.policies):
        if _fits(policy, policy_event):
            return Order(policy.action, policy_event, _delay(policy))
    return None


def events_of(policy: LifecyclePolicy) -> Sequence[str]:
    return [*policy.events, *([policy.event] if policy.event else [])]


def _fits(policy: LifecyclePolicy, policy_event: PolicyEvent) -> bool:
    if policy_event.event == "PodPending" and policy.timeout is None:
        return False  # every pod is pending at first
    events = events_of(policy)
    if ANY_EVENT in events or policy_event.event in events:
        return True
    return policy.exit_code is not None and policy.exit_code == policy_event.exit_code != 0


def _delay(policy: LifecyclePolicy) -> timedelta:
    return parse_duration(policy.timeout) if policy.timeout else timedelta()


def pending_order(job: Job, task: str, now: datetime) -> Order | None:
    """What a new pod of a task has to fear if it stays pending."""
    return order_for(job, PolicyEvent(event="PodPending", since=now, task=task))


def answers_updates(job: Job) -> bool:
    return any(event in WATCHED_SCALE for policy in job.spec.policies for event in events_of(policy))
