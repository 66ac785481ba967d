"""Whatever a controller makes, and the server refuses, is reported on the object that it is made for."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml

from tests.controllers.controllers_of_apps import app_controllers
from tests.controllers.refusing import REASON, step
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS, VERSION
from windlass.apps.training.options import Options
from windlass.controllers import EMBEDDED
from windlass.kube.controller import Acting, Controller, Service
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS

ALL = (
    *EMBEDDED,
    *app_controllers(Options(gang_scheduler="volcano")),
)
CONTROLLERS: dict[str, Controller[Any] | Acting[Any]] = {one.name: one for one in ALL if not isinstance(one, Service)}

MAKE_NOTHING = {
    "controllermanager": "counts a budget's pods",
    "custom-resource-cleanup": "deletes",
    "endpoint-leftovers": "deletes",
    "horizontal-pod-autoscaler": "scales what is there; its own conditions report it",
    "job-pod-release": "patches the pod itself",
    "namespace": "deletes; the namespace's own conditions report it",
    "node-lifecycle": "patches the node itself",
    "node-lifecycle-pods": "patches the pod itself",
    "node-taints": "patches the node itself",
    "persistentvolume-phase": "patches the volume itself",
    "persistentvolume-protection-controller": "patches the volume itself",
    "persistentvolume-reclaim": "deletes",
    "persistentvolumeclaim-protection-controller": "patches the claim itself",
    "resource-quota-controller": "counts",
    "service-lb-controller": "sets a status",
    "taint-dates": "patches the node itself",
    "tensorboard-runs": "asks a pod",
    "taint-eviction-controller": "deletes",
    "ttl-after-finished-controller": "deletes",
    "volcano-job-expiry": "deletes",
    "volcano-job-stray-commands": "deletes",
    "volcano-jobflow-probe": "sets a status",
    "volcano-jobtemplate": "sets a status",
}
"""Controllers that make no objects, and why they are not in the table below."""

POD = "{metadata: {labels: {app: a}}, spec: {containers: [{name: main, image: busybox}]}}"
WORKLOAD = f"replicas: 1, selector: {{matchLabels: {{app: a}}}}, template: {POD}"
JOB = "template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}"
EVERY_MINUTE = 'schedule: "* * * * *"'
VIEWER = """
apiVersion: kubeflow.org/v1alpha1
kind: PVCViewer
spec: {pvc: data, podSpec: {containers: [{name: main, image: %s}]}}
"""
BOARD = """
apiVersion: tensorboard.kubeflow.org/v1alpha1
kind: Tensorboard
spec: {logspath: "s3://bucket/logs"}
"""
NOTEBOOK = """
apiVersion: kubeflow.org/v1
kind: Notebook
spec: {template: {spec: {containers: [{name: demo, image: busybox}]}}}
"""
AGO = timestamp(datetime.now(UTC) - timedelta(seconds=90))
RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: runs}
spec:
  mlPolicy: {numNodes: 1, %s: {}}
  template:
    spec:
      replicatedJobs:
        - name: launcher
          template: {spec: {template: {spec: {containers: [{name: node, image: busybox}]}}}}
"""
TRAIN_JOB = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nspec: {runtimeRef: {name: runs}}\n---"
MPI_JOB = f"""
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{annotations: {{{CREATED_AS}: {VERSION}}}}}
spec: {{mpiReplicaSpecs: {{Launcher: {{replicas: 1, template: {POD}}}, Worker: {{replicas: 1, template: {POD}}}}}}}
"""
VC_JOB = f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
spec: {{plugins: {{ssh: []}}, minAvailable: 1, tasks: [{{name: t, replicas: 1, template: {POD}}}]}}
status: {{state: {{phase: Pending}}}}
"""
SERVICE = "apiVersion: v1\nkind: Service\nspec: {%s ports: [{port: 80}]}"

MAKE = {
    "serviceaccount": "apiVersion: v1\nkind: Namespace",
    "root-ca-cert-publisher": """
