"""What a pod needs before its containers start, and how that is taken down: volumes, sandbox, network, images."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, TypeVar, cast

from windlass.kube.json import dig, dig_list, dig_object
from windlass.node.environment import NoCommand, argv_of
from windlass.node.hostname import full_hostname, hostname
from windlass.node.images.image import PullFailed, UnknownImage
from windlass.node.lifecycle import notes
from windlass.node.lifecycle.backoff import FIRST, LONGEST
from windlass.node.lifecycle.decision import Note, Pull
from windlass.node.lifecycle.observed import ImageRef
from windlass.node.pods.memory import again
from windlass.node.runtimes.base import CannotRun, PodFacts, PodSpec
from windlass.node.volumes.base import NotReady

if TYPE_CHECKING:
    from windlass.node.pods.worker import Worker

PROGRESS_EVERY = 5.0  # seconds between two events about one build

First = TypeVar("First")
Second = TypeVar("Second")

log = logging.getLogger(__name__)


async def prepare(worker: "Worker") -> None:
    """Volumes, and beside them the sandbox and its network; each may be there already."""
    memory, means = worker.memory, worker.means
    try:
        volumes, facts = await _both(means.volumes.prepare(worker.current()), _sandbox(worker))
        memory.volumes = volumes
    except NotReady as error:
        memory.trouble = again(memory.trouble, "FailedMount", str(error), first=0.5)
        means.tell(worker.pod, notes.mount_failed(str(error)))
        return
    except (CannotRun, OSError) as error:
        memory.trouble = again(memory.trouble, "FailedCreatePodSandBox", str(error))
        means.tell(worker.pod, notes.sandbox_failed(str(error)))
        return
    latest = await means.runtime.pod_facts(worker.uid)  # a container may have ended while volumes were prepared
    means.facts[worker.uid] = latest or facts
    memory.prepared, memory.trouble = True, None


async def _both(first: Awaitable[First], second: Awaitable[Second]) -> tuple[First, Second]:
    """Done when both are, also where one fails: what it has begun must not go on unseen."""
    answers = await asyncio.gather(first, second, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return cast("tuple[First, Second]", tuple(answers))


async def _sandbox(worker: "Worker") -> PodFacts:
    memory, means = worker.memory, worker.means
    dead = means.facts.get(worker.uid)
    if dead is not None and not dead.alive:
        await means.network.detach(worker.uid)
    facts = await means.runtime.start_pod(sandbox_spec(worker, ""))
    if dig(worker.pod, "spec", "hostNetwork"):
        memory.address = means.host_ip
    else:
        memory.address = await means.network.attach(worker.uid, facts.pid)
    return await means.runtime.start_pod(sandbox_spec(worker, memory.address))


def sandbox_spec(worker: "Worker", address: str) -> PodSpec:
    pod, means = worker.pod, worker.means
    spec = dig_object(pod, "spec")
    return PodSpec(
        uid=worker.uid,
        namespace=worker.key.namespace,
        name=worker.key.name,
        folder=str(means.folder / worker.uid),
        hostname=(spec.get("setHostnameAsFQDN") and full_hostname(pod)) or hostname(pod),
        hosts=means.network.hosts(pod, address),
        resolv_conf=means.network.resolv_conf(pod),
        host_network=bool(spec.get("hostNetwork")),
        host_ipc=bool(spec.get("hostIPC")),
        share_processes=bool(spec.get("shareProcessNamespace")),
        sysctls={str(each["name"]): str(each["value"]) for each in dig_list(spec, "securityContext", "sysctls")},
    )


async def pull(worker: "Worker", wanted: Pull) -> None:
    """Have an image for the next run of a container, with its progress told as events."""
    memory, means, where = worker.memory, worker.means, worker.field_path(wanted.container)
    try:
        if not _has_program(worker, wanted):
            return
        found = means.images.present(wanted.reference)
        if found is not None:
            note = notes.present(wanted.reference, where)
        else:
            means.tell(worker.pod, notes.pulling(wanted.reference, where))
            began = time.monotonic()
            found = await means.images.pull(wanted.reference, _progress(worker, wanted, where))
            note = notes.pulled(wanted.reference, time.monotonic() - began, found.size, where)
    except (UnknownImage, PullFailed) as error:
        before = memory.pull_troubles.get(wanted.container)
        about = wanted.reference
        trouble = again(before, "ErrImagePull", str(error), first=FIRST, longest=LONGEST, about=about)
        memory.pull_troubles[wanted.container] = trouble
        means.tell(worker.pod, notes.pull_failed(wanted.reference, str(error), where))
        return
    means.tell(worker.pod, note)
    for warning in found.warnings:
        means.tell(worker.pod, Note("ImageMapped", warning, warning=True, field_path=where))
    memory.pull_troubles.pop(wanted.container, None)
    memory.found_images[wanted.container] = found
    memory.images[wanted.container] = ImageRef(wanted.reference, found.id, wanted.attempt)


def _has_program(worker: "Worker", wanted: Pull) -> bool:
    """Whether there is something to run, seen before an environment is built for it. Raises UnknownImage."""
    troubles, container = worker.memory.config_troubles, worker.container(wanted.container)
    described = worker.means.images.described(wanted.reference)
    before = troubles.get(wanted.container)
    if container is None or described is None:
        return True
    try:
        argv_of(container, described)
    except NoCommand as error:
        troubles[wanted.container] = again(before, error.reason, str(error), about=wanted.reference)
        return False
    if before is not None and before.reason == NoCommand.reason:
        del troubles[wanted.container]
    return True


def _progress(worker: "Worker", wanted: Pull, where: str) -> Callable[[str], None]:
    told_at = time.monotonic()

    def told(line: str) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= PROGRESS_EVERY:
            told_at = time.monotonic()
            worker.means.tell(
                worker.pod, Note("Pulling", f'Pulling image "{wanted.reference}": {line}', field_path=where)
            )

    return told


async def remove(worker: "Worker") -> None:
    """Sandbox, network and volumes; what cannot be removed now is swept when the agent starts again."""
    means, uid = worker.means, worker.uid
    memory = worker.memory
    memory.prepared, memory.address = False, ""
    try:
        await _both(means.network.detach(uid), means.runtime.remove_pod(uid))
        await means.volumes.remove(uid)
    except OSError as error:
        log.warning("a pod could not be removed whole pod=%s error=%s", worker.key, error)
    means.devices.take_back(uid)
    means.facts.pop(uid, None)


async def archive_logs(worker: "Worker", runs: Iterable[tuple[str, int]]) -> None:
    """The object is gone: its logs are kept for a while, all else of it goes."""
    means = worker.means
    means.archive.keep(worker.current(), runs, means.runtime.log_file)
    await means.runtime.remove_folder(means.folder / worker.uid)
