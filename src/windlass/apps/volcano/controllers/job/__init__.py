"""batch.volcano.sh Jobs: tasks that start together, and what is done when something happens to them.

`reconcile.py` decides. `policy_events` are read from what is there, `policies` say which action answers them, `phases`
what that makes of the job. `plugins/` give pods the addresses of each other.
"""

from windlass.apps.volcano.controllers.job import commands, expiry, reconcile
from windlass.apps.volcano.controllers.job.children import ssh_keys
from windlass.kube.controller import AnyController


def controllers() -> tuple[AnyController, ...]:
    return (reconcile.CONTROLLER, ssh_keys.CONTROLLER, expiry.CONTROLLER, commands.STRAY_COMMANDS)
