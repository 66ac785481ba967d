"""The JobSet app: sets of Jobs, which TrainJobs consist of."""

from windlass.apis.app import READ, TRAINER_OPTION, WRITE, App, Rights, UserRules
from windlass.apis.stops import Stop, StopOrder
from windlass.apps.jobset.admission import RULES
from windlass.apps.jobset.crds import definitions
from windlass.apps.jobset.kinds import GROUP, JobSet

_CACHED = "list watch"
_MANAGER_RIGHTS: Rights = {
    GROUP: {
        "jobsets": f"{_CACHED} get create patch delete",
        "jobsets/status": "patch",
        "jobsets/finalizers": "update",
    },
    "": {
        "services": f"{_CACHED} create",
        "persistentvolumeclaims": f"{_CACHED} get create",
        "events": "create patch",
    },
    "batch": {
        "jobs": f"{_CACHED} create patch delete",
        "jobs/status": "patch",  # a Job that is resumed counts its time from zero
    },
}

APP = App(
    name="jobset",
    definitions=definitions,
    controllers="windlass.apps.jobset.controllers",
    schemes=frozenset({"jobset"}),
    user_rules=(
        UserRules(
            role="trainer",
            edit=(f"{WRITE} | {GROUP} | jobsets", f"get | {GROUP} | jobsets/status"),
            view=(f"{READ} | {GROUP} | jobsets", f"get | {GROUP} | jobsets/status"),
        ),
    ),
    rules=RULES,
    manager_rights=_MANAGER_RIGHTS,
    install_option=TRAINER_OPTION,
    required=(JobSet,),
    stops=(Stop(kind=JobSet, order=StopOrder.PART),),
)