apiVersion: v1
kind: Namespace
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kube-root-ca.crt, namespace: kube-system}
data: {ca.crt: "-----"}
""",
    "clusterrole-aggregation-controller": """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: other, labels: {a: b}}
rules: [{verbs: [get], apiGroups: [""], resources: [pods]}]
""",
    "endpoint-controller": SERVICE % "selector: {app: a},",
    "endpointslice-controller": SERVICE % "selector: {app: a},",
    "endpointslicemirroring-controller": f"""
apiVersion: v1
kind: Endpoints
subsets: [{{addresses: [{{ip: 192.0.2.1}}], ports: [{{port: 80}}]}}]
---
{SERVICE % ""}
""",
    "ephemeral-volume-controller": """
apiVersion: v1
kind: Pod
spec:
  containers: [{name: main, image: busybox}]
  volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}]
""",
    "statefulset-controller": f"apiVersion: apps/v1\nkind: StatefulSet\nspec: {{{WORKLOAD}}}",
    "daemonset-controller": f"apiVersion: apps/v1\nkind: DaemonSet\nspec: {{{WORKLOAD.partition(', ')[2]}}}",
    "replicaset-controller": f"apiVersion: apps/v1\nkind: ReplicaSet\nspec: {{{WORKLOAD}}}",
    "replication-controller": f"""
apiVersion: v1
kind: ReplicationController
spec: {{replicas: 1, selector: {{app: a}}, template: {POD}}}
""",
    "deployment-controller": f"""
apiVersion: apps/v1
kind: Deployment
spec: {{{WORKLOAD}, progressDeadlineSeconds: 600}}
""",
    "job-controller": f"apiVersion: batch/v1\nkind: Job\nspec: {{selector: {{matchLabels: {{app: a}}}}, {JOB}}}",
    "cronjob-controller": f"""
apiVersion: batch/v1
kind: CronJob
spec: {{{EVERY_MINUTE}, jobTemplate: {{spec: {{{JOB}}}}}}}
""",
    "cron-workflow": """
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
spec:
  schedules: ["* * * * *"]
  workflowSpec: {entrypoint: main, templates: [{name: main, container: {image: busybox, command: ["true"]}}]}
""",
    "persistentvolume-controller": """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {annotations: {volume.kubernetes.io/storage-provisioner: windlass.dev/local-path}}
spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: windlass.dev/local-path
volumeBindingMode: Immediate
---
apiVersion: v1
kind: Node
metadata: {name: node}
""",
    "storage-furnishing": "apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system}",
    "mpi-operator": MPI_JOB,
    "mpi-keys": MPI_JOB,
    "chainer-operator": f"apiVersion: kubeflow.org/v1alpha1\nkind: ChainerJob\nspec: {{master: {{template: {POD}}}}}",
    "trainer": TRAIN_JOB + RUNTIME % "torch",
    "trainer-mpi-keys": TRAIN_JOB + RUNTIME % "mpi",
    "jobset": f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
spec: {{replicatedJobs: [{{name: a, replicas: 1, template: {{spec: {{{JOB}}}}}}}]}}
""",
    "notebook-controller": NOTEBOOK,
    "notebook-tokens": NOTEBOOK,
    "pvcviewer-controller": VIEWER % "busybox",
    "pvcviewer-tokens": VIEWER % "windlass/file-browser:latest",
    "tensorboard-controller": BOARD,
    "tensorboard-tokens": BOARD,
    "profile-controller": "apiVersion: kubeflow.org/v1\nkind: Profile\nspec: {owner: {kind: User, name: ann}}",
    "snapshot-controller": """
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: {finalizers: [snapshot.storage.kubernetes.io/volumesnapshot-bound-protection]}
spec: {source: {persistentVolumeClaimName: data}, volumeSnapshotClassName: shared}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: team}
spec: {volumeName: volume}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume}
spec: {csi: {driver: shared.windlass.dev, volumeHandle: volume}}
---
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotClass
metadata: {name: shared}
driver: shared.windlass.dev
deletionPolicy: Delete
""",
    "volcano-job": VC_JOB.replace("ssh: []", ""),
    "volcano-job-keys": VC_JOB,
    "volcano-cronjob": f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: CronJob
