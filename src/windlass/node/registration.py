"""The Node object of this machine: created when the agent starts, updated, and its Lease renewed as kubelet does."""

import asyncio
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from windlass.apis.core_v1 import Node
from windlass.apis.wellknown import BETA_ARCH_LABEL, BETA_OS_LABEL, HOSTNAME_LABEL
from windlass.kube.client import Client
from windlass.kube.errors import AlreadyExists, ApiError, NotFound
from windlass.kube.json import Object, dig, dig_list, dig_object, micro_timestamp, timestamp
from windlass.kube.kind import KINDS
from windlass.kube.lease import LEASE
from windlass.kube.meta import Key
from windlass.node.machine import GPU_FOLDERS, Capacity, node_info

NODE = KINDS.of(Node)
LEASE_SECONDS = 40
RENEW_INTERVAL = 10.0
STATUS_INTERVAL = 300.0  # seconds between unchanged statuses
CHECK_INTERVAL = 10.0  # seconds between checks of the machine's state
MIN_FREE_MEMORY = 100 * 2**20  # kubelet's thresholds of pressure
MIN_FREE_DISK = 0.10
RUNTIME, LIMITS, PROBLEMS = "windlass.dev/runtime", "windlass.dev/limits", "windlass.dev/problems"
"""Annotations of the Node: the runtime, how limits are enforced, and what this machine lacks."""

log = logging.getLogger(__name__)


class Identity(Struct, frozen=True):
    """The properties of the Node that stay the same as long as the agent runs."""

    name: str
    address: str
    port: int
    capacity: Capacity
    runtime: str
    limits: str = ""
    problems: tuple[str, ...] = ()
    pod_cidr: str = ""
    labels: dict[str, str] = {}
    taints: tuple[Object, ...] = ()


def new_node(identity: Identity) -> Object:
    """Return the object for creation."""
    spec: Object = {"podCIDR": identity.pod_cidr, "podCIDRs": [identity.pod_cidr]} if identity.pod_cidr else {}
    if identity.taints:
        spec["taints"] = list(identity.taints)
    metadata = {"name": identity.name, "labels": labels(identity), "annotations": annotations(identity)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec}


def labels(identity: Identity) -> dict[str, str]:
    system, machine = "linux", str(node_info("")["architecture"])
    return {
        HOSTNAME_LABEL: identity.name,
        "kubernetes.io/os": system,
        "kubernetes.io/arch": machine,
        BETA_OS_LABEL: system,
        BETA_ARCH_LABEL: machine,
        **identity.labels,
    }


def annotations(identity: Identity) -> dict[str, str]:
    values = {RUNTIME: identity.runtime, LIMITS: identity.limits, PROBLEMS: "; ".join(identity.problems)}
    return {name: value for name, value in values.items() if value}


def node_status(identity: Identity, before: Object, memory_free: int, disk_free: float, now: datetime) -> Object:
    """Compute the whole status. Pure: `before` is the previous one, whose conditions keep their transition times."""
    moment = timestamp(now)
    held = {each.get("type"): each for each in dig_list(before, "conditions")}
    conditions: list[Object] = []
    for kind, is_so, reason, message in _conditions(memory_free, disk_free):
        old = held.get(kind, {})
        value = "True" if is_so else "False"
        since = (old.get("status") == value and old.get("lastTransitionTime")) or moment
        conditions.append(
            {
                "type": kind,
                "status": value,
                "reason": reason,
                "message": message,
                "lastHeartbeatTime": moment,
                "lastTransitionTime": since,
            }
        )
    gone = dict.fromkeys(
        GPU_FOLDERS.keys() & dig_object(before, "capacity").keys(), "0"
    )  # the merge patch keeps what is left out
    return {
        "capacity": gone | identity.capacity.capacity(),
        "allocatable": gone | identity.capacity.allocatable(),
        "addresses": [
            {"type": "InternalIP", "address": identity.address},
            {"type": "Hostname", "address": "localhost"},
        ],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": identity.port}},
        "nodeInfo": node_info(identity.runtime),
        "conditions": conditions,
    }


