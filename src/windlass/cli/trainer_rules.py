"""What the manager may do on a cluster where it looks after TrainJobs and JobSets, with webhooks. Decides only."""

from collections.abc import Iterator

from windlass.cli.volcano_rules import LOOKED_AT, Table, rights_in

OWN: Table = {
    "trainer.kubeflow.org": {
        "trainjobs": LOOKED_AT,
        "trainjobs/status": "patch",
        "trainjobs/finalizers": "update",
        "trainingruntimes clustertrainingruntimes": f"{LOOKED_AT} get",
    },
    "jobset.x-k8s.io": {
        "jobsets": f"{LOOKED_AT} get create patch delete",
        "jobsets/status": "patch",
        "jobsets/finalizers": "update",
    },
}
OTHERS: Table = {
    "": {
        "configmaps": f"{LOOKED_AT} get create patch",
        "secrets services": f"{LOOKED_AT} create",
        "persistentvolumeclaims": f"{LOOKED_AT} get create",
        "events": "create patch",
    },
    "batch": {
        "jobs": f"{LOOKED_AT} create patch delete",
        "jobs/status": "patch",  # a Job that goes on after a rest counts its time anew
    },
    "scheduling.volcano.sh": {"podgroups": f"{LOOKED_AT} create patch"},
    "scheduling.x-k8s.io": {"podgroups": f"{LOOKED_AT} create patch"},
}
"""What jobs are made of. The webhooks ask for single runtimes, snapshots of them, JobSets and claims."""


def trainer_rights() -> Iterator[tuple[str, str, str]]:
    """API group, resource and verb of each."""
    yield from rights_in(OWN, OTHERS)
