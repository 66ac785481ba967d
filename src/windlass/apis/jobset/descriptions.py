"""What the fields of a JobSet are for, as `kubectl explain` tells it."""

from collections.abc import Mapping

DESCRIPTIONS: Mapping[str, str] = {
    # of the object
    "spec": "What is wanted.",
    "status": "How it fares; written by its controller.",
    "metadata": "Name, labels and annotations.",
    "apiVersion": "Group and version of the object.",
    "kind": "The kind of the object.",
    # of the set
    "replicatedJobs": "The Jobs of the set, by the template that they are made from.",
    "network": "How the pods find each other. It cannot be changed.",
    "successPolicy": "When the set has succeeded: when all Jobs have, if not said. It cannot be changed.",
    "failurePolicy": "What is done when a Job fails: the set fails, if not said. It cannot be changed.",
    "startupPolicy": "In what order the replicated jobs start; dependsOn says more. It cannot be changed.",
    "suspend": "Whether all Jobs rest for now.",
    "coordinator": "The pod whose address all others are told, by a label and an annotation.",
    "managedBy": "Who looks after the set: jobset.sigs.k8s.io/jobset-controller, or another controller.",
    "ttlSecondsAfterFinished": "Seconds after its end until the set is deleted. Never, if not said.",
    "volumeClaimPolicies": "Claims that are made for the set and that its pods mount by name. It cannot be changed.",
    # of a replicated job
    "name": "Its name.",
    "groupName": "The group that its Jobs are counted in, beside those of others.",
    "template": "The Job that is made.",
    "replicas": "How many Jobs are made from the template.",
    "dependsOn": "Replicated jobs before this one that must be Ready or Complete before it starts.",
    # of the network
    "enableDNSHostnames": "Whether each pod has a name: SET-REPLICATEDJOB-JOBINDEX-PODINDEX.SUBDOMAIN.",
    "subdomain": "The name of the headless service; the set's own, if not said.",
    "publishNotReadyAddresses": "Whether pods are found before they are ready. They are, if not said.",
    # of the policies
    "operator": "Whether All or Any of the Jobs must succeed.",
    "targetReplicatedJobs": "The replicated jobs that are meant; all, if none is named.",
    "maxRestarts": "How often the Jobs are made anew before the set fails.",
    "restartStrategy": "Recreate: each Job is made anew as soon as it has gone. BlockingRecreate: when all have gone.",
    "rules": "What is done for which failure; the first that matches counts, and else all is restarted.",
    "action": "What is done: the set fails, all Jobs are made anew, or only the one that failed.",
    "onJobFailureReasons": "Reasons of the Job's failure, any of which must be its own; any reason, if none is named.",
    "onJobFailureMessagePatterns": "Regular expressions, any of which must be found in the message of the failure.",
    "startupPolicyOrder": "InOrder: each replicated job starts when the one before it is ready.",
    # of a coordinator
    "replicatedJob": "The replicated job of the pod.",
    "jobIndex": "Which Job of it.",
    "podIndex": "Which pod of that Job.",
    # of claims
    "templates": "The claims. Each is named after its template and the set, TEMPLATE-SET.",
    "retentionPolicy": "What becomes of the claims.",
    "whenDeleted": "What becomes of them when the set is deleted: Delete or Retain.",
    # of the status
    "conditions": "What has happened.",
    "restarts": "How often all Jobs were made anew.",
    "restartsCountTowardsMax": "How many of these restarts count towards maxRestarts.",
    "terminalState": "How it ended: Completed or Failed.",
    "replicatedJobsStatus": "How the Jobs of each replicated job fare.",
    "previousInPlaceRestartAttempt": "Of restarts without new pods, which are not done here.",
    "currentInPlaceRestartAttempt": "Of restarts without new pods, which are not done here.",
    "ready": "How many Jobs have all their pods ready or succeeded.",
    "succeeded": "How many Jobs have succeeded.",
    "failed": "How many Jobs have failed.",
    "active": "How many Jobs have pods that wait or run.",
    "suspended": "How many Jobs rest.",
    "jobRestarts": "How often each Job was made anew by itself, by its index.",
    "jobRestartsCountTowardsMax": "How many of these restarts count towards maxRestarts.",
    "type": "Its type.",
    "observedGeneration": "The generation of the spec that this is about.",
    "lastTransitionTime": "When this last changed.",
    "reason": "Why, in one word.",
    "message": "Why, in a sentence.",
}
