"""Field descriptions of JobSets, shown by `kubectl explain`."""

from collections.abc import Mapping

DESCRIPTIONS: Mapping[str, str] = {
    # of the object
    "spec": "Desired state of the object.",
    "status": "Observed state, written by the controller.",
    "metadata": "Name, labels and annotations of the object.",
    "apiVersion": "API version of the object.",
    "kind": "Kind of the object.",
    # of the set
    "replicatedJobs": "Groups of identical Jobs, each created from its own template.",
    "network": "DNS settings of the pods. Immutable.",
    "successPolicy": "When the JobSet counts as succeeded. Defaults to the success of all Jobs. Immutable.",
    "failurePolicy": "What to do when a Job fails. If unset, the JobSet fails. Immutable.",
    "startupPolicy": "Order in which the replicated jobs start; see also dependsOn. Immutable.",
    "suspend": "Whether all Jobs are suspended.",
    "coordinator": "Pod that coordinates the others. Its address is set on all pods as a label and an annotation.",
    "managedBy": "Controller that manages the JobSet, jobset.sigs.k8s.io/jobset-controller by default.",
    "ttlSecondsAfterFinished": "Seconds after the end of the JobSet until it is deleted. If unset, it is not deleted.",
    "volumeClaimPolicies": "Claims created for the JobSet, which its pods mount by name. Immutable.",
    # of a replicated job
    "name": "Name of the item.",
    "groupName": "Group in which the Jobs are indexed, together with other replicated jobs of the same group.",
    "template": "Template of the Jobs.",
    "replicas": "Number of Jobs created from the template.",
    "dependsOn": "Preceding replicated jobs that must be Ready or Complete before this one starts.",
    # of the network
    "enableDNSHostnames": "Whether each pod gets a host name: SET-REPLICATEDJOB-JOBINDEX-PODINDEX.SUBDOMAIN.",
    "subdomain": "Name of the headless service. Defaults to the name of the JobSet.",
    "publishNotReadyAddresses": "Whether DNS returns pods that are not ready. Defaults to true.",
    # of the policies
    "operator": "Whether All or Any of the Jobs must succeed.",
    "targetReplicatedJobs": "Names of the replicated jobs to which this applies. If empty, it applies to all.",
    "maxRestarts": "Number of restarts after which the JobSet fails.",
    "restartStrategy": "Recreate replaces each Job once it is deleted; BlockingRecreate waits until all are deleted.",
    "rules": "Rules for Job failures. The first match applies; if none matches, all Jobs are restarted.",
    "action": "Action to take: fail the JobSet, restart all Jobs, or restart only the failed Job.",
    "onJobFailureReasons": "Failure reasons that match the rule. If empty, every reason matches.",
    "onJobFailureMessagePatterns": "Regular expressions, one of which must match the failure message.",
    "startupPolicyOrder": "AnyOrder starts all replicated jobs at once; InOrder waits until the previous one is ready.",
    # of a coordinator
    "replicatedJob": "Name of the replicated job that contains the pod.",
    "jobIndex": "Index of the Job within the replicated job.",
    "podIndex": "Index of the pod within the Job.",
    # of claims
    "templates": "Templates of the claims. A claim is named TEMPLATE-SET.",
    "retentionPolicy": "Whether the claims outlive the JobSet.",
    "whenDeleted": "What happens to the claims when the JobSet is deleted: Delete or Retain.",
    # of the status
    "conditions": "Latest observations of the state of the object.",
    "restarts": "Number of times that all Jobs were restarted.",
    "restartsCountTowardsMax": "Number of restarts that count towards maxRestarts.",
    "terminalState": "Final state: Completed or Failed.",
    "replicatedJobsStatus": "Number of Jobs in each state, by replicated job.",
    "previousInPlaceRestartAttempt": "Not used: in-place restarts are not supported.",
    "currentInPlaceRestartAttempt": "Not used: in-place restarts are not supported.",
    "ready": "Number of Jobs whose pods are all ready or succeeded.",
    "succeeded": "Number of Jobs that succeeded.",
    "failed": "Number of Jobs that failed.",
    "active": "Number of Jobs with pending or running pods.",
    "suspended": "Number of suspended Jobs.",
    "jobRestarts": "Number of times that each Job was restarted individually, by Job index.",
    "jobRestartsCountTowardsMax": "Number of individual restarts that count towards maxRestarts, by Job index.",
    "type": "Type of the condition.",
    "observedGeneration": "Generation of the spec that was observed.",
    "lastTransitionTime": "Time of the last change of status.",
    "reason": "Machine-readable reason in CamelCase.",
    "message": "Human-readable explanation.",
}
