"""Starts a container: environment, mounts, devices, the process itself, its postStart hook and its probes."""

import asyncio
import os
import platform
import time
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.container_spec import BadSecurityContext, container_spec
from windlass.node.devices import InsufficientDevices, device_environment, device_files, exclusive_device_environment
from windlass.node.environment import ConfigError, argv_of, environment
from windlass.node.lifecycle import events
from windlass.node.lifecycle.decision import EventRecord, Start
from windlass.node.lifecycle.observed import HookState, ProbeResults
from windlass.node.pods.state import next_failure
from windlass.node.probes.checks import ProbeTarget
from windlass.node.probes.hooks import run_hook
from windlass.node.probes.prober import Prober, has_probes
from windlass.node.runtimes.base import CannotRun, ContainerFacts, ContainerSpec, Gone
from windlass.node.seccomp.selection import BadSeccompProfile, container_filter, requested_profile
from windlass.node.volumes.base import BadMount

if TYPE_CHECKING:
    from windlass.node.pods.worker import Worker

MAX_OUTPUT = 10 * 1024


async def start(worker: "Worker", wanted: Start) -> None:
    state, context, name = worker.state, worker.context, wanted.container
    container = worker.container(name)
    if container is None:
        return
    where = worker.field_path(name)
    try:
        spec = await _spec(worker, container, wanted)
    except (ConfigError, BadMount, BadSecurityContext, BadSeccompProfile, InsufficientDevices) as error:
        reason = error.reason if isinstance(error, ConfigError | BadMount) else "CreateContainerConfigError"
        state.config_failures[name] = next_failure(state.config_failures.get(name), reason, str(error))
        return
    state.config_failures.pop(name, None)
    post_start = dig_object(container, "lifecycle", "postStart")
    if post_start:
        state.hooks[name] = HookState(wanted.attempt, "pending")
    context.record_event(worker.pod, events.created(where))
    try:
        run = await context.runtime.start_container(worker.uid, spec)
    except CannotRun as error:
        context.record_event(worker.pod, events.start_failed(str(error), where))
        await _refresh_facts(worker)
        return
    except Gone:
        await _refresh_facts(worker)
        return
    context.record_event(worker.pod, events.started(where))
    await _refresh_facts(worker)
    start_probing(worker, container, run)
    if post_start:
        worker.spawn(("hook", name, wanted.attempt), _post_start(worker, container, run))


async def _spec(worker: "Worker", container: Object, wanted: Start) -> ContainerSpec:
    state, context = worker.state, worker.context
    image = state.found_images[wanted.container]

    def warn(reason: str, message: str) -> None:
        context.record_event(worker.pod, EventRecord(reason, message, warning=True))

    pod = with_address(worker)
    variables = await environment(pod, container, context.sources, image, warn=warn)
    is_init = container in dig_list(pod, "spec", "initContainers") and container.get("restartPolicy") != "Always"
    given = context.devices.allocate(worker.uid, container, reusable=is_init)
    profile, program = await _seccomp(worker, container)
    must_hide = context.devices.exist and not context.runtime.hides_devices
    return container_spec(
        worker.pod,
        container,
        image,
        attempt=wanted.attempt,
        spec_hash=wanted.spec_hash,
        argv=argv_of(container, image, variables),
        environment={**(exclusive_device_environment(given) if must_hide else device_environment(given)), **variables},
        mounts=context.volumes.mounts(pod, container, state.volumes, variables),
        devices=device_files(given, present_devices()) if given else (),
        node_memory=context.node_memory,
        seccomp_profile=profile,
        seccomp_filter=program,
    )


async def _seccomp(worker: "Worker", container: Object) -> tuple[str, bytes]:
    """Return the type of the container's seccomp profile, and its filter. Raises BadSeccompProfile."""
    namespace = await worker.context.sources.namespace(worker.key.namespace)
    profile, name = requested_profile(worker.pod, container, namespace)
    folder = worker.context.folder.parent / "seccomp"
    return profile, await asyncio.to_thread(container_filter, profile, name, container, folder, platform.machine())


def present_devices() -> list[str]:
    """Return the device files of GPUs on this machine."""
    return [str(path) for pattern in ("nvidia*", "dri/*", "kfd") for path in sorted(Path("/dev").glob(pattern))]


def with_address(worker: "Worker") -> Object:
    """Return the pod for the downward API, with its addresses, which are known before its status is written."""
    pod, address = worker.current(), worker.state.address
    status = {
        **dig_object(pod, "status"),
        "hostIP": worker.context.host_ip,
        "hostIPs": [{"ip": worker.context.host_ip}],
    }
    return {**pod, "status": {**status, "podIP": address, "podIPs": [{"ip": address}]}}


async def _refresh_facts(worker: "Worker") -> None:
    """Fetch the newest facts, so that the next decision includes what was just done."""
    facts = await worker.context.runtime.pod_facts(worker.uid)
    if facts is not None:
        worker.context.facts[worker.uid] = facts


# hooks and probes


def probe_target(worker: "Worker", container: Object) -> ProbeTarget:
    async def run(command: list[str]) -> tuple[int, bytes]:
        return await run_in(worker, str(container["name"]), command)

    return ProbeTarget(container, worker.state.address, worker.context.network.dial, run)


async def _post_start(worker: "Worker", container: Object, run: ContainerFacts) -> None:
    problem = await run_hook(dig_object(container, "lifecycle", "postStart"), probe_target(worker, container))
    state = HookState(run.attempt, "done" if problem is None else "failed", problem or "")
    worker.state.hooks[run.name] = state
    if problem is not None:
        worker.context.record_event(worker.pod, events.post_start_failed(worker.field_path(run.name)))


def start_probing(worker: "Worker", container: Object, run: ContainerFacts) -> None:
    """Start to probe a run, unless it has no probes or is probed already."""
    known = worker.state.probers.get(run.name)
    if not has_probes(container) or (known is not None and known.probe_results.attempt == run.attempt):
        return
    where = worker.field_path(run.name)

    def changed(_: ProbeResults) -> None:
        worker.wake()

    def failed(probe: str, message: str) -> None:
        """Record a failed probe; liveness of a terminating pod is not reported."""
        if probe == "Readiness" or dig(worker.pod, "metadata", "deletionTimestamp") is None:
            worker.context.record_event(worker.pod, events.unhealthy(probe, message, where))

    age = max(0.0, time.time() - run.started_at)
    prober = Prober(container, run.attempt, age, probe_target(worker, container), changed, failed)
    worker.state.probers[run.name] = prober
    worker.spawn(("probe", run.name, run.attempt), prober.run())


async def run_in(worker: "Worker", name: str, command: list[str]) -> tuple[int, bytes]:
    """Run a command in a container; returns its exit code and the beginning of its output.

    OSError: it could not be run.
    """
    try:
        process = await worker.context.runtime.exec(
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
    """Read a descriptor to its end, and return the first part."""
    if descriptor is None:
        return b""
    loop, kept = asyncio.get_running_loop(), b""
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(descriptor), "rb", buffering=0)
    )
    try:
        while piece := await reader.read(4096):
            kept = (kept + piece)[:MAX_OUTPUT]
    finally:
        transport.close()
    return kept


def hook_of(container: Object, kind: str) -> Object | None:
    return dig(container, "lifecycle", kind)
