"""Whatever happens in whatever order, every sum that the scheduler keeps equals the one computed from scratch."""

from typing import Any

import hypothesis.strategies as st
from hypothesis import example, given, settings

from tests.scheduler.ledger_world import LedgerWorld, mark, owned_by
from tests.scheduler.ledgers import check
from windlass.apis.core_v1 import Pod
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.scheduler.framework.conf import DEVICE_MODES, Conf, PluginConf, windlass
from windlass.scheduler.framework.conf import VOLCANO as VOLCANO_CONF
from windlass.scheduler.model.pod_groups import COSCHEDULING, KUBE_BATCH, VOLCANO
from windlass.scheduler.model.pod_info import FINISHED

NODES, QUEUES, GROUPS = ("n1", "n2", "n3"), ("default", "q1", "q2"), ("g1", "g2")
KINDS: dict[str, Kind] = {"volcano": VOLCANO, "kube-batch": KUBE_BATCH, "scheduler-plugins": COSCHEDULING}
SCHEDULERS = ("volcano", "volcano", "kube-batch", "scheduler-plugins", "default-scheduler")
APART: Json = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"}
        ]
    }
}
PODS: tuple[Json, ...] = (
    {},
    {},
    {"affinity": APART, "labels": {"app": "a"}},
    {"ports": [{"containerPort": 80, "hostPort": 80}]},
    {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]},
    {"schedulingGates": [{"name": "gate"}]},
    {"owner": "somebody"},
)
PHASES = ("", "Pending", "Inqueue", "Running", "Completed")
CONFS: dict[str, Conf] = {
    "windlass": windlass("priority+fair"),
    "by priority": windlass("priority"),
    "volcano": VOLCANO_CONF,
    "cards": Conf(
        ("enqueue", "allocate", "preempt", "backfill"),
        ((PluginConf("priority"), PluginConf("gang"), PluginConf("deviceshare", {DEVICE_MODES[1]: True})),),
    ),
}


