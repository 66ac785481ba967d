"""Sets up what a pod needs before its containers start, and removes it: volumes, sandbox, network, images."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING, TypeVar, cast

from windlass.apis.pod_packages import PodPackages
from windlass.kube.errors import ApiError
from windlass.kube.json import dig, dig_list, dig_object
from windlass.node.environment import NoCommand, argv_of
from windlass.node.hostname import full_hostname, hostname
from windlass.node.images.image import PullFailed, UnknownImage
from windlass.node.lifecycle import events
from windlass.node.lifecycle.backoff import INITIAL_DELAY, MAX_DELAY
from windlass.node.lifecycle.decision import EventRecord, Pull
from windlass.node.lifecycle.observed import ImageRef
from windlass.node.pods.image_volumes import ImageVolumeFailed, pull_image_volumes
from windlass.node.pods.packages import packages_of
from windlass.node.pods.pull_progress import pull_progress
from windlass.node.pods.state import next_failure
from windlass.node.runtimes.base import CannotRun, Gone, PodFacts, PodSpec
from windlass.node.volumes.base import NotReady, Prepared

if TYPE_CHECKING:
    from windlass.node.pods.worker import Worker

First = TypeVar("First")
Second = TypeVar("Second")

log = logging.getLogger(__name__)


async def prepare(worker: "Worker") -> None:
    """Set up the volumes and, concurrently, the sandbox and its network; each may exist already."""
    state, context = worker.state, worker.context
    try:
        volumes, facts = await _both(_volumes(worker), _sandbox(worker))
        state.volumes = volumes
    except ImageVolumeFailed as error:
        state.failure = next_failure(
            state.failure, error.reason, str(error), first_delay=INITIAL_DELAY, max_delay=MAX_DELAY, image=error.image
        )
        return
    except NotReady as error:
        state.failure = next_failure(state.failure, "FailedMount", str(error), first_delay=0.5)
        context.record_event(worker.pod, events.mount_failed(str(error)))
        return
    except (CannotRun, Gone, OSError) as error:  # Gone: the sandbox was ended meanwhile, such as by a deletion
        state.failure = next_failure(state.failure, "FailedCreatePodSandBox", str(error))
        context.record_event(worker.pod, events.sandbox_failed(str(error)))
        return
    latest = await context.runtime.pod_facts(worker.uid)  # a container may have ended while volumes were prepared
    context.facts[worker.uid] = latest or facts
    state.prepared, state.failure = True, None


async def _volumes(worker: "Worker") -> dict[str, Prepared]:
    """Set up the volumes, once the images among them are pulled. Raises ImageVolumeFailed and NotReady."""
    try:
        images = await pull_image_volumes(worker)
    except ApiError as error:
        raise NotReady(f"cannot read an imagePullSecret: {error.message}") from error
    return await worker.context.volumes.prepare(worker.current(), images)


async def _both(first: Awaitable[First], second: Awaitable[Second]) -> tuple[First, Second]:
    """Wait for both, even if one fails, so that neither continues unobserved."""
    answers = await asyncio.gather(first, second, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return cast("tuple[First, Second]", tuple(answers))


async def _sandbox(worker: "Worker") -> PodFacts:
    state, context = worker.state, worker.context
    dead = context.facts.get(worker.uid)
    if dead is not None and not dead.alive:
        await context.network.detach(worker.uid)
    facts = await context.runtime.start_pod(sandbox_spec(worker, ""))
    if dig(worker.pod, "spec", "hostNetwork"):
        state.address = context.host_ip
    else:
        state.address = await context.network.attach(worker.uid, facts.pid)
    return await context.runtime.start_pod(sandbox_spec(worker, state.address))


def sandbox_spec(worker: "Worker", address: str) -> PodSpec:
    pod, context = worker.pod, worker.context
    spec = dig_object(pod, "spec")
    return PodSpec(
        uid=worker.uid,
        namespace=worker.key.namespace,
        name=worker.key.name,
        folder=str(context.folder / worker.uid),
        hostname=(spec.get("setHostnameAsFQDN") and full_hostname(pod)) or hostname(pod),
        hosts=context.network.hosts(pod, address),
        resolv_conf=context.network.resolv_conf(pod),
        host_network=bool(spec.get("hostNetwork")),
        host_ipc=bool(spec.get("hostIPC")),
        share_processes=bool(spec.get("shareProcessNamespace")),
        sysctls={str(each["name"]): str(each["value"]) for each in dig_list(spec, "securityContext", "sysctls")},
    )


async def pull(worker: "Worker", wanted: Pull) -> None:
    """Pull an image for the next run of a container, and report progress as events."""
    state, context, where = worker.state, worker.context, worker.field_path(wanted.container)
    try:
        if not _has_program(worker, wanted):
            return
        packages = _packages(worker, wanted, where)
        found = context.images.present(wanted.reference, packages)
        if found is not None:
            note = events.present(wanted.reference, where)
        else:
            context.record_event(worker.pod, events.pulling(wanted.reference, where))
            began = time.monotonic()
            found = await context.images.pull(
                wanted.reference, pull_progress(worker, wanted.reference, where), packages
            )
            note = events.pulled(wanted.reference, time.monotonic() - began, found.size, where)
    except (UnknownImage, PullFailed) as error:
        before = state.pull_failures.get(wanted.container)
        image = wanted.reference
        failure = next_failure(
            before, "ErrImagePull", str(error), first_delay=INITIAL_DELAY, max_delay=MAX_DELAY, image=image
        )
        state.pull_failures[wanted.container] = failure
        context.record_event(worker.pod, events.pull_failed(wanted.reference, str(error), where))
        return
    context.record_event(worker.pod, note)
    for warning in found.warnings:
        context.record_event(worker.pod, EventRecord("ImageMapped", warning, warning=True, field_path=where))
    state.pull_failures.pop(wanted.container, None)
    state.found_images[wanted.container] = found
    state.images[wanted.container] = ImageRef(wanted.reference, found.id, wanted.attempt)


def _packages(worker: "Worker", wanted: Pull, where: str) -> PodPackages:
    """Return the packages that the pod names for the container; none, with a warning, if they are malformed."""
    try:
        return packages_of(worker.pod, wanted.container)
    except ValueError as error:
        worker.context.record_event(worker.pod, EventRecord("ImageMapped", str(error), warning=True, field_path=where))
        return PodPackages()


def _has_program(worker: "Worker", wanted: Pull) -> bool:
    """Whether there is a program to run, checked before its environment is built. Raises UnknownImage."""
    failures, container = worker.state.config_failures, worker.container(wanted.container)
    described = worker.context.images.described(wanted.reference)
    before = failures.get(wanted.container)
    if container is None or described is None:
        return True
    try:
        argv_of(container, described)
    except NoCommand as error:
        failures[wanted.container] = next_failure(before, error.reason, str(error), image=wanted.reference)
        return False
    if before is not None and before.reason == NoCommand.reason:
        del failures[wanted.container]
    return True


async def remove(worker: "Worker") -> None:
    """Remove sandbox, network and volumes; what cannot be removed now is removed when the agent restarts."""
    context, uid = worker.context, worker.uid
    state = worker.state
    state.prepared, state.address = False, ""
    try:
        await _both(context.network.detach(uid), context.runtime.remove_pod(uid))
        await context.volumes.remove(uid)
    except OSError as error:
        log.warning("cannot remove everything of a pod pod=%s error=%s", worker.key, error)
    context.devices.release(uid)
    context.facts.pop(uid, None)


async def archive_logs(worker: "Worker", runs: Iterable[tuple[str, int]]) -> None:
    """Archive the logs of a pod whose object is gone, and remove its folder."""
    context = worker.context
    context.archive.keep(worker.current(), runs, context.runtime.log_file)
    await context.runtime.remove_folder(context.folder / worker.uid)
