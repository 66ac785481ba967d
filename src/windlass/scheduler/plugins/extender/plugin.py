"""`extender`: an external server decides, asked by HTTP, as far as the arguments name verbs for it.

An answer that fails counts as no objection with `extender.ignorable: true`, else as a refusal. One that may still come
counts as a refusal for now.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from windlass.apis.reasons import ExtenderPending, ExtenderRefused, NodeCause
from windlass.scheduler.framework.extension_points import Vote
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import Mask, Vector
from windlass.scheduler.model.jobs import Job, Queue, Task
from windlass.scheduler.model.parsing import duration_of
from windlass.scheduler.model.snapshot import NodeInfo
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.plugins.extender.client import CallbackFailed, Connect, NotYet, unconnected
from windlass.scheduler.plugins.extender.protocol import job_json, node_json, queue_json, task_json, tasks_json

TIMEOUT = 1.0
PENDING = NodeCause("ExtenderPending")
_MILLISECONDS = "ms"


QUESTIONS = (
    "onSessionOpen", "predicate", "prioritize", "preemptable", "reclaimable", "jobEnqueueable", "queueOverused",
    "jobReady",
)  # fmt: skip


class Extender(Plugin):
    NAME = "extender"

    def __init__(self, arguments: Arguments, connect: Connect = unconnected) -> None:
        super().__init__(arguments)
        self._prefix = arguments.text("extender.urlPrefix")
        arguments.asked.update(f"extender.{name}Verb" for name in QUESTIONS)
        self._ignorable = arguments.flag("extender.ignorable", False)
        self._client = connect(self._prefix, timeout_of(arguments))
        if not self._prefix.startswith(("http://", "https://")):
            arguments.warnings.append(f"extender: extender.urlPrefix: {self._prefix!r} is not an address of HTTP")
        if self._verb("onSessionClose"):
            arguments.warnings.append("extender: extender.onSessionCloseVerb is not followed")

    def open(self, session: Session) -> None:
        self._session = session
        self._refused: dict[str, NodeCause] = {}
        self._scores: dict[str, Vector] = {}
        self._client.begin()
        if self._verb("onSessionOpen"):
            self._put("onSessionOpen", self._all(), None, None, about="all")

    def _all(self) -> dict[str, Any]:
        """Jobs that wait, all nodes and all queues."""
        cluster = self._session.cluster
        numbers = cluster.snapshot.table.index
        return {
            "jobs": {uid: job_json(job) for uid, job in cluster.waiting.items()},
            "nodes": {node.name: self._node_json(numbers[node.name], node) for node in cluster.snapshot.nodes},
            "queues": {name: queue_json(queue) for name, queue in cluster.queues.items()},
        }

    def _verb(self, name: str) -> str:
        return self.arguments.text(f"extender.{name}Verb")

    def _put(self, name: str, body: dict[str, Any], if_it_fails: Any, if_not_yet: Any, about: Hashable = None) -> Any:
        """The answer; None if there is no verb for it."""
        verb = self._verb(name)
        if not verb:
            return None
        try:
            answer = self._client(verb, body, about)
        except NotYet:
            return if_not_yet
        except CallbackFailed as error:
            note = f"extender: {error}"
            if note not in self._session.decisions.notes:
                self._session.decisions.notes.append(note)
            return if_it_fails
        return answer if isinstance(answer, dict) else if_it_fails

    # --- nodes

    def one_at_a_time(self, shape: Shape, job: Job) -> bool:
        return bool(self._verb("predicate") or self._verb("prioritize"))

    def node_mask(self, task: Task) -> Mask | None:
        """It is asked about each node that has room. None is taken before its scores are known."""
        if not (self._verb("predicate") or self._verb("prioritize")):
            return None
        mask = np.ones(len(self._session.cluster.snapshot.table), dtype=np.bool_)
        failed = {"errorMessage": "" if self._ignorable else "it did not answer"}
        for number, node in self._with_room(task) if self._verb("predicate") else ():
            body = {"task": task_json(task), "node": self._node_json(number, node)}
            about = (task.uid, node.name)
            answer = self._put("predicate", body, failed, None, about)
            if answer is None:
                mask[number], self._refused[task.uid] = False, PENDING
            elif why := str(answer.get("errorMessage") or ""):
                mask[number], self._refused[task.uid] = False, NodeCause("ExtenderMessage", why)
        scores = self._scores_for(task)
        if scores is None:
            mask[:] = False
            self._refused[task.uid] = PENDING
        else:
            self._scores[task.uid] = scores
        return mask

    def node_cause(self, task: Task) -> NodeCause:
        return self._refused.get(task.uid, NodeCause("ExtenderRefused"))

    def node_score(self, task: Task) -> Vector | None:
        if not self._verb("prioritize"):
            return None
        known = self._scores.pop(task.uid, None)
        return self._scores_for(task) if known is None else known

    def _scores_for(self, task: Task) -> Vector | None:
        """By the number of the node, 0 where it says nothing; None: it has not answered yet."""
        found = np.zeros(len(self._session.cluster.snapshot.table))
        if not self._verb("prioritize"):
            return found
        there = self._with_room(task)
        body = {"task": task_json(task), "nodes": [self._node_json(number, node) for number, node in there]}
        answer = self._put("prioritize", body, {}, None, task.uid)
        if answer is None:
            return None
        scores = answer.get("nodeScore")
        for number, node in there if isinstance(scores, dict) else ():
            score = scores.get(node.name, 0)
            found[number] = float(score) if isinstance(score, int | float) else 0.0
        return found

    def _with_room(self, task: Task) -> list[tuple[int, NodeInfo]]:
        placer, snapshot = self._session.placer, self._session.cluster.snapshot
        numbers = np.flatnonzero(placer.slots(placer.shapes.of(task.pod)) >= 1).tolist()
        found = [(number, snapshot.node(snapshot.table.names[number])) for number in numbers]
        return [(number, node) for number, node in found if node is not None]

    def _node_json(self, number: int, node: NodeInfo) -> dict[str, Any]:
        table = self._session.cluster.snapshot.table
        return node_json(node, table.allocatable[:, number], table.used[:, number])

    # --- victims

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task] | None:
        return self._victims("preemptable", preemptor, candidates)

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task] | None:
        return self._victims("reclaimable", reclaimer, candidates)

    def _victims(self, name: str, evictor: Task, candidates: Sequence[Task]) -> Sequence[Task] | None:
        body = {"evictor": task_json(evictor), "evictees": tasks_json(candidates)}
        about = (evictor.uid, *(task.uid for task in candidates))
        failed = {"status": Vote.ABSTAIN if self._ignorable else Vote.REJECT}
        answer = self._put(name, body, failed, {"status": Vote.REJECT}, about)
        if answer is None or answer.get("status") == Vote.ABSTAIN:
            return None
        if answer.get("status") == Vote.REJECT:
            return []
        named = {str(one.get("UID") or one.get("uid")) for one in answer.get("victims") or () if isinstance(one, dict)}
        return [task for task in candidates if task.uid in named]

    # --- jobs and queues

    def job_enqueueable(self, job: Job) -> Vote:
        failed, not_yet = {"status": Vote.PERMIT if self._ignorable else Vote.REJECT}, {"status": None}
        answer = self._put("jobEnqueueable", {"job": job_json(job)}, failed, not_yet, job.uid)
        if answer is None:
            return Vote.ABSTAIN
        if answer is not_yet:
            self._session.refuse(job, ExtenderPending())
            return Vote.REJECT
        status = answer.get("status")
        vote = Vote(max(-1, min(1, status))) if isinstance(status, int) else Vote.ABSTAIN
        if vote is Vote.REJECT:
            self._session.refuse(job, ExtenderRefused(self._prefix))
        return vote

    def job_ready(self, job: Job) -> bool:
        answer = self._put("jobReady", {"job": job_json(job)}, {"status": self._ignorable}, {"status": False})
        return answer is None or answer.get("status") is True

    def overused(self, queue: Queue) -> bool:
        failed, not_yet = {"overused": not self._ignorable}, {"overused": True}
        answer = self._put("queueOverused", {"queue": queue_json(queue)}, failed, not_yet)
        return answer is not None and answer.get("overused") is True


def timeout_of(arguments: Arguments) -> float:
    """`100ms` or `2s`."""
    given = arguments.text("extender.httpTimeout")
    if not given:
        return TIMEOUT
    number = given.removesuffix(_MILLISECONDS)
    if given.endswith(_MILLISECONDS) and number.isdigit():
        return int(number) / 1000
    seconds = duration_of(given)
    if not seconds:
        arguments.warnings.append(f"extender: extender.httpTimeout: {given!r} is not a time such as 100ms")
    return seconds or TIMEOUT