def _conditions(memory_free: int, disk_free: float) -> list[tuple[str, bool, str, str]]:
    short_of_memory, short_of_disk = memory_free < MIN_FREE_MEMORY, disk_free < MIN_FREE_DISK
    return [
        (
            "MemoryPressure",
            short_of_memory,
            "KubeletHasInsufficientMemory" if short_of_memory else "KubeletHasSufficientMemory",
            f"kubelet has {'insufficient' if short_of_memory else 'sufficient'} memory available",
        ),
        (
            "DiskPressure",
            short_of_disk,
            "KubeletHasDiskPressure" if short_of_disk else "KubeletHasNoDiskPressure",
            f"kubelet has {'disk' if short_of_disk else 'no disk'} pressure",
        ),
        ("PIDPressure", False, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", True, "KubeletReady", "kubelet is posting ready status"),
    ]


def free_memory() -> int:
    """Return the bytes that are available without swapping."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def free_disk(folder: Path) -> float:
    """Return the fraction of the disk that is free."""
    disk = os.statvfs(folder)
    return disk.f_bavail / disk.f_blocks if disk.f_blocks else 1.0


class Registration:
    """Creates the Node and keeps it up to date."""

    def __init__(self, client: Client, identity: Identity, folder: Path) -> None:
        self._client, self._folder = client, folder
        self.identity = identity
        self.node: Object = {}

    async def register(self) -> Object:
        """Create the Node, or take over the existing one: labels and taints that users added stay."""
        try:
            self.node = await self._client.create(new_node(self.identity), kind=NODE)
        except AlreadyExists:
            mine = {"labels": labels(self.identity), "annotations": self._replaced_annotations()}
            self.node = await self._client.patch(NODE, self._key, {"metadata": mine})
        await self.write_status()
        return self.node

    def _replaced_annotations(self) -> Object:
        return {**dict.fromkeys((RUNTIME, LIMITS, PROBLEMS)), **annotations(self.identity)}

    @property
    def _key(self) -> Key:
        return Key("", self.identity.name)

    async def write_status(self) -> None:
        before = self.node.get("status") or {}
        now = datetime.now(UTC)
        status = node_status(self.identity, before, free_memory(), free_disk(self._folder), now)
        self.node = await self._client.patch(NODE, self._key, {"status": status}, "strategic", subresource="status")

    async def run(self) -> None:
        """Renew the lease and report changes until cancelled; failed requests are retried."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._renew())
            tasks.create_task(self._watch_machine())

    async def _renew(self) -> None:
        while True:
            try:
                await self.renew()
            except ApiError as error:
                log.warning("cannot renew the node's lease error=%s", error)
            await asyncio.sleep(RENEW_INTERVAL)

    async def renew(self) -> None:
        """Renew the lease for another `LEASE_SECONDS`."""
        key = Key("kube-node-lease", self.identity.name)
        spec: Object = {
            "holderIdentity": self.identity.name,
            "leaseDurationSeconds": LEASE_SECONDS,
            "renewTime": micro_timestamp(),
        }
        try:
            await self._client.patch(LEASE, key, {"spec": spec})
        except NotFound:
            owner = {"apiVersion": "v1", "kind": "Node", "name": key.name, "uid": dig(self.node, "metadata", "uid")}
            metadata = {"name": key.name, "namespace": key.namespace, "ownerReferences": [owner]}
            lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
            await self._client.create(lease, kind=LEASE)

    async def _watch_machine(self) -> None:
        waited = 0.0
        while True:
            await asyncio.sleep(CHECK_INTERVAL)
            waited += CHECK_INTERVAL
            try:
                if await self.check(overdue=waited >= STATUS_INTERVAL):
                    waited = 0.0
            except ApiError as error:
                log.warning("cannot write the node's status error=%s", error)

    async def check(self, *, overdue: bool) -> bool:
        """Write the status if the Node says something else, as after it was marked unknown; whether it was written."""
        try:
            self.node = await self._client.get(NODE, self.identity.name)
        except NotFound:  # a user deleted the Node: recreate it while the agent runs
            await self.register()
            return True
        now = [is_so for _, is_so, _, _ in _conditions(free_memory(), free_disk(self._folder))]
        if _reported_conditions(self.node) == now and not overdue:
            return False
        await self.write_status()
        return True


def _reported_conditions(node: Object) -> list[bool | None]:
    """Return the Node's conditions as it reports them; None is unknown or absent."""
    meant = {"True": True, "False": False}
    held = {each.get("type"): meant.get(str(each.get("status"))) for each in dig_list(node, "status", "conditions")}
    return [held.get(kind) for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")]