class History:
    """Events of the API in any order, cycles between them, and bindings and evictions that take their time.

    Each method is a step; one that has nothing to be about does nothing. At first a gang runs on two nodes, if it can.
    """

    def __init__(self, conf: str, members: int, least: int) -> None:
        self.world = LedgerWorld(CONFS[conf], lambda: check(self.world, in_cycle=True))
        self._number = 0
        for name in NODES[:2]:
            self.world.put_node(name, 2)
        if members:
            self.gang("volcano", "g1", members, min(members, least), "low")
            self.world.cycle()
            self.all_comes_true()

    def _name(self, prefix: str) -> str:
        self._number += 1
        return f"{prefix}{self._number}"

    def node(self, name: str, cpu: int, tainted: bool) -> None:
        """It comes or changes, or goes if it has no cpu."""
        if cpu:
            self.world.put_node(name, cpu, taints=[{"key": "t", "effect": "PreferNoSchedule"}] if tainted else [])
        else:
            self.world.remove_node(name)

    def queue(self, name: str, weight: int, cpu: int | None) -> None:
        """It comes or changes, or goes if it has no weight."""
        if weight:
            self.world.put_queue(name, weight=weight, **({"capability": {"cpu": str(cpu)}} if cpu else {}))
        else:
            self.world.remove_queue(name)

    # --- groups

    def gang(self, scheduler: str, name: str, members: int, least: int, importance: str) -> None:
        """A group that was admitted, with its pods, of a cpu each."""
        spec = {"minMember": least, "queue": "default", "priorityClassName": importance}
        self.world.put_group(KINDS[scheduler], name, self._name("group-"), "Inqueue", **spec)
        for _ in range(members):
            priority = 1000 if importance == "high" else 1
            self.world.add_pod(self._name("p"), scheduler, name, {"cpu": "1"}, priority=priority)

    def group(
        self, scheduler: str, name: str, least: int, minimum: int | None, queue: str, phase: str, anew: bool
    ) -> None:
        """It comes or changes. `anew`: it was deleted and made again, and nobody saw that it was gone."""
        kind = KINDS[scheduler]
        known = next((one for one in self.world.groups[kind] if one["metadata"]["name"] == name), None)
        uid = self._name("group-") if known is None or anew else known["metadata"]["uid"]
        spec: Json = {"minMember": least, "queue": queue, "priorityClassName": "high" if name == "g2" else ""}
        if minimum is not None:
            spec["minResources"] = {"cpu": str(minimum)}
        self.world.put_group(kind, name, uid, phase, **spec)

    def group_goes(self, scheduler: str, name: str) -> None:
        self.world.remove_group(KINDS[scheduler], name)

    # --- pods

    def pods(self, scheduler: str, group: str, cpu: str, more: Json, node: str, number: int) -> None:
        asks = {"volcano.sh/gpu-number": "1"} if cpu == "card" else {"cpu": cpu} if cpu else {}
        for _ in range(number):
            given: dict[str, Any] = {**more, **({"nodeName": node} if node else {})}
            importance = 1000 if group == "g2" else 1
            self.world.add_pod(self._name("p"), scheduler, group, asks, priority=importance, **given)

    def _pod(self, which: int) -> Pod | None:
        pods = sorted(self.world.pods, key=lambda pod: pod.metadata.name)
        return pods[which % len(pods)] if pods else None

    def pod_goes_on(self, which: int, phase: str) -> None:
        pod = self._pod(which)
        if pod is not None and pod.status.phase not in FINISHED and (pod.spec.node_name or phase == "Failed"):
            self.world.change_pod(pod, lambda obj: obj.setdefault("status", {}).update(phase=phase))

    def pod_goes(self, which: int, at_once: bool) -> None:
        """It is gone; or its deletion begins, and somebody has to end it first."""
        pod = self._pod(which)
        if pod is not None and (at_once or pod.metadata.deletion_timestamp):
            self.world.remove_pod(pod)
        elif pod is not None:
            self.world.delete_pod(pod)

    def pod_changes(self, which: int, how: str, group: str, scheduler: str) -> None:
        """`another`: a pod of the same name, of which the watch tells as a change."""
        world, pod = self.world, self._pod(which)
        if pod is None:
            return
        if how == "another":
            world.evicting.pop(pod.metadata.uid, None)
            world.add_pod(pod.metadata.name, scheduler, "g1", {"cpu": "1"})
        elif how == "group" and (pod.spec.scheduler_name != "scheduler-plugins" or pod.spec.node_name):
            world.change_pod(pod, lambda obj: mark(obj["metadata"], pod.spec.scheduler_name, group))
        elif how == "size" and pod.spec.node_name:
            world.change_pod(pod, _resize)
        elif how == "owner":
            world.change_pod(pod, lambda obj: obj["metadata"].update(ownerReferences=owned_by(group)))
        elif how == "gates":
            world.change_pod(pod, lambda obj: obj["spec"].update(schedulingGates=[]))

    # --- decisions

    def cycle(self, seconds: int) -> None:
        self.world.now += seconds
        self.world.cycle()

    def all_comes_true(self) -> None:
        """All bindings succeed, and the pods run."""
        for commit in list(self.world.binding):
            self.world.end_binding(commit, bound=True)
        for uid in list(self.world.binding_alone):
            self.world.end_binding_alone(uid, bound=True)
        for pod in self.world.pods:
            if pod.spec.node_name and pod.status.phase == "Pending":
                self.world.change_pod(pod, lambda obj: obj.setdefault("status", {}).update(phase="Running"))

    def binding_ends(self, which: int, bound: bool) -> None:
        under_way = [*self.world.binding, *self.world.binding_alone]
        one = under_way[which % len(under_way)] if under_way else None
        if isinstance(one, str):
            self.world.end_binding_alone(one, bound=bound)
        elif one is not None:
            self.world.end_binding(one, bound=bound)

    def eviction_arrives(self, which: int) -> None:
        uids = list(self.world.evicting)
        if uids:
            self.world.evict(uids[which % len(uids)])


