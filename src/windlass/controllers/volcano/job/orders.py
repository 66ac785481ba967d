"""What the policies of a job ask for now, and later; and what of it must be remembered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from windlass.controllers.volcano.job import ledger
from windlass.controllers.volcano.job.happenings import Happening, happenings
from windlass.controllers.volcano.job.look import Look
from windlass.controllers.volcano.job.phases import moved
from windlass.controllers.volcano.job.policies import Order, answers_updates, order_for
from windlass.kube.json import timestamp


@dataclass(frozen=True, slots=True)
class Orders:
    """`due`: to be followed now. `waiting`: those of policies with a timeout that is not over."""

    due: Sequence[Order]
    waiting: Sequence[Order]

    def again_in(self, look: Look) -> timedelta | None:
        return min((order.due - look.now for order in self.waiting), default=None)


def orders_of(look: Look, heeded: Callable[[Happening], bool] = lambda happening: True) -> Orders:
    """Those that have an effect in the phase that the job is in."""
    found = [order_for(look.job, happening) for happening in happenings(look) if heeded(happening)]
    given = [order for order in found if order is not None and moved(look.phase, order.action) is not None]
    due = [order for order in given if not order.delay or order.due <= look.now]
    return Orders(due, [order for order in given if order not in due])


def remembered(look: Look, orders: Orders, followed: Sequence[Order] = ()) -> dict[str, str]:
    """The ledger after a look at which these orders were followed, and the others wait."""
    entries = ledger.without_commands_gone(
        look.status.controlled_resources, [command.metadata.uid for command in look.commands]
    )
    open_orders = [*orders.waiting, *(order for order in orders.due if order.delay and order.why.cause is not None)]
    evicted = {order.why.pod: order.why.since for order in open_orders if order.why.event == "PodEvicted"}
    entries = ledger.with_evictions(entries, evicted)
    return _scale(look, orders, _group(look, followed, entries))


def _group(look: Look, followed: Sequence[Order], entries: dict[str, str]) -> dict[str, str]:
    if any(order.why.event == "Unknown" for order in followed):
        return {**entries, ledger.GROUP: ledger.UNKNOWN}
    unknown = look.group is not None and look.group.status.phase == "Unknown"
    return entries if unknown else ledger.without(entries, ledger.GROUP)


def _scale(look: Look, orders: Orders, entries: dict[str, str]) -> dict[str, str]:
    """Kept only where a policy asks."""
    bare = ledger.without(entries, ledger.UPDATED)
    if not answers_updates(look.job):
        return ledger.without(bare, ledger.SCALE)
    waits = [order for order in orders.waiting if order.why.event == "JobUpdated"]
    if waits:
        return {**bare, ledger.UPDATED: timestamp(waits[0].why.since)}
    return {**bare, ledger.SCALE: ledger.scale_of(look.job)}
