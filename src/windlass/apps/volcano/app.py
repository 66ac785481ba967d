"""The Volcano app: PodGroups and queues of three schedulers, Volcano's jobs, cron jobs, flows and hypernodes."""

from windlass.apis.app import READ, WRITE, App, InstallOption, Provided, Rights, UserRules
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup, Queue
from windlass.apis.stops import Stop, StopByActions, StopOrder
from windlass.apis.wellknown import KUBEFLOW_GROUP, NETWORKING_GROUP, VOLCANO_BATCH_GROUP, VOLCANO_SCHEDULING_GROUP
from windlass.apps.pipelines.kinds.argo import GROUP as ARGO_GROUP
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.volcano.admission import RULES
from windlass.apps.volcano.crds import definitions
from windlass.apps.volcano.kinds.batch import CronJob, Job
from windlass.apps.volcano.kinds.bus import Command
from windlass.apps.volcano.kinds.flow import JobFlow
from windlass.apps.volcano.stopped_jobs import restoring, stopping
from windlass.kube.json import Object
from windlass.kube.kind import KINDS

OTHER_SCHEDULERS = frozenset({"scheduling.x-k8s.io", "scheduling.incubator.k8s.io"})
"""API groups of the coscheduling plugin and of kube-batch."""
_GANG_GROUPS = f"scheduling.volcano.sh {' '.join(sorted(OTHER_SCHEDULERS))}"
_KINDS = (
    (VOLCANO_BATCH_GROUP, "jobs cronjobs"),
    ("bus.volcano.sh", "commands"),
    ("flow.volcano.sh", "jobflows jobtemplates"),
)
"""Volcano's namespaced kinds by group, except PodGroups."""
_STATUSES = "get | batch.volcano.sh flow.volcano.sh | jobs/status cronjobs/status jobflows/status jobtemplates/status"

_TRAINING_JOBS = " ".join(sorted(KINDS.of(framework.kind).plural for framework in FRAMEWORKS))
_CACHED = "list watch"
_MANAGER_RIGHTS: Rights = {
    VOLCANO_BATCH_GROUP: {
        "jobs": f"{_CACHED} create patch delete",
        "cronjobs": _CACHED,
        "jobs/status cronjobs/status": "patch",
        "jobs/finalizers cronjobs/finalizers": "update",
    },
    "bus.volcano.sh": {"commands": f"{_CACHED} delete"},
    "flow.volcano.sh": {
        "jobflows": f"{_CACHED} patch",
        "jobtemplates": _CACHED,
        "jobflows/status jobtemplates/status": "patch",
        "jobflows/finalizers": "update",
    },
    VOLCANO_SCHEDULING_GROUP: {
        "queues": f"{_CACHED} get create patch",
        "queues/status": "patch",
        "podgroups": f"{_CACHED} create patch delete",
    },
    "scheduling.incubator.k8s.io": {"queues podgroups": _CACHED, "queues/status": "patch"},
    "topology.volcano.sh": {"hypernodes": f"{_CACHED} create patch delete", "hypernodes/status": "patch"},
    "": {
        "pods": f"{_CACHED} create patch delete",
        "pods/proxy": "get",  # probes of flows ask a pod through the API server
        "configmaps": f"{_CACHED} create patch delete",
        "services secrets": f"{_CACHED} create delete",
        "persistentvolumeclaims": f"{_CACHED} create",
        "nodes": _CACHED,
        "namespaces": "get",  # a namespace may say which queue its groups go to
        "events": "create patch",
        "pods/finalizers replicationcontrollers/finalizers": "update",
        "replicationcontrollers": "get",
    },
    NETWORKING_GROUP: {"networkpolicies": f"{_CACHED} create delete"},
    "scheduling.k8s.io": {"priorityclasses": _CACHED},
    # Owners of pods that get a PodGroup own that too, and some clusters guard who may say so (`finalizers`).
    "apps": {
        "replicasets statefulsets": f"{_CACHED} get",
        "daemonsets": "get",
        "replicasets/finalizers statefulsets/finalizers daemonsets/finalizers": "update",
    },
    "batch": {"jobs": "get", "jobs/finalizers": "update"},
    KUBEFLOW_GROUP: {
        _TRAINING_JOBS: "get",
        " ".join(f"{jobs}/finalizers" for jobs in _TRAINING_JOBS.split()): "update",
    },
    ARGO_GROUP: {"workflows": "get", "workflows/finalizers": "update"},
}


def _provided() -> list[Provided]:
    """The queues that Volcano's scheduler creates at startup, in state Open."""
    return [Provided(obj=_queue(name, reclaimable=name != "root")) for name in ("root", "default")]


def _queue(name: str, *, reclaimable: bool) -> Object:
    return {
        "apiVersion": KINDS.of(Queue).api_version,
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": 1, "reclaimable": reclaimable},
        "status": {"state": "Open"},
    }


APP = App(
    name="volcano",
    definitions=definitions,
    controllers="windlass.apps.volcano.controllers",
    schemes=frozenset({"volcano"}),
    user_rules=(
        UserRules(
            role="training",
            edit=(
                f"create delete {READ} patch update | {_GANG_GROUPS} | podgroups",
                *(f"{WRITE} | {group} | {kinds}" for group, kinds in _KINDS),
                _STATUSES,
            ),
            view=(
                f"{READ} | {_GANG_GROUPS} | podgroups",
                *(f"{READ} | {group} | {kinds}" for group, kinds in _KINDS),
                _STATUSES,
            ),
        ),
    ),
    rules=RULES,
    manager_rights=_MANAGER_RIGHTS,
    provided=_provided,
    install_option=InstallOption(
        flag="volcano",
        help="Replace Volcano: install its kinds, controllers and webhooks too; all includes the scheduler.",
        with_scheduler=True,
    ),
    foreign_groups=OTHER_SCHEDULERS,
    required=(Job, PodGroup, Queue),
    in_no_namespace="queues",
    web="windlass.apps.volcano.web",
    stops=(
        Stop(kind=CronJob, order=StopOrder.SCHEDULE),
        StopByActions(
            kind=Job,
            order=StopOrder.JOB,
            stopping=stopping,
            restoring=restoring,
            creates=(Command,),
            started_by=(CronJob, JobFlow),
        ),
    ),
)
