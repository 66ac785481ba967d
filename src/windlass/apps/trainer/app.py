"""The Kubeflow Trainer app: TrainJobs and their runtimes."""

from windlass.apis.app import READ, TRAINER_OPTION, WRITE, App, Provided, Rights, UserRules
from windlass.apis.stops import Stop, StopOrder
from windlass.apis.wellknown import VOLCANO_SCHEDULING_GROUP
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.trainer.admission import RULES
from windlass.apps.trainer.crds import definitions
from windlass.apps.trainer.kinds import GROUP, ClusterTrainingRuntime, TrainingRuntime, TrainJob
from windlass.apps.trainer.public import public_objects
from windlass.apps.trainer.runtimes import runtimes

_RUNTIMES = "clustertrainingruntimes trainingruntimes"
_CACHED = "list watch"
_MANAGER_RIGHTS: Rights = {
    GROUP: {
        "trainjobs": _CACHED,
        "trainjobs/status": "patch",
        "trainjobs/finalizers": "update",
        _RUNTIMES: f"{_CACHED} get",
    },
    "jobset.x-k8s.io": {"jobsets": f"{_CACHED} get create patch delete"},
    "": {
        "configmaps": f"{_CACHED} get create patch",
        "secrets": f"{_CACHED} create",
        "pods": _CACHED,  # a TrainJob says which of its pods cannot start
        "events": "create patch",
    },
    VOLCANO_SCHEDULING_GROUP: {"podgroups": f"{_CACHED} create patch", "queues": _CACHED},
    "scheduling.x-k8s.io": {"podgroups": f"{_CACHED} create patch"},
}


def _provided() -> list[Provided]:
    """The objects that clients of the Trainer read first, and the built-in runtimes."""
    public = [Provided(obj=obj, renew="data" if "data" in obj else "", on_cluster=True) for obj in public_objects()]
    return [*public, *(Provided(obj=runtime, renew="spec") for runtime in runtimes())]


APP = App(
    name="trainer",
    definitions=definitions,
    controllers="windlass.apps.trainer.controllers",
    schemes=frozenset({"trainjob"}),
    user_rules=(
        UserRules(
            role="trainer",
            edit=(
                f"{WRITE} | {GROUP} | trainjobs",
                f"{READ} | {GROUP} | {_RUNTIMES}",
                f"get | {GROUP} | trainjobs/status",
                "list | core | pods",
                "get | core | pods/log",
                f"{READ} | core | events",
            ),
            view=(f"{READ} | {GROUP} | {_RUNTIMES} trainjobs", f"get | {GROUP} | trainjobs/status"),
        ),
    ),
    rules=RULES,
    manager_rights=_MANAGER_RIGHTS,
    provided=_provided,
    parts={"runtimes": runtimes},
    install_option=TRAINER_OPTION,
    required=(TrainJob, TrainingRuntime, ClusterTrainingRuntime, JobSet),
    stops=(Stop(kind=TrainJob, order=StopOrder.JOB),),
)
