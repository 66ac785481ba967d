"""Which volumes the claims of a pod get on the node that was chosen for it, and what must be written for that.

A volume that is promised to a claim is reserved in the snapshot before it is written, so that no other pod gets it.
"""

from dataclasses import dataclass

from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim
from windlass.apis.reason_text import node_cause
from windlass.kube.meta import Key
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.predicates.verdict import Refusal
from windlass.scheduler.predicates.volumes import SELECTED_NODE, choose, is_bound, stuck

FAILED = 'running PreBind plugin "VolumeBinding"'


class ClaimsFailed(Exception):
    """The claims cannot be bound there; the text says why."""


@dataclass(frozen=True, slots=True)
class PromiseVolume:
    """Make an existing volume refer to a claim."""

    volume: PersistentVolume
    claim: PersistentVolumeClaim


@dataclass(frozen=True, slots=True)
class SelectNode:
    """Name the node on which a volume for a claim is to be provisioned."""

    claim: Key
    node: str


ClaimWrite = PromiseVolume | SelectNode


@dataclass(frozen=True, slots=True)
class ClaimPlan:
    are_bound: bool
    writes: tuple[ClaimWrite, ...] = ()


def plan_claims(snapshot: Snapshot, pod: PodInfo, node_name: str) -> ClaimPlan:
    """Choose volumes for the claims that are not bound, and reserve them. Raises ClaimsFailed."""
    node = snapshot.node(node_name)
    if node is None or node.node is None or snapshot.node_of(pod.uid) is None:
        raise ClaimsFailed(f'{FAILED}: node "{node_name}" not found')
    claims = [_claim(snapshot, Key(pod.key.namespace, name)) for name, _ in pod.claims]
    chosen = next(filter(None, map(stuck, claims)), None) or choose(claims, node.node, snapshot)
    if isinstance(chosen, Refusal):
        raise ClaimsFailed(f"{FAILED}: {node_cause(chosen.causes[0])}")
    writes: list[ClaimWrite] = []
    missing = [claim for claim in claims if not is_bound(claim)]
    for claim in missing:
        key = claim.metadata.key
        volume = chosen[key]
        if volume is None:
            if claim.metadata.annotations.get(SELECTED_NODE) != node_name:
                writes.append(SelectNode(key, node_name))
            continue
        snapshot.reserved[volume.metadata.name] = key
        if volume.spec.get("claimRef", {}).get("uid") != claim.metadata.uid:
            writes.append(PromiseVolume(volume, claim))
    return ClaimPlan(not missing, tuple(writes))


def _claim(snapshot: Snapshot, key: Key) -> PersistentVolumeClaim:
    claim = snapshot.claims.get(key)
    if claim is None:
        raise ClaimsFailed(f'{FAILED}: persistentvolumeclaim "{key.name}" not found')
    return claim
