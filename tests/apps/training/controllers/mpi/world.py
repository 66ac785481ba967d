"""A world of one MPIJob v2beta1, in memory: its keys are made, and its launcher's Job has pods as the test says."""

from typing import Any

import msgspec

from tests.apps.training.controllers.engine.world import World
from windlass.apis.batch_v1 import Job, JobCondition, JobStatus
from windlass.apis.core_v1 import PodCondition
from windlass.apps.training.controllers.mpi.keys import secret
from windlass.apps.training.controllers.mpi.reconcile import controller
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS
from windlass.apps.training.options import Options
from windlass.controllers.ssh_keys import KeyPair
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.objects import owner_reference

READY = PodCondition(type="Ready", status="True")
KEYS = KeyPair(b"private", b"public")


def role(count: int | None = 1, policy: str = "", **container: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"template": {"spec": {"containers": [{"name": "mpi", "image": "pi", **container}]}}}
    made |= {} if count is None else {"replicas": count}
    return made | ({"restartPolicy": policy} if policy else {})


class MpiWorld(World):
    """demo in team-a, with two workers unless the test says otherwise."""

    def __init__(
        self,
        *,
        workers: dict[str, Any] | None = None,
        launcher: dict[str, Any] | None = None,
        policy: dict[str, Any] | None = None,
        annotations: dict[str, str] | None = None,
        options: Options | None = None,
        keys: bool = True,
        **spec: Any,
    ) -> None:
        roles = {"Launcher": launcher or role(), "Worker": workers or role(2)}
        given = {"mpiReplicaSpecs": roles, "runPolicy": policy or {}, **spec}
        marked = {"annotations": {CREATED_AS: "v2beta1", **(annotations or {})}}
        self.start(controller(options or Options()), marked, given)
        if keys:
            self.put(secret(self.job, KEYS))

    @property
    def launcher(self) -> Job | None:
        return self.world.find(Job, "demo-launcher")

    @property
    def there_launcher(self) -> Job:
        assert self.launcher is not None, "there is no launcher"
        return self.launcher

    def ready(self, *names: str) -> None:
        """These workers (or all) run and can be logged into."""
        for name in names or [name for name in self.pods if "-worker-" in name]:
            self.set_pod(name, "Running", {"running": {}}, conditions=[READY])

    def launch(self, phase: str = "Running", state: dict[str, Any] | None = None) -> None:
        """The launcher's Job makes its pod."""
        job = self.there_launcher
        owner = msgspec.to_builtins(owner_reference(job, KINDS.of(Job)))
        template: dict[str, Any] = job.spec.template
        pod = {"apiVersion": "v1", "kind": "Pod", **template}
        name = f"demo-launcher-{len(self.pods)}"
        pod["metadata"] = {**template["metadata"], "name": name, "ownerReferences": [owner]}
        self.put(pod)
        self.set_pod(name, phase, state or {"running": {}})

    def launcher_ends(self, how: str, reason: str = "", message: str = "", failed: int = 0) -> None:
        condition = JobCondition(type=how, status="True", reason=reason, message=message)
        ended = timestamp(self.now) if how == "Complete" else None
        status = JobStatus(
            conditions=[condition], completion_time=ended, failed=failed, succeeded=int(how == "Complete")
        )
        self.put(msgspec.structs.replace(self.there_launcher, status=status))
