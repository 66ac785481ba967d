"""When a gang that waits will have room, by what is known of the ends of others, and on which nodes."""

from collections.abc import Callable, Sequence

from windlass.scheduler.framework.reservation import Reservation
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import Mask, Rows
from windlass.scheduler.model.jobs import Job, Queue, Task
from windlass.scheduler.reservations.completion_times import Ends, Running
from windlass.scheduler.reservations.estimates import Estimates
from windlass.scheduler.reservations.fitting import Fitting, Need
from windlass.scheduler.reservations.queue_shares import Share

WORTH_MOVING = 0.5  # of the time that is still to be waited: for less than that other nodes are kept
HYPER_NODES = 32  # that are thought about for a gang that must be together

Place = tuple[float | None, Rows]
"""When there is room, None where that is not known, and on which nodes."""


class ReservationSearch:
    """`open_to` answers the nodes that a job may use; None: all."""

    def __init__(self, cluster: Cluster, estimates: Estimates, open_to: Callable[[Job], Mask | None]) -> None:
        self._cluster, self._open_to = cluster, open_to
        self.ends = Ends(cluster, estimates)
        self._session: Session

    def open(self, session: Session) -> None:
        self._session = session

    def find(
        self, queue: Queue, job: Job, since: float, again: Reservation | None, *, barred: bool
    ) -> Reservation | None:
        """What should be kept for the job, which had `again` before; None: there is nothing that could be waited for.

        `barred`: it lacks its queue's share. Nodes that would be free before that are not kept: other queues would wait
        for nothing.
        """
        running = self.ends.read(self._session.now)
        found = self._of_nodes(job, since, again, running)
        if not barred:
            return self._as_promised(found, again)
        share = Share(self._session, queue, self._lacking(job))
        if not share.could_be():
            return None  # the queue could never have so much
        share_at = share.when(running)
        if found is None or _is_later(share_at, found.at):
            found = Reservation(job, share_at, (), since, closed=self._is_missed(again))
        elif share_at is None:
            found.at = None
        self._as_promised(found, again)
        found.share = share.then(running, found.at, self._session.mask_of_nodes(found.nodes))
        return found

    def _is_missed(self, before: Reservation | None) -> bool:
        return before is not None and (before.closed or (before.at is not None and self._session.now >= before.at))

    def _as_promised(self, found: Reservation | None, again: Reservation | None) -> Reservation | None:
        """When it starts may be known no more: what was said before stands until it has passed."""
        said = again.at if again is not None else None
        if found is not None and found.at is None and said is not None and said > self._session.now:
            found.at = said
        return found

    def _of_nodes(self, job: Job, since: float, again: Reservation | None, running: Running) -> Reservation | None:
        """The earliest time, on the fewest nodes. If that has passed before, on the same nodes as then: what was
        promised is kept to, unless elsewhere it takes far less time, because a job on those nodes does not end.

        None: it is not for want of room.
        """
        now = self._session.now
        missed = self._is_missed(again)
        areas = self._areas(job)
        if again is not None and again.nodes and (missed or again.at is None):
            areas = [self._session.mask_of_nodes(again.nodes), *areas]
        else:
            again = None
        fittings = [self._fitting(job, area) for area in areas]
        known = [one for one in fittings if one is not None and not one.fits_now()]
        if len(known) < len(fittings):
            return None
        found = _earliest(known[1:] if again is not None else known, running)
        if again is not None:
            found = _rather_stay(_earliest(known[:1], running), found, now)
        if found is None:
            return None
        at, rows = found
        names = self._cluster.snapshot.table.names
        return Reservation(job, at, tuple(names[int(row)] for row in rows), since, closed=missed)

    def _areas(self, job: Job) -> list[Mask | None]:
        """Where all of it must be: anywhere, or in one of these."""
        topology = job.topology
        if topology is None or not topology.hard:
            return [None]
        known = self._cluster.hyper_nodes
        highest = topology.highest_tier
        if topology.highest_name:
            highest = max((one.tier for one in known if one.tier_name == topology.highest_name), default=None)
        near = [one for one in known if highest is None or one.tier <= highest]
        near.sort(key=lambda one: (-len(one.nodes), one.name))
        return [self._session.mask_of(one) for one in near[:HYPER_NODES]]

    def _fitting(self, job: Job, area: Mask | None) -> Fitting | None:
        session = self._session
        open_to = self._open_to(job)
        needs: list[Need] = []
        for task, number in self._lacking(job):
            shape = session.placer.shapes.of(task.pod)
            within = session.placer.allowed(shape).copy()
            for mask in (session.mask(task), open_to, area):
                if mask is not None:
                    within &= mask
            needs.append(Need(shape, number, within))
        return Fitting(self._cluster.snapshot.table, needs) if needs else None

    def _lacking(self, job: Job) -> list[tuple[Task, int]]:
        """What it needs to be complete: of each shape one task, and how many."""
        shapes = self._session.placer.shapes
        tasks = sorted(job.pending.values(), key=self._session.task_key)[: max(1, job.min_member - job.ready)]
        counts: dict[int, tuple[Task, int]] = {}
        for task in tasks:
            shape = id(shapes.of(task.pod))
            counts[shape] = (counts[shape][0], counts[shape][1] + 1) if shape in counts else (task, 1)
        return list(counts.values())


def _earliest(fittings: Sequence[Fitting], running: Running) -> Place | None:
    at, rows = None, None
    for fitting in fittings:
        found = fitting.when(running)
        if found is not None and (at is None or found[0] < at):
            at, rows = found
        elif rows is None:
            rows = fitting.anywhere()
    return None if rows is None else (at, rows)


def _is_later(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and one > other


def _rather_stay(here: Place | None, elsewhere: Place | None, now: float) -> Place | None:
    """Who moves as soon as it seems a little better elsewhere never has anywhere the room that he waits for."""
    if here is None or elsewhere is None or elsewhere[0] is None:
        return here or elsewhere
    if here[0] is None or elsewhere[0] - now < WORTH_MOVING * (here[0] - now):
        return elsewhere
    return here
