"""A pod as a workload's template says, and names for pods that have no number.

The names look like those that Kubernetes generates, but are drawn from what the workload looks like now: asked again
before anything has changed, after a crash for example, the answer is the same, and no pod is made twice.
"""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from windlass.apis.core_v1 import Json, PodTemplate
from windlass.kube import meta

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # Kubernetes' own: no vowels, so no words; nothing that looks like another
SUFFIX = 5
LONGEST_BASE = 63 - SUFFIX


def pod_from_template(template: PodTemplate, name: str, base: str, namespace: str) -> Json:
    """All that the template says of a pod; `base` is what a server would have generated the name from."""
    given: dict[str, Any] = template.get("metadata") or {}
    metadata: Json = {"name": name, "generateName": base, "namespace": namespace}
    for field in ("labels", "annotations", "finalizers"):
        if given.get(field):
            metadata[field] = given[field]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec") or {}}


def base_name(owner: meta.Object) -> str:
    return f"{owner.metadata.name}-"


def fresh_names(owner: meta.Object) -> Iterator[str]:
    """Names without end, the same ones for as long as the owner is at the same version."""
    base = base_name(owner)[:LONGEST_BASE]
    seed = f"{owner.metadata.uid}/{owner.metadata.resource_version}"
    number = 0
    while True:
        digest = blake2b(f"{seed}/{number}".encode(), digest_size=SUFFIX * 2).digest()
        yield base + "".join(
            ALPHABET[int.from_bytes(digest[at : at + 2]) % len(ALPHABET)] for at in range(0, len(digest), 2)
        )
        number += 1
