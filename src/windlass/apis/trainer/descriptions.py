"""What the fields of training jobs and their runtimes are for, as `kubectl explain` tells it."""

from collections.abc import Mapping

from windlass.apis.jobset.descriptions import DESCRIPTIONS as OF_JOB_SETS

_OWN: Mapping[str, str] = {
    # of a runtime
    "mlPolicy": "How many nodes train, and what their framework is told: at most one of the frameworks.",
    "podGroupPolicy": "The scheduler that starts all pods together, or none of them: at most one.",
    "template": "What is made: of a runtime a JobSet, of a replicated job its Jobs.",
    "numNodes": "How many nodes train. One, if neither the job nor its runtime says it.",
    "torch": "PyTorch: torchrun finds the other nodes by variables that begin with PET_.",
    "envInjection": "Which variables are set.",
    "mpi": "MPI: a launcher starts the processes in all nodes, by ssh.",
    "jax": "JAX: each process is told its number and where the first one is.",
    "xgboost": "XGBoost: a tracker runs in the first node, and all workers are told where.",
    "flux": "Flux, which is not run here: a runtime with it is refused.",
    "numProcPerNode": "How many processes train in each node.",
    "mpiImplementation": "Whose mpirun the launcher runs: OpenMPI.",
    "sshAuthMountPath": "Where the keys for ssh are found in each node.",
    "runLauncherAsNode": "Whether the launcher trains too, and is one of the nodes.",
    "coscheduling": "The PodGroup of scheduler-plugins.",
    "scheduleTimeoutSeconds": "Seconds that the gang is waited for before its place is given to others.",
    "volcano": "The PodGroup of Volcano.",
    "networkTopology": "How near to each other the nodes must be.",
    "mode": "Whether the limit must be kept (hard) or had better be (soft).",
    "highestTierAllowed": "The highest tier of a HyperNode that may hold all the pods.",
    "highestTierName": "The same limit by the name of the tier; only one of the two may be said.",
    # of a job
    "runtimeRef": "The runtime that says how the job is run. It cannot be changed.",
    "apiGroup": "The group of the runtime's kind.",
    "kind": "ClusterTrainingRuntime, or TrainingRuntime for one of the job's own namespace.",
    "initializer": "What is fetched before training begins. It cannot be changed.",
    "dataset": "The data to train with.",
    "model": "The model to begin with.",
    "storageUri": "Where it is, such as hf://ORGANISATION/NAME or s3://BUCKET/PATH.",
    "secretRef": "The Secret with what is needed to get it; each of its keys becomes a variable.",
    "trainer": "What every node runs, where it is not as the runtime has it. It cannot be changed.",
    "image": "The image of the container that trains.",
    "command": "Its command.",
    "args": "The arguments of its command.",
    "env": "Variables of the container.",
    "resourcesPerNode": "What each node needs, and the most that it may use.",
    "runtimePatches": "Changes of the runtime for this job, by who makes them. Only a job that rests takes them.",
    "manager": "Who makes the changes, as DOMAIN/NAME.",
    "time": "When they were made.",
    "trainingRuntimeSpec": "What is changed.",
    "volumeMounts": "Where the container sees which volume.",
    "securityContext": "Whom it runs as, and what it may do.",
    "suspend": "Whether the job rests for now, without pods.",
    "activeDeadlineSeconds": "Seconds after its start until a job that still runs fails. It cannot be changed.",
    "managedBy": "Who runs the job: trainer.kubeflow.org/trainjob-controller, or another controller.",
    # of a status
    "conditions": "What has happened: Suspended, Complete, Failed.",
    "jobsStatus": "How the Jobs of each replicated job fare.",
    "trainerStatus": "How far the training says it is.",
    "progressPercentage": "How much is done, of 100.",
    "estimatedRemainingSeconds": "How long it will still take.",
    "metrics": "What the training measures, such as its loss.",
    "value": "What is measured, as text.",
    "lastUpdatedTime": "When this was said.",
}
DESCRIPTIONS: Mapping[str, str] = {**OF_JOB_SETS, **_OWN}
