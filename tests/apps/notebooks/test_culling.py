"""Idle notebooks are stopped; kernels, terminals and traffic keep one running."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.core_v1 import Pod
from windlass.apps.notebooks.controllers.culler import controller
from windlass.apps.notebooks.controllers.metrics import NotebookMetrics
from windlass.apps.notebooks.culling import Kernel, Terminal, checked
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.options import Options
from windlass.controllers.core.autoscaling_metrics import RESOURCE
from windlass.kube.api import PodAnswer
from windlass.kube.client import Client
from windlass.kube.controller import Acted, Observed
from windlass.kube.errors import Conflict
from windlass.kube.json import encode, timestamp
from windlass.kube.meta import Key
from windlass.kube.testing import NOW, MemoryServer

ACTIVITY = "notebooks.kubeflow.org/last-activity"
CHECK = "notebooks.kubeflow.org/last_activity_check_timestamp"
OVERRIDE = "notebooks.windlass.dev/cull-idle-minutes"
STOPPED = "kubeflow-resource-stopped"
OPTIONS = Options(enable_culling=True, cull_idle_time=timedelta(minutes=60), idleness_check_period=timedelta(minutes=1))

CONSIDERING = replace(OPTIONS, cull_consider_cpu=True)


def ago(minutes: float) -> str:
    return timestamp(NOW - timedelta(minutes=minutes))


class Lab(Client):
    """The API with one notebook, whose server answers what a test says."""

    def __init__(self, **annotations: str) -> None:
        self.server = MemoryServer(lambda: NOW)
        self.server.undeclared.add(RESOURCE)
        super().__init__(self.server)
        self.answers: dict[str, Any] = {"kernels": [], "terminals": []}
        self.asked: list[tuple[Key, int, str, dict[str, str]]] = []
        self.metrics = NotebookMetrics()
        self.pods: list[Pod] = [msgspec.convert({"metadata": {"name": "lab-0", "namespace": "ml"}}, Pod)]
        self.server.put(
            {
                "apiVersion": "kubeflow.org/v1",
                "kind": "Notebook",
                "metadata": {"name": "lab", "namespace": "ml", "annotations": annotations},
                "spec": {"template": {"spec": {"containers": [{"name": "lab", "image": "jupyter"}]}}},
            }
        )

    @property
    def notebook(self) -> Notebook:
        return next(
            msgspec.convert(obj, Notebook) for (kind, _), obj in self.server.objects.items() if kind.name == "Notebook"
        )

    @property
    def annotations(self) -> dict[str, str]:
        return self.notebook.metadata.annotations

    async def ask_pod(self, pod: Key, port: int, path: str, headers: Any, query: Any = None) -> PodAnswer:
        self.asked.append((pod, port, path, dict(query or {})))
        answer = self.answers[path.rpartition("/")[2]]
        return answer if isinstance(answer, PodAnswer) else PodAnswer(is_listening=True, code=200, body=encode(answer))

    def use_cpu(self, *amounts: str) -> None:
        containers = [{"name": f"c{at}", "usage": {"cpu": amount}} for at, amount in enumerate(amounts)]
        metadata = {"name": "lab-0", "namespace": "ml"}
        metrics = {"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics", "metadata": metadata}
        self.server.put({**metrics, "containers": containers})

    async def cull(self, notebook: Notebook | None = None, options: Options = OPTIONS) -> Acted | None:
        of = notebook or self.notebook
        answer = await controller(options, self.metrics).act(of, Observed.just(*self.pods, of=of, now=NOW), self)
        assert answer is None or isinstance(answer, Acted)
        return answer


def recorded(activity: float, check: float = 5) -> dict[str, str]:
    return {ACTIVITY: ago(activity), CHECK: ago(check)}


async def test_a_notebook_that_is_new_is_observed_from_now_on() -> None:
    lab = Lab()
    answer = await lab.cull()

    assert lab.annotations == {ACTIVITY: timestamp(NOW), CHECK: timestamp(NOW)}
    assert answer == Acted(again_in=OPTIONS.idleness_check_period)
    assert lab.asked == []


async def test_what_the_gateway_recorded_first_stays() -> None:
    lab = Lab(**{ACTIVITY: ago(3)})
    await lab.cull()

    assert lab.annotations == {ACTIVITY: ago(3), CHECK: timestamp(NOW)}


async def test_a_notebook_is_checked_once_a_period() -> None:
    lab = Lab(**recorded(10, check=0.5))

    assert await lab.cull() == Acted(again_in=timedelta(seconds=30))
    assert lab.asked == []


@pytest.mark.parametrize("is_stopped", [True, False])
async def test_what_does_not_run_is_forgotten(is_stopped: bool) -> None:
    lab = Lab(**recorded(10), **({STOPPED: "x"} if is_stopped else {}))
    if not is_stopped:
        lab.pods.clear()

    assert await lab.cull() is None
    assert lab.annotations == ({STOPPED: "x"} if is_stopped else {})


async def test_an_idle_notebook_is_stopped_and_counted() -> None:
    lab = Lab(**recorded(61))
    lab.answers["kernels"] = [{"id": "k", "execution_state": "idle", "last_activity": ago(90)}]

    answer = await lab.cull()

    assert lab.annotations[STOPPED] == timestamp(NOW)
    assert answer is not None
    assert [event.reason for event in answer.events] == ["NotebookCulled"]
    assert lab.metrics.culled.labels("ml", "lab")._value.get() == 1
    assert lab.metrics.last_culled.labels("ml", "lab")._value.get() == NOW.timestamp()


@pytest.mark.parametrize(
    "answers",
    [
        {"kernels": [{"execution_state": "busy", "last_activity": ago(500)}]},
        {
            "kernels": [
                {"execution_state": "idle", "last_activity": ago(500)},
                {"execution_state": "idle", "last_activity": ago(5)},
            ]
        },
        {"terminals": [{"name": "1", "last_activity": ago(5)}]},
    ],
)
async def test_kernels_and_terminals_are_activity(answers: dict[str, Any]) -> None:
    lab = Lab(**recorded(500))
    lab.answers |= answers
    await lab.cull()

    assert STOPPED not in lab.annotations
    assert lab.annotations[ACTIVITY] in (ago(5), timestamp(NOW))


async def test_traffic_that_the_gateway_recorded_is_activity() -> None:
    lab = Lab(**recorded(5))
    lab.answers["kernels"] = [{"execution_state": "idle", "last_activity": ago(500)}]
    await lab.cull()

    assert STOPPED not in lab.annotations
    assert lab.annotations[ACTIVITY] == ago(5)


async def test_traffic_during_a_check_keeps_the_notebook() -> None:
    lab = Lab(**recorded(500))
    before = lab.notebook
    lab.server.put(
        {
            **lab.server.objects[next(iter(lab.server.objects))],
            "metadata": {**msgspec.to_builtins(before)["metadata"], "annotations": {ACTIVITY: timestamp(NOW)}},
        }
    )

    with pytest.raises(Conflict):
        await lab.cull(before)
    assert STOPPED not in lab.annotations


@pytest.mark.parametrize(
    ("override", "is_stopped"), [("0", False), ("600", False), ("10", True), ("soon", True), ("-1", True)]
)
async def test_a_notebook_may_have_a_limit_of_its_own(override: str, is_stopped: bool) -> None:
    lab = Lab(**recorded(120), **{OVERRIDE: override})
    await lab.cull()

    assert (STOPPED in lab.annotations) is is_stopped


async def test_the_server_is_asked_with_its_token() -> None:
    lab = Lab(**recorded(5))
    lab.server.put(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "lab-notebook-token", "namespace": "ml"},
            "data": {"token": "c2VjcmV0"},
        }
    )
    await lab.cull()

    assert lab.asked == [
        (Key("ml", "lab-0"), 8888, f"/notebook/ml/lab/api/{what}", {"token": "secret"})
        for what in ("kernels", "terminals")
    ]


async def test_other_servers_are_not_asked_for_kernels() -> None:
    lab = Lab(**recorded(61), **{"notebooks.kubeflow.org/server-type": "group-one"})
    await lab.cull()

    assert lab.asked == []
    assert STOPPED in lab.annotations


BUSY = b'[{"execution_state": "busy", "name": "1", "last_activity": "2126-01-01T00:00:00Z"}]'


@pytest.mark.parametrize(
    "answer",
    [
        PodAnswer(is_listening=False),
        PodAnswer(is_listening=True, code=200, body=b"<p>"),
        PodAnswer(is_listening=True, code=200, body=b"[]"),
        PodAnswer(is_listening=True, code=404, body=BUSY),
        PodAnswer(is_listening=True, code=503, body=BUSY),
    ],
)
async def test_a_server_that_does_not_answer_keeps_what_was_recorded(answer: PodAnswer) -> None:
    lab = Lab(**recorded(30))
    lab.answers = {"kernels": answer, "terminals": answer}
    await lab.cull()

    assert lab.annotations == recorded(30, check=0)


@pytest.mark.parametrize(
    ("options", "used", "is_stopped"),
    [
        (CONSIDERING, ("60m", "40m"), False),
        (CONSIDERING, ("99m",), True),
        (CONSIDERING, ("100000000n",), False),
        (replace(CONSIDERING, cull_busy_millicores=500), ("499m",), True),
        (OPTIONS, ("4",), True),
        (CONSIDERING, (), True),
        (CONSIDERING, ("much",), True),
    ],
)
async def test_a_pod_that_computes_is_active_where_cpu_is_considered(
    options: Options, used: tuple[str, ...], is_stopped: bool
) -> None:
    lab = Lab(**recorded(500))
    lab.use_cpu(*used)
    await lab.cull(options=options)

    assert (STOPPED in lab.annotations) is is_stopped
    assert lab.annotations[ACTIVITY] == (ago(500) if is_stopped else timestamp(NOW))


async def test_a_pod_without_metrics_is_checked_as_any_other() -> None:
    lab = Lab(**recorded(500))
    await lab.cull(options=CONSIDERING)

    assert STOPPED in lab.annotations


times = st.integers(-500_000, 500_000).map(lambda minutes: NOW + timedelta(minutes=minutes))


@given(times, st.lists(times), st.lists(times))
def test_no_notebook_with_activity_within_the_limit_is_stopped(
    seen: datetime, kernels: list[datetime], terminals: list[datetime]
) -> None:
    notebook = msgspec.convert({"metadata": {"name": "lab", "annotations": {ACTIVITY: timestamp(seen)}}}, Notebook)
    written = checked(
        notebook, [Kernel("idle", at) for at in kernels], [Terminal("1", at) for at in terminals], NOW, OPTIONS
    )

    newest = max((seen.replace(microsecond=0), *kernels, *terminals))
    assert (STOPPED in written) == (newest + OPTIONS.cull_idle_time < NOW)
