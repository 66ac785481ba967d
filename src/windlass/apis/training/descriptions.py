"""What the fields of training jobs are for, as `kubectl explain` tells it: kinds share them, so they stand here."""

from collections.abc import Mapping

from windlass.kube.json import Object, is_object
from windlass.kube.schema import shared

DESCRIPTIONS: Mapping[str, str] = {
    # of the object
    "spec": "What is wanted.",
    "status": "How it fares; written by its controller.",
    # of the spec
    "runPolicy": "How the job as a whole is run and ended.",
    "successPolicy": "Who must succeed: empty for the chief or the first worker, AllWorkers for all of them.",
    "enableDynamicWorker": "Whether workers may come and go while the others train.",
    "nprocPerNode": "Processes that torchrun starts in each pod: auto, cpu, gpu, or a number.",
    "elasticPolicy": "Between which numbers of workers the job may train.",
    "jobMode": "What the job is for: MXTrain or MXTune.",
    "slotsPerWorker": "Processes that may run in each worker.",
    "mainContainer": "The container of a worker that the launcher starts processes in; the first, if empty.",
    "runLauncherAsWorker": "Whether processes may run in the launcher too.",
    "sshAuthMountPath": "Where the keys for ssh are found in each pod.",
    "launcherCreationPolicy": "When the launcher is made: AtStartup, or WaitForWorkersReady.",
    "mpiImplementation": "Whose mpirun the launcher runs: OpenMPI, Intel or MPICH.",
    "backend": "How master and workers talk: mpi.",
    "master": "The pod that starts the training.",
    "workerSets": "Pods that the master may start processes in, as sets of like ones.",
    "mpiConfig": "How many processes each pod may run.",
    "slots": "Processes that may run in each pod; as many as it has GPUs, or one, if not said.",
    "schedulerName": "The scheduler of pods whose template names none.",
    # of a run policy
    "cleanPodPolicy": "Which pods are deleted when the job has ended: None, Running or All.",
    "ttlSecondsAfterFinished": "Seconds after its end until the job is deleted. Never, if not said.",
    "activeDeadlineSeconds": "Seconds after its start until a job that still runs fails.",
    "backoffLimit": "How often pods are started again before the job fails. Without end, if not said.",
    "schedulingPolicy": "What the gang scheduler is told.",
    "suspend": "Whether the job has no pods for now.",
    "managedBy": "Who runs the job: kubeflow.org/training-operator, or another controller.",
    "minAvailable": "How many pods must start together. All of them, if not said.",
    "queue": "The queue in which the job waits its turn.",
    "minResources": "What must be free before any pod is made.",
    "priorityClass": "The priority of the job among others that wait.",
    "scheduleTimeoutSeconds": "Seconds that a gang is waited for before its place is given to others.",
    # of replicas
    "replicas": "How many pods of this role.",
    "template": "What the pods are made from.",
    "restartPolicy": "What becomes of a container that ends: Always, OnFailure, Never, or ExitCode, by how it ended.",
    # of an elastic policy
    "minReplicas": "The least number of workers.",
    "maxReplicas": "The greatest number of workers.",
    "maxRestarts": "How often the processes of a pod are started again.",
    "metrics": "What the number of workers is decided by.",
    "rdzvBackend": "How workers find each other: c10d, etcd or etcd-v2.",
    "rdzvHost": "Where workers find each other, if not at the first of them.",
    "rdzvPort": "The port at which workers find each other.",
    "rdzvId": "The name of the meeting.",
    "rdzvConf": "More settings of the meeting.",
    "key": "The name of the setting.",
    "value": "The value of the setting.",
    "standalone": "Whether each pod meets only itself.",
    "nProcPerNode": "Deprecated: use spec.nprocPerNode.",
    # of a status
    "conditions": "What has happened, the latest last: Created, Running, Restarting, Suspended, Succeeded, Failed.",
    "type": "What has happened.",
    "reason": "Why, in one word.",
    "message": "Why, in a sentence.",
    "lastUpdateTime": "When this was last written.",
    "lastTransitionTime": "When this last changed.",
    "lastProbeTime": "When this was last looked at.",
    "replicaStatuses": "How many pods there are, by role.",
    "active": "Pods that run.",
    "succeeded": "Pods that have succeeded.",
    "failed": "Pods that have failed.",
    "selector": "By which the pods of this role are found.",
    "startTime": "When the first pods were made.",
    "completionTime": "When the job succeeded or failed.",
    "terminating": "Pods that are being deleted.",
    "ready": "Pods that are ready.",
    "completedIndexes": "Indexes of pods that have succeeded.",
    "failedIndexes": "Indexes of pods that have failed.",
    "uncountedTerminatedPods": "Pods that have ended and are not counted yet.",
    "lastReconcileTime": "When the job was last looked at, while it waits for its gang.",
}


def described(schema: Object, words: Mapping[str, str] = DESCRIPTIONS) -> Object:
    """The schema of a kind with a description of each field that has none, by its name.

    The object's own metadata stays as it is: Kubernetes refuses a definition that says anything about it.
    """
    made = _with_descriptions(schema, words)
    if "metadata" in schema["properties"]:
        made["properties"]["metadata"] = schema["properties"]["metadata"]
    return made


def _with_descriptions(schema: Object, words: Mapping[str, str]) -> Object:
    made = dict(schema)
    for word in ("items", "additionalProperties"):
        if is_object(inner := schema.get(word)) and not shared.is_kept(inner):
            made[word] = _with_descriptions(inner, words)
    if is_object(properties := schema.get("properties")):
        made["properties"] = {name: _field(name, field, words) for name, field in properties.items()}
    return made


def _field(name: str, field: Object, words: Mapping[str, str]) -> Object:
    if shared.is_kept(field):
        return field
    description = words.get(name)
    if name == "status" and field.get("type") == "string":
        description = "Whether it holds: True, False or Unknown."
    if name.endswith("ReplicaSpecs"):
        description = "The pods of the job, by their role."
    return _with_descriptions({"description": description, **field} if description else field, words)