def _resize(obj: Json) -> None:
    obj["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "3"}}


Step = tuple[Any, ...]
"""The name of a method of `History`, and what it is called with."""


def step(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.tuples(st.just(name), *arguments)


WHICH, NAMES, SERVED = st.integers(0, 20), st.sampled_from(GROUPS), st.sampled_from(list(KINDS))
ANY_GROUP, ANY_SCHEDULER = st.sampled_from((*GROUPS, "")), st.sampled_from(SCHEDULERS)
SOME = st.integers(1, 4)
GANG = step("gang", st.sampled_from(["volcano", *KINDS]), NAMES, SOME, SOME, st.sampled_from(["low", "high", "high"]))
CYCLE = step("cycle", st.sampled_from([0, 0, 0, 10, 61, 700]))
POD_GOES = step("pod_goes", WHICH, st.booleans())
STEPS = st.one_of(
    CYCLE,
    CYCLE,
    CYCLE,
    GANG,
    GANG,
    POD_GOES,
    POD_GOES,
    step("node", st.sampled_from(NODES), st.sampled_from([2, 2, 4, 0]), st.booleans()),
    step("queue", st.sampled_from(QUEUES), st.integers(0, 3), st.none() | SOME),
    step(
        "group", SERVED, NAMES, SOME, st.none() | SOME, st.sampled_from(QUEUES), st.sampled_from(PHASES), st.booleans()
    ),
    step("group_goes", SERVED, NAMES),
    step(
        "pods",
        ANY_SCHEDULER,
        ANY_GROUP,
        st.sampled_from(["", "1", "1", "2", "card"]),
        st.sampled_from(PODS),
        st.sampled_from(["", "", "", "n1", "elsewhere"]),
        st.integers(1, 3),
    ),
    step("pod_goes_on", WHICH, st.sampled_from(["Running", "Running", "Succeeded", "Failed"])),
    step(
        "pod_changes",
        WHICH,
        st.sampled_from(["group", "group", "size", "owner", "gates", "another"]),
        ANY_GROUP,
        ANY_SCHEDULER,
    ),
    step("all_comes_true"),
    step("binding_ends", WHICH, st.booleans()),
    step("eviction_arrives", WHICH),
)
"""What happens more often is named more than once."""

GANG_DELETED_WHILE_IT_RUNS: list[Step] = [
    ("pod_goes", 0, False),
    ("pod_goes", 1, False),
    ("group_goes", "volcano", "g1"),
    ("pod_goes", 0, True),
    ("pod_goes", 0, True),
    ("gang", "volcano", "g1", 4, 1, "low"),
    ("cycle", 0),
    ("all_comes_true",),
    ("gang", "volcano", "g2", 1, 1, "high"),
    ("cycle", 0),
]
A_POD_ON_A_NODE_THAT_NOBODY_KNOWS: list[Step] = [
    ("pods", "default-scheduler", "", "1", {}, "", 1),
    ("cycle", 0),
    ("pods", "default-scheduler", "", "1", {}, "elsewhere", 1),
    ("cycle", 0),
]
ROOM_THAT_IS_PROMISED: list[Step] = [
    ("pods", "volcano", "g1", "", {"ports": [{"containerPort": 80, "hostPort": 80}]}, "", 1),
    ("gang", "volcano", "g1", 4, 1, "high"),
    ("gang", "volcano", "g2", 4, 3, "low"),
    ("pods", "default-scheduler", "g2", "1", {}, "", 3),
    ("cycle", 0),
    ("gang", "kube-batch", "g1", 4, 3, "low"),
    ("pod_goes", 14, True),
    ("cycle", 10),
]


@settings(max_examples=80)
@given(
    conf=st.sampled_from(list(CONFS)),
    members=st.integers(0, 4),
    least=SOME,
    steps=st.lists(STEPS, min_size=30, max_size=60),
)
@example(conf="windlass", members=2, least=2, steps=GANG_DELETED_WHILE_IT_RUNS)
@example(conf="windlass", members=0, least=1, steps=A_POD_ON_A_NODE_THAT_NOBODY_KNOWS)
@example(conf="windlass", members=4, least=4, steps=ROOM_THAT_IS_PROMISED)
def test_after_each_step_all_sums_are_those_of_what_there_is(
    conf: str, members: int, least: int, steps: list[Step]
) -> None:
    history = History(conf, members, least)
    check(history.world)
    for name, *arguments in steps:
        getattr(history, name)(*arguments)
        check(history.world)
