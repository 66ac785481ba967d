"""What the manager may do on a cluster where it looks after Volcano's kinds, with their webhooks. Decides only."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

LOOKED_AT = "list watch"
Table: TypeAlias = Mapping[str, Mapping[str, str]]
"""Verbs by resource, by API group."""

OWN: Table = {
    "batch.volcano.sh": {
        "jobs": f"{LOOKED_AT} create patch delete",
        "cronjobs": LOOKED_AT,
        "jobs/status cronjobs/status": "patch",
        "jobs/finalizers cronjobs/finalizers": "update",
    },
    "bus.volcano.sh": {"commands": f"{LOOKED_AT} delete"},
    "flow.volcano.sh": {
        "jobflows": f"{LOOKED_AT} patch",
        "jobtemplates": LOOKED_AT,
        "jobflows/status jobtemplates/status": "patch",
        "jobflows/finalizers": "update",
    },
    "scheduling.volcano.sh": {
        "queues": f"{LOOKED_AT} get create patch",
        "queues/status": "patch",
        "podgroups": f"{LOOKED_AT} create patch delete",
    },
    "scheduling.incubator.k8s.io": {"queues podgroups": LOOKED_AT, "queues/status": "patch"},
    "topology.volcano.sh": {"hypernodes": f"{LOOKED_AT} create patch delete", "hypernodes/status": "patch"},
}
"""Volcano's kinds, and kube-batch's queues, which are counted in the same way."""

OTHERS: Table = {
    "": {
        "pods": f"{LOOKED_AT} create patch delete",
        "pods/proxy": "get",  # probes of flows ask a pod through the API server
        "configmaps": f"{LOOKED_AT} create patch delete",
        "services secrets": f"{LOOKED_AT} create delete",
        "persistentvolumeclaims": f"{LOOKED_AT} create",
        "nodes": LOOKED_AT,
        "namespaces": "get",  # one may say which queue its groups go to
        "events": "create patch",
    },
    "networking.k8s.io": {"networkpolicies": f"{LOOKED_AT} create delete"},
    "scheduling.k8s.io": {"priorityclasses": LOOKED_AT},
    "apps": {"replicasets statefulsets": f"{LOOKED_AT} get", "daemonsets": "get"},
    "batch": {"jobs": "get"},
}
"""What jobs are made of, and what decisions about them depend on."""

OWNERS: Table = {
    "": {"pods/finalizers": "update"},
    "apps": {"replicasets/finalizers statefulsets/finalizers daemonsets/finalizers": "update"},
    "batch": {"jobs/finalizers": "update"},
}
"""Owners of pods that get a PodGroup, which belongs to them: to say so is guarded on some clusters."""


def volcano_rights() -> Iterator[tuple[str, str, str]]:
    """Group, resource and verb, one after the other."""
    yield from rights_in(OWN, OTHERS, OWNERS)


def rights_in(*tables: Table) -> Iterator[tuple[str, str, str]]:
    for table in tables:
        for group, resources in table.items():
            for names, verbs in resources.items():
                for name in names.split():
                    yield from ((group, name, verb) for verb in verbs.split())
