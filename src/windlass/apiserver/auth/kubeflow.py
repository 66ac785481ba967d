"""Kubeflow's roles, as its own installation names them: what training adds to kubeflow-admin, -edit and -view.

They are part of Kubernetes' admin, edit and view too, so that whoever may run pods in a namespace may train in it. The
gangs that jobs are placed as, and Volcano's own jobs, go with those of training; JobSets, which TrainJobs are made of,
with those of the Trainer.
"""

from collections.abc import Mapping

from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.kube.kind import KINDS

_KUBEFLOW = "rbac.authorization.kubeflow.org/aggregate-to-"
_KUBERNETES = "rbac.authorization.k8s.io/aggregate-to-"

_DECLARED = [KINDS.of(framework.kind) for framework in FRAMEWORKS]
TRAINING_KINDS = " ".join(("chainerjobs", *(kind.plural for kind in _DECLARED)))
GANG_GROUPS = "scheduling.volcano.sh scheduling.x-k8s.io scheduling.incubator.k8s.io"
VOLCANO_KINDS: Mapping[str, str] = {
    "batch.volcano.sh": "jobs cronjobs",
    "bus.volcano.sh": "commands",
    "flow.volcano.sh": "jobflows jobtemplates",
}
"""Volcano's kinds of a namespace, by group, besides its gangs."""
RUNTIMES = "clustertrainingruntimes trainingruntimes"
TRAINER_GROUP, JOB_SET_GROUP = "trainer.kubeflow.org", "jobset.x-k8s.io"
_SCALABLE = " ".join(f"{kind.plural}/scale" for kind in _DECLARED if kind.scale)
_STATUSES = " ".join(f"{kind}/status" for kind in TRAINING_KINDS.split())
_VOLCANO_STATUSES = "jobs/status cronjobs/status jobflows/status jobtemplates/status"
_READ = "get list watch"
_WRITE = f"create delete deletecollection {_READ} patch update"

CLUSTER_ROLES: Mapping[str, tuple[str, ...]] = {
    "kubeflow-training-edit": (
        f"{_WRITE} | kubeflow.org | {TRAINING_KINDS}",
        f"get | kubeflow.org | {_STATUSES}",
        f"get patch update | kubeflow.org | {_SCALABLE}",
        f"create delete {_READ} | core | persistentvolumeclaims",
        f"{_READ} | core | events",
        f"create delete {_READ} patch update | {GANG_GROUPS} | podgroups",
        *(f"{_WRITE} | {group} | {kinds}" for group, kinds in VOLCANO_KINDS.items()),
        f"get | batch.volcano.sh flow.volcano.sh | {_VOLCANO_STATUSES}",
    ),
    "kubeflow-training-view": (
        f"{_READ} | kubeflow.org | {TRAINING_KINDS}",
        f"get | kubeflow.org | {_STATUSES} {_SCALABLE}",
        f"{_READ} | core | events",
        f"{_READ} | {GANG_GROUPS} | podgroups",
        *(f"{_READ} | {group} | {kinds}" for group, kinds in VOLCANO_KINDS.items()),
        f"get | batch.volcano.sh flow.volcano.sh | {_VOLCANO_STATUSES}",
    ),
    "kubeflow-trainer-edit": (
        f"{_WRITE} | {TRAINER_GROUP} | trainjobs",
        f"{_READ} | {TRAINER_GROUP} | {RUNTIMES}",
        f"get | {TRAINER_GROUP} | trainjobs/status",
        f"{_WRITE} | {JOB_SET_GROUP} | jobsets",
        f"get | {JOB_SET_GROUP} | jobsets/status",
        "list | core | pods",
        "get | core | pods/log",
        f"{_READ} | core | events",
    ),
    "kubeflow-trainer-view": (
        f"{_READ} | {TRAINER_GROUP} | {RUNTIMES} trainjobs",
        f"get | {TRAINER_GROUP} | trainjobs/status",
        f"{_READ} | {JOB_SET_GROUP} | jobsets",
        f"get | {JOB_SET_GROUP} | jobsets/status",
    ),
}
AGGREGATED: Mapping[str, str] = {
    "kubeflow-admin": f"{_KUBEFLOW}kubeflow-admin",
    "kubeflow-edit": f"{_KUBEFLOW}kubeflow-edit",
    "kubeflow-view": f"{_KUBEFLOW}kubeflow-view",
    "kubeflow-training-admin": f"{_KUBEFLOW}kubeflow-training-admin",
    "kubeflow-trainer-admin": f"{_KUBEFLOW}kubeflow-trainer-admin",
}
"""Roles that gather others, with the label that these others have."""


def _labels(family: str) -> Mapping[str, tuple[str, ...]]:
    return {
        f"kubeflow-{family}-admin": (f"{_KUBEFLOW}kubeflow-admin",),
        f"kubeflow-{family}-edit": (
            f"{_KUBEFLOW}kubeflow-edit",
            f"{_KUBEFLOW}kubeflow-{family}-admin",
            f"{_KUBERNETES}edit",
        ),
        f"kubeflow-{family}-view": (f"{_KUBEFLOW}kubeflow-view", f"{_KUBERNETES}view"),
    }


LABELS: Mapping[str, tuple[str, ...]] = {
    "kubeflow-edit": (f"{_KUBEFLOW}kubeflow-admin",),
    "kubeflow-view": (f"{_KUBEFLOW}kubeflow-edit",),
    **_labels("training"),
    **_labels("trainer"),
}
"""The labels of each, by which it becomes part of another."""
