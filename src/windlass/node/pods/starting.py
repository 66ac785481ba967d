"""Starting a container: environment, mounts, devices, the process itself, its postStart hook and its probes."""

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.container_spec import BadSecurityContext, container_spec
from windlass.node.devices import NotEnough, device_files, shown, shown_or_hidden
from windlass.node.environment import ConfigError, argv_of, environment
from windlass.node.lifecycle import notes
from windlass.node.lifecycle.decision import Note, Start
from windlass.node.lifecycle.observed import HookState, Verdicts
from windlass.node.pods.memory import again
from windlass.node.probes.checks import Reach
from windlass.node.probes.hooks import run_hook
from windlass.node.probes.prober import Prober, has_probes
from windlass.node.runtimes.base import CannotRun, ContainerFacts, ContainerSpec, Gone
from windlass.node.volumes.base import BadMount

if TYPE_CHECKING:
    from windlass.node.pods.worker import Worker

MOST_OUTPUT = 10 * 1024


async def start(worker: "Worker", wanted: Start) -> None:
    memory, means, name = worker.memory, worker.means, wanted.container
    container = worker.container(name)
    if container is None:
        return
    where = worker.field_path(name)
    try:
        spec = await _spec(worker, container, wanted)
    except (ConfigError, BadMount, BadSecurityContext, NotEnough) as error:
        reason = error.reason if isinstance(error, ConfigError) else "CreateContainerConfigError"
        memory.config_troubles[name] = again(memory.config_troubles.get(name), reason, str(error))
        return
    memory.config_troubles.pop(name, None)
    post_start = dig_object(container, "lifecycle", "postStart")
    if post_start:
        memory.hooks[name] = HookState(wanted.attempt, "pending")
    means.tell(worker.pod, notes.created(where))
    try:
        run = await means.runtime.start_container(worker.uid, spec)
    except CannotRun as error:
        means.tell(worker.pod, notes.start_failed(str(error), where))
        await _look(worker)
        return
    except Gone:
        await _look(worker)
        return
    means.tell(worker.pod, notes.started(where))
    await _look(worker)
    watch_over(worker, container, run)
    if post_start:
        worker.spawn(("hook", name, wanted.attempt), _post_start(worker, container, run))


async def _spec(worker: "Worker", container: Object, wanted: Start) -> ContainerSpec:
    memory, means = worker.memory, worker.means
    image = memory.found_images[wanted.container]

    def tell(reason: str, message: str) -> None:
        means.tell(worker.pod, Note(reason, message, warning=True))

    pod = with_address(worker)
    variables = await environment(pod, container, means.sources, image, tell=tell)
    is_init = container in dig_list(pod, "spec", "initContainers") and container.get("restartPolicy") != "Always"
    given = means.devices.give(worker.uid, container, lends=is_init)
    must_hide = means.devices.exist and not means.runtime.hides_devices
    return container_spec(
        worker.pod,
        container,
        image,
        attempt=wanted.attempt,
        spec_hash=wanted.spec_hash,
        argv=argv_of(container, image, variables),
        environment={**(shown_or_hidden(given) if must_hide else shown(given)), **variables},
        mounts=means.volumes.mounts(pod, container, memory.volumes, variables),
        devices=device_files(given, present_devices()) if given else (),
        node_memory=means.node_memory,
    )


def present_devices() -> list[str]:
    """Device files of GPUs on this machine."""
    return [str(path) for pattern in ("nvidia*", "dri/*", "kfd") for path in sorted(Path("/dev").glob(pattern))]


def with_address(worker: "Worker") -> Object:
    """The pod as the downward API shows it: its addresses are known before its status is told."""
    pod, address = worker.current(), worker.memory.address
    status = {**dig_object(pod, "status"), "hostIP": worker.means.host_ip, "hostIPs": [{"ip": worker.means.host_ip}]}
    return {**pod, "status": {**status, "podIP": address, "podIPs": [{"ip": address}]}}


async def _look(worker: "Worker") -> None:
    """The newest facts, so that the next decision knows of what was just done."""
    facts = await worker.means.runtime.pod_facts(worker.uid)
    if facts is not None:
        worker.means.facts[worker.uid] = facts


# hooks and probes


def reach(worker: "Worker", container: Object) -> Reach:
    async def run(command: list[str]) -> tuple[int, bytes]:
        return await run_in(worker, str(container["name"]), command)

    return Reach(container, worker.memory.address, worker.means.network.dial, run)


async def _post_start(worker: "Worker", container: Object, run: ContainerFacts) -> None:
    problem = await run_hook(dig_object(container, "lifecycle", "postStart"), reach(worker, container))
    state = HookState(run.attempt, "done" if problem is None else "failed", problem or "")
    worker.memory.hooks[run.name] = state
    if problem is not None:
        worker.means.tell(worker.pod, notes.post_start_failed(worker.field_path(run.name)))


def watch_over(worker: "Worker", container: Object, run: ContainerFacts) -> None:
    """Begin to probe a run; a container without probes is left alone."""
    known = worker.memory.probers.get(run.name)
    if not has_probes(container) or (known is not None and known.verdicts.attempt == run.attempt):
        return
    where = worker.field_path(run.name)

    def changed(_: Verdicts) -> None:
        worker.wake()

    def failed(probe: str, message: str) -> None:
        """Of a pod that is going, nobody needs to hear that it does not live any more."""
        if probe == "Readiness" or dig(worker.pod, "metadata", "deletionTimestamp") is None:
            worker.means.tell(worker.pod, notes.unhealthy(probe, message, where))

    age = max(0.0, time.time() - run.started_at)
    prober = Prober(container, run.attempt, age, reach(worker, container), changed, failed)
    worker.memory.probers[run.name] = prober
    worker.spawn(("probe", run.name, run.attempt), prober.run())


async def run_in(worker: "Worker", name: str, command: list[str]) -> tuple[int, bytes]:
    """Run a command in a container: its exit code and the beginning of what it said. OSError: it could not be run."""
    try:
        process = await worker.means.runtime.exec(
            worker.uid, name, command, stdin=False, stdout=True, stderr=True, tty=False
        )
    except (CannotRun, Gone) as error:
        raise OSError(str(error)) from error
    try:
        output, other = await asyncio.gather(read(process.stdout), read(process.stderr))
        return await process.wait(), output + other
    finally:
        process.close()


async def read(descriptor: int | None) -> bytes:
    """What comes from a descriptor until its end; no more than the first part of it is kept."""
    if descriptor is None:
        return b""
    loop, kept = asyncio.get_running_loop(), b""
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(descriptor), "rb", buffering=0)
    )
    try:
        while piece := await reader.read(4096):
            kept = (kept + piece)[:MOST_OUTPUT]
    finally:
        transport.close()
    return kept


def hook_of(container: Object, kind: str) -> Object | None:
    return dig(container, "lifecycle", kind)
