"""What the policies of a job ask for now, and later; and what of it must be remembered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from windlass.apps.volcano.controllers.job import ledger
from windlass.apps.volcano.controllers.job.job_state import VolcanoJobState
from windlass.apps.volcano.controllers.job.phases import moved
from windlass.apps.volcano.controllers.job.policies.policy_events import PolicyEvent, policy_events
from windlass.apps.volcano.controllers.job.policies.policy_orders import Order, answers_updates, order_for
from windlass.kube.json import timestamp


@dataclass(frozen=True, slots=True)
class Orders:
    """`due`: to be followed now. `waiting`: those of policies with a timeout that is not over."""

    due: Sequence[Order]
    waiting: Sequence[Order]

    def again_in(self, current: VolcanoJobState) -> timedelta | None:
        return min((order.due - current.now for order in self.waiting), default=None)


def orders_of(current: VolcanoJobState, heeded: Callable[[PolicyEvent], bool] = lambda policy_event: True) -> Orders:
    """Those that have an effect in the phase that the job is in."""
    found = [order_for(current.job, policy_event) for policy_event in policy_events(current) if heeded(policy_event)]
    given = [order for order in found if order is not None and moved(current.phase, order.action) is not None]
    due = [order for order in given if not order.delay or order.due <= current.now]
    return Orders(due, [order for order in given if order not in due])


def remembered(current: VolcanoJobState, orders: Orders, followed: Sequence[Order] = ()) -> dict[str, str]:
    """The ledger after a reconcile in which these orders were followed, and the others wait."""
    entries = ledger.without_commands_gone(
        current.status.controlled_resources, [command.metadata.uid for command in current.commands]
    )
    open_orders = [*orders.waiting, *(order for order in orders.due if order.delay and order.why.cause is not None)]
    evicted = {order.why.pod: order.why.since for order in open_orders if order.why.event == "PodEvicted"}
    entries = ledger.with_evictions(entries, evicted)
    return _scale(current, orders, _group(current, followed, entries))


def _group(current: VolcanoJobState, followed: Sequence[Order], entries: dict[str, str]) -> dict[str, str]:
    if any(order.why.event == "Unknown" for order in followed):
        return {**entries, ledger.GROUP: ledger.UNKNOWN}
    unknown = current.group is not None and current.group.status.phase == "Unknown"
    return entries if unknown else ledger.without(entries, ledger.GROUP)


def _scale(current: VolcanoJobState, orders: Orders, entries: dict[str, str]) -> dict[str, str]:
    """Kept only where a policy asks."""
    bare = ledger.without(entries, ledger.UPDATED)
    if not answers_updates(current.job):
        return ledger.without(bare, ledger.SCALE)
    waits = [order for order in orders.waiting if order.why.event == "JobUpdated"]
    if waits:
        return {**bare, ledger.UPDATED: timestamp(waits[0].why.since)}
    return {**bare, ledger.SCALE: ledger.scale_of(current.job)}
