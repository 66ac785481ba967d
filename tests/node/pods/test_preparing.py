"""What is set up before the containers of a pod start."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from windlass.kube.meta import Key
from windlass.node.lifecycle.decision import EventRecord
from windlass.node.pods.preparing import prepare
from windlass.node.runtimes.base import Gone, PodFacts, PodSpec


class EndedRuntime:
    """A runtime in which the sandbox of a pod ends right after it was started."""

    def __init__(self) -> None:
        self.starts = 0

    async def start_pod(self, spec: PodSpec) -> PodFacts:
        self.starts += 1
        if self.starts > 1:
            raise Gone("the pod's supervisor is gone")
        return PodFacts(uid=spec.uid, pid=1, alive=True, created_at=0.0)


async def test_a_sandbox_that_ends_while_its_pod_is_prepared_is_tried_again(tmp_path: Path) -> None:
    """As when the pod is deleted at that moment: it is no fault of the agent, whose log would show a traceback."""
    recorded: list[EventRecord] = []

    async def nothing(*_: Any) -> dict[str, Any]:
        return {}

    async def attach(*_: Any) -> str:
        return "10.0.0.2"

    network = SimpleNamespace(hosts=lambda *_: "", resolv_conf=lambda _: "", attach=attach)
    context = SimpleNamespace(
        facts={},
        folder=tmp_path,
        network=network,
        runtime=EndedRuntime(),
        volumes=SimpleNamespace(folders=None, prepare=nothing),
        record_event=lambda pod, event: recorded.append(event),
    )
    state = SimpleNamespace(failure=None, address="", prepared=False, volumes={})
    pod: dict[str, Any] = {"metadata": {"name": "p"}, "spec": {"containers": []}}
    worker: Any = SimpleNamespace(
        state=state, context=context, pod=pod, uid="u", key=Key("ml", "p"), current=lambda: pod
    )

    await prepare(worker)

    assert not state.prepared
    assert state.failure.reason == "FailedCreatePodSandBox"
    assert [event.reason for event in recorded] == ["FailedCreatePodSandBox"]