spec: {{{EVERY_MINUTE}, jobTemplate: {{spec: {{minAvailable: 1, tasks: [{{name: t, replicas: 1, template: {POD}}}]}}}}}}
""",
    "volcano-jobflow": """
apiVersion: flow.volcano.sh/v1alpha1
kind: JobFlow
spec: {flows: [{name: a}]}
---
apiVersion: flow.volcano.sh/v1alpha1
kind: JobTemplate
metadata: {name: a, namespace: team}
spec: {minAvailable: 1, tasks: [{name: t, replicas: 1, template: {}}]}
""",
}
"""For each controller an object, and what else it must see, for it to make something."""

for framework in FRAMEWORKS:
    declared = KINDS.of(framework.kind)
    role = framework.replica_types[-1] if framework.name != "MPIJob" else "Launcher"
    specs = f"{framework.specs.split('_')[0]}ReplicaSpecs"
    MAKE.setdefault(
        framework.operator_name,
        f"apiVersion: {declared.api_version}\nkind: {framework.name}\n"
        f"spec: {{jobMode: MXTrain, {specs}: {{{role}: {{replicas: 1, template: {POD}}}}}}}",
    )

CONDITIONS = {
    **dict.fromkeys((*(one.operator_name for one in FRAMEWORKS), "mpi-operator"), "Created"),
    "profile-controller": "Failed",
    "trainer": "Created",
    "deployment-controller": "Progressing",
    **dict.fromkeys(
        (
            "chainer-operator",
            "daemonset-controller",
            "job-controller",
            "jobset",
            "replicaset-controller",
            "replication-controller",
            "statefulset-controller",
        ),
        "ReplicaFailure",
    ),
}
"""Which condition carries the server's message, of the kinds that have conditions for it."""


def objects_of(name: str) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = list(yaml.safe_load_all(MAKE[name]))
    kind = KINDS.of(CONTROLLERS[name].kind)
    place = {"namespace": "team"} if kind.namespaced else {}
    about = {"name": "demo", "uid": "uid-demo", "resourceVersion": "7", "generation": 1, "creationTimestamp": AGO}
    objects[0]["metadata"] = {**about, **place, **objects[0].get("metadata", {})}
    for service in objects[1:]:
        if service["kind"] == "Service":
            service["metadata"] = {"name": "demo", "namespace": "team"}
    if name == "daemonset-controller":
        objects.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"}})
    return objects


def test_every_controller_is_looked_at_here() -> None:
    assert {*MAKE} | {*MAKE_NOTHING} == {*CONTROLLERS}
    assert not {*MAKE} & {*MAKE_NOTHING}


@pytest.mark.parametrize("name", sorted(MAKE))
async def test_a_refused_child_is_an_event_and_a_condition_of_its_owner(name: str) -> None:
    objects = objects_of(name)
    outcome = await step(CONTROLLERS[name], objects)

    about = (objects[0]["kind"], objects[0]["metadata"]["name"])
    told = [(reason, message) for kind, owner, reason, message in outcome.warnings if (kind, owner) == about]
    assert [message for _, message in told if REASON in message], outcome
    condition = CONDITIONS.get(name)
    if condition is not None:
        assert REASON in outcome.conditions[condition]["message"], outcome
    if name == "volcano-job":
        assert REASON in outcome.status["state"]["message"]


@pytest.mark.parametrize("name", sorted({*MAKE} - {"volcano-job"}))
async def test_the_same_refusal_again_changes_no_status(name: str) -> None:
    """A status that changed at each attempt would wake its controller for the next, without a pause."""
    first, *others = objects_of(name)
    status = (await step(CONTROLLERS[name], [first, *others])).status
    later = {**first, "metadata": {**first["metadata"], "resourceVersion": "8"}, "status": status}

    assert (await step(CONTROLLERS[name], [later, *others])).status == status
