"""The volumes app: viewers of volumes, and snapshots, whose controllers are those of the embedded storage."""

from windlass.apis.app import PLATFORM_OPTION, READ, WRITE, App, UserRules
from windlass.apis.crd import definition
from windlass.apis.snapshot_storage_v1 import GROUP as SNAPSHOTS
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.apps.volumes import snapshots
from windlass.apps.volumes.admission import RULES, use_options
from windlass.apps.volumes.entrance import ENTRANCE
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.options import Options
from windlass.kube.json import Object


def definitions() -> list[Object]:
    """Return the definitions, ready to create."""
    return [definition(PVCViewer), *snapshots.definitions()]


APP = App(
    name="volumes",
    definitions=definitions,
    controllers="windlass.apps.volumes.controllers",
    schemes=frozenset({"pvcviewer"}),
    user_rules=(
        UserRules(
            role="pvcviewers",
            edit=(f"{WRITE} | {GROUP} | pvcviewers", f"get | {GROUP} | pvcviewers/status"),
            view=(f"{READ} | {GROUP} | pvcviewers", f"get | {GROUP} | pvcviewers/status"),
        ),
        UserRules(
            role="snapshots",
            edit=(f"{WRITE} | {SNAPSHOTS} | volumesnapshots", f"{READ} | {SNAPSHOTS} | volumesnapshotclasses"),
            view=(f"{READ} | {SNAPSHOTS} | volumesnapshots", f"{READ} | {SNAPSHOTS} | volumesnapshotclasses"),
        ),
        UserRules(
            role="volume-ui",
            edit=(f"{WRITE} | core | persistentvolumeclaims", f"{WRITE} | {GROUP} | pvcviewers"),
            view=(f"{READ} | core | persistentvolumeclaims", f"{READ} | {GROUP} | pvcviewers"),
        ),
    ),
    rules=RULES,
    provided=snapshots.provided,
    foreign_groups=frozenset({SNAPSHOTS}),
    controllers_declare_rights=True,
    install_option=PLATFORM_OPTION,
    required=(PVCViewer,),
    web="windlass.apps.volumes.web",
    gateway_rules=(f"get | {GROUP} | pvcviewers",),  # whether a viewer runs the built-in file browser
    options=Options,
    use_options=use_options,
    entrances=(ENTRANCE,),
)
