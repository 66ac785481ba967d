"""Field descriptions of training jobs, shown by `kubectl explain` and shared by all kinds."""

from collections.abc import Mapping

from windlass.kube.json import Object, is_object
from windlass.kube.schema import shared

DESCRIPTIONS: Mapping[str, str] = {
    # of the object
    "spec": "Desired state of the job.",
    "status": "Observed state, written by the controller.",
    # of the spec
    "runPolicy": "How the job is run, scheduled and cleaned up.",
    "successPolicy": "When the job succeeds: with the chief or first worker (empty), or with all workers (AllWorkers).",
    "enableDynamicWorker": "Whether workers may be added and removed during training.",
    "nprocPerNode": "Number of processes that torchrun starts in each pod: auto, cpu, gpu, or a number.",
    "elasticPolicy": "Bounds and autoscaling of the number of workers.",
    "jobMode": "Type of the job: MXTrain or MXTune.",
    "slotsPerWorker": "Number of processes in each worker.",
    "mainContainer": "Worker container in which the launcher starts processes. Defaults to the first container.",
    "runLauncherAsWorker": "Whether the launcher also runs training processes.",
    "sshAuthMountPath": "Directory in which the SSH keys are mounted.",
    "launcherCreationPolicy": "When to create the launcher: AtStartup or WaitForWorkersReady.",
    "mpiImplementation": "MPI implementation of the launcher: OpenMPI, Intel or MPICH.",
    "backend": "Communication backend of master and workers: mpi.",
    "master": "Pod that starts the training.",
    "workerSets": "Sets of identical worker pods, in which the master starts processes.",
    "mpiConfig": "MPI settings of the pods.",
    "slots": "Number of processes in each pod. Defaults to its number of GPUs, or 1.",
    "schedulerName": "Scheduler of pods whose template does not set one.",
    # of a run policy
    "cleanPodPolicy": "Which pods to delete when the job finishes: None, Running or All.",
    "ttlSecondsAfterFinished": "Seconds after the end of the job until it is deleted. If unset, it is not deleted.",
    "activeDeadlineSeconds": "Seconds after which a running job is terminated and fails.",
    "backoffLimit": "Number of pod restarts after which the job fails. If unset, there is no limit.",
    "schedulingPolicy": "Gang scheduling settings.",
    "suspend": "Whether the job is suspended. A suspended job has no pods.",
    "managedBy": "Controller that manages the job, kubeflow.org/training-operator by default.",
    "minAvailable": "Number of pods that must start together. Defaults to all pods.",
    "queue": "Queue of the job.",
    "minResources": "Resources that must be available before any pod is created.",
    "priorityClass": "Name of the PriorityClass of the job.",
    "scheduleTimeoutSeconds": "Seconds to wait for all pods of the gang before its resources are released.",
    # of replicas
    "replicas": "Number of pods of this replica type.",
    "template": "Template of the pods.",
    "restartPolicy": "When to restart a terminated container: Always, OnFailure, Never, or ExitCode (by exit code).",
    # of an elastic policy
    "minReplicas": "Minimum number of workers.",
    "maxReplicas": "Maximum number of workers.",
    "maxRestarts": "Number of times that the processes of a pod are restarted.",
    "metrics": "Metrics for the autoscaling of workers.",
    "rdzvBackend": "Rendezvous backend: c10d, etcd or etcd-v2.",
    "rdzvHost": "Rendezvous host. Defaults to the first worker.",
    "rdzvPort": "Rendezvous port.",
    "rdzvId": "Rendezvous id.",
    "rdzvConf": "Additional rendezvous settings.",
    "key": "Name of the setting.",
    "value": "Value of the setting.",
    "standalone": "Whether each pod uses a rendezvous of its own.",
    "nProcPerNode": "Deprecated: use spec.nprocPerNode.",
    # of a status
    "conditions": "Conditions of the job, oldest first: Created, Running, Restarting, Suspended, Succeeded, Failed.",
    "type": "Type of the condition.",
    "reason": "Machine-readable reason in CamelCase.",
    "message": "Human-readable explanation.",
    "lastUpdateTime": "Time of the last update of the condition.",
    "lastTransitionTime": "Time of the last change of status.",
    "lastProbeTime": "Time of the last check of the condition.",
    "replicaStatuses": "Number of pods in each state, by replica type.",
    "active": "Number of running pods.",
    "succeeded": "Number of pods that succeeded.",
    "failed": "Number of pods that failed.",
    "selector": "Label selector of the pods of this replica type.",
    "startTime": "Time at which the first pods were created.",
    "completionTime": "Time at which the job succeeded or failed.",
    "terminating": "Number of pods that are being deleted.",
    "ready": "Number of ready pods.",
    "completedIndexes": "Indexes of pods that succeeded.",
    "failedIndexes": "Indexes of pods that failed.",
    "uncountedTerminatedPods": "Terminated pods that the counters do not include yet.",
    "lastReconcileTime": "Time of the last reconciliation while the job waits for its gang.",
}


def described(schema: Object, words: Mapping[str, str] = DESCRIPTIONS) -> Object:
    """Add a description to each field of the schema that has none, by its name.

    The metadata of the object stays unchanged: Kubernetes refuses a definition that describes it.
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
        description = "Status of the condition: True, False or Unknown."
    if name.endswith("ReplicaSpecs"):
        description = "Pods of the job, by replica type."
    return _with_descriptions({"description": description, **field} if description else field, words)
