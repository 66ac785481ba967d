"""The fields of Argo's kinds that Windlass carries out, as the structural schemas of their definitions.

Every object preserves fields that are not declared here, so that admission (`field_names`) refuses them by name instead
of the server dropping them. A schema with `POD_TYPE` is a type of Kubernetes' own: it may contain tags in place of
numbers, so only the names of its fields are checked.
"""

from collections.abc import Mapping
from typing import Any

from windlass.kube.json import Object, is_list, is_object

OPEN = "x-kubernetes-preserve-unknown-fields"
POD_TYPE = "x-windlass-pod-type"

ANYTHING: Object = {OPEN: True}
STRING: Object = {"type": "string"}
INTEGER: Object = {"type": "integer"}
BOOLEAN: Object = {"type": "boolean"}
INT_OR_STRING: Object = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
STRINGS: Object = {"type": "object", "additionalProperties": STRING}


def choice(*values: str) -> Object:
    return {"type": "string", "enum": list(values)}


def array(items: Object) -> Object:
    return {"type": "array", "items": items}


def fields(description: str, properties: Mapping[str, Object], *, required: tuple[str, ...] = ()) -> Object:
    """An object with these fields."""
    made: Object = {"type": "object", "description": description, OPEN: True, "properties": dict(properties)}
    return {**made, "required": list(required)} if required else made


def pod_part(definition: str, **more: Object) -> Object:
    """A type of Kubernetes' core API, preserved as written, and the fields that Argo adds to it."""
    schema: Object = {"type": "object", OPEN: True, POD_TYPE: definition, "description": f"A {definition} of core/v1."}
    return {**schema, "properties": more} if more else schema


def published(schema: Any, known: dict[int, Any] | None = None) -> Any:
    """The schema as a CustomResourceDefinition may have it. Parts that occur several times in it are made once.

    `known` has what was made, by the identity of its source.
    """
    known = {} if known is None else known
    if id(schema) in known:
        return known[id(schema)]
    made = schema
    if is_object(schema):
        made = {name: published(value, known) for name, value in schema.items() if name != POD_TYPE}
    elif is_list(schema):
        made = [published(value, known) for value in schema]
    known[id(schema)] = made
    return made


CONTAINER, SCRIPT = pod_part("Container"), pod_part("Container", source=STRING)
USER_CONTAINER = pod_part("Container", mirrorVolumeMounts=BOOLEAN)
VOLUME, TOLERATION = pod_part("Volume"), pod_part("Toleration")
AFFINITY, POD_SECURITY = pod_part("Affinity"), pod_part("PodSecurityContext")
SECRET_REFERENCE, HOST_ALIAS = pod_part("LocalObjectReference"), pod_part("HostAlias")
DNS_CONFIG, CLAIM = pod_part("PodDNSConfig"), pod_part("PersistentVolumeClaim")

METADATA = fields("Labels and annotations.", {"labels": STRINGS, "annotations": STRINGS})

KEY_REFERENCE = fields(
    "A key of a ConfigMap.", {"name": STRING, "key": STRING, "optional": BOOLEAN}, required=("name", "key")
)
VALUE_FROM = fields(
    "Where a value comes from.",
    {
        "path": STRING,
        "jsonPath": STRING,
        "jqFilter": STRING,
        "parameter": STRING,
        "expression": STRING,
        "default": ANYTHING,
        "configMapKeyRef": KEY_REFERENCE,
        "supplied": fields("A person gives the value when the node is resumed.", {}),
    },
)
PARAMETER = fields(
    "A named value.",
    {
        "name": STRING,
        "value": ANYTHING,
        "default": ANYTHING,
        "description": ANYTHING,
        "enum": array(ANYTHING),
        "valueFrom": VALUE_FROM,
        "globalName": STRING,
    },
    required=("name",),
)
ARCHIVE = fields(
    "How a store packs the artifact; the store of Windlass keeps files as they are.",
    {
        "none": fields("Not packed.", {}),
        "tar": fields("As a tar file.", {"compressionLevel": INTEGER}),
        "zip": fields("As a zip file.", {}),
    },
)
SECRET_KEY = fields(
    "A key of a Secret.", {"name": STRING, "key": STRING, "optional": BOOLEAN}, required=("name", "key")
)
S3 = fields(
    "An object of S3. Without an endpoint, in the repository of the Workflow or else in the store of Windlass.",
    {
        "endpoint": STRING,
        "bucket": STRING,
        "key": STRING,
        "region": STRING,
        "insecure": BOOLEAN,
        "accessKeySecret": SECRET_KEY,
        "secretKeySecret": SECRET_KEY,
    },
)
GCS = fields(
    "An object of Google Cloud Storage; the Secret has the JSON key of a service account.",
    {"bucket": STRING, "key": STRING, "serviceAccountKeySecret": SECRET_KEY},
)
AZURE = fields(
    "A blob of Azure; the Secret has the key of the storage account.",
    {"endpoint": STRING, "container": STRING, "blob": STRING, "accountKeySecret": SECRET_KEY},
)
HTTP_ARTIFACT = fields(
    "A file at a URL, which a container of the pod downloads.",
    {
        "url": STRING,
        "headers": array(fields("A header of the request.", {"name": STRING, "value": STRING}, required=("name",))),
        "auth": fields(
            "Credentials of the request.",
            {"basicAuth": fields("Name and password.", {"usernameSecret": SECRET_KEY, "passwordSecret": SECRET_KEY})},
        ),
    },
)
GIT = fields(
    "A clone of a repository, which a container of the pod makes.",
    {
        "repo": STRING,
        "revision": STRING,
        "branch": STRING,
        "singleBranch": BOOLEAN,
        "depth": INTEGER,
        "fetch": array(STRING),
        "disableSubmodules": BOOLEAN,
        "insecureSkipTLS": BOOLEAN,
        "insecureIgnoreHostKey": BOOLEAN,
        "usernameSecret": SECRET_KEY,
        "passwordSecret": SECRET_KEY,
        "sshPrivateKeySecret": SECRET_KEY,
    },
)
_GC_STRATEGY = choice("OnWorkflowCompletion", "OnWorkflowDeletion", "Never")
ARTIFACT = fields(
    "A named file or folder.",
    {
        "name": STRING,
        "path": STRING,
        "raw": fields("The content itself.", {"data": STRING}, required=("data",)),
        "from": STRING,
        "fromExpression": STRING,
        "subPath": STRING,
        "s3": S3,
        "gcs": GCS,
        "azure": AZURE,
        "http": HTTP_ARTIFACT,
        "git": GIT,
        "optional": BOOLEAN,
        "archive": ARCHIVE,
        "mode": INTEGER,
        "recurseMode": BOOLEAN,
        "globalName": STRING,
        "artifactGC": fields("When the content of an output is removed.", {"strategy": _GC_STRATEGY}),
    },
    required=("name",),
)
ARGUMENTS = fields(
    "Values that a template is called with.", {"parameters": array(PARAMETER), "artifacts": array(ARTIFACT)}
)
INPUTS = fields("Values that a template needs.", {"parameters": array(PARAMETER), "artifacts": array(ARTIFACT)})
OUTPUTS = fields(
    "Values that a template makes.", {"parameters": array(PARAMETER), "artifacts": array(ARTIFACT), "result": STRING}
)
TEMPLATE_REFERENCE = fields(
    "A template of a WorkflowTemplate or, with clusterScope, of a ClusterWorkflowTemplate.",
    {"name": STRING, "template": STRING, "clusterScope": BOOLEAN},
)
SEQUENCE = fields(
    "Consecutive numbers.", {"count": INT_OR_STRING, "start": INT_OR_STRING, "end": INT_OR_STRING, "format": STRING}
)
CONTINUE_ON = fields("Ends that count as success.", {"error": BOOLEAN, "failed": BOOLEAN})
HOOK = fields(
    "A template that runs when its expression holds; the hook `exit` runs at the end.",
    {"template": STRING, "templateRef": TEMPLATE_REFERENCE, "arguments": ARGUMENTS, "expression": STRING},
)
HOOKS: Object = {"type": "object", "additionalProperties": HOOK}
_CALL: Mapping[str, Object] = {
    "name": STRING,
    "template": STRING,
    "templateRef": TEMPLATE_REFERENCE,
    "inline": {"type": "object", OPEN: True, "description": "A template of its own."},
    "arguments": ARGUMENTS,
    "when": STRING,
    "withItems": array(ANYTHING),
    "withParam": STRING,
    "withSequence": SEQUENCE,
    "continueOn": CONTINUE_ON,
    "onExit": STRING,
    "hooks": HOOKS,
}
TASK = fields("A node of a graph.", {**_CALL, "dependencies": array(STRING), "depends": STRING}, required=("name",))
STEP = fields("A step of a group of parallel steps.", _CALL, required=("name",))
DAG = fields("A graph of tasks.", {"tasks": array(TASK), "failFast": BOOLEAN, "target": STRING}, required=("tasks",))
RESOURCE = fields(
    "An action on a Kubernetes object.",
    {
        "action": choice("create", "apply", "delete", "get", "patch", "replace"),
        "manifest": STRING,
        "setOwnerReference": BOOLEAN,
        "successCondition": STRING,
        "failureCondition": STRING,
        "mergeStrategy": choice("strategic", "merge", "json"),
        "flags": array(STRING),
    },
    required=("action",),
)
BACKOFF = fields(
    "How long to wait between attempts.",
    {"duration": INT_OR_STRING, "factor": INT_OR_STRING, "maxDuration": INT_OR_STRING, "cap": INT_OR_STRING},
)
RETRY = fields(
    "When a failed node is tried again.",
    {
        "limit": INT_OR_STRING,
        "retryPolicy": choice("Always", "OnFailure", "OnError", "OnTransientError"),
        "backoff": BACKOFF,
        "expression": STRING,
        "affinity": fields(
            "Where further attempts run.", {"nodeAntiAffinity": fields("Not on a node of an attempt that failed.", {})}
        ),
    },
)
MUTEX = fields("A lock that one may hold.", {"name": STRING}, required=("name",))
SEMAPHORE = fields(
    "A lock that as many may hold as a ConfigMap says.",
    {"configMapKeyRef": KEY_REFERENCE},
    required=("configMapKeyRef",),
)
SYNCHRONIZATION = fields(
    "Locks that are held from the start to the end.",
    {"mutex": MUTEX, "mutexes": array(MUTEX), "semaphore": SEMAPHORE, "semaphores": array(SEMAPHORE)},
)
MEMOIZE = fields(
    "Outputs are reused by nodes with the same key.",
    {
        "key": STRING,
        "maxAge": STRING,
        "cache": fields("Where outputs are kept.", {"configMap": fields("A ConfigMap.", {"name": STRING})}),
    },
    required=("key", "cache"),
)
HTTP = fields(
    "A request, made by a pod.",
    {
        "url": STRING,
        "method": STRING,
        "headers": array(
            fields(
                "A header of the request.",
                {
                    "name": STRING,
                    "value": STRING,
                    "valueFrom": fields("Where the value is.", {"secretKeyRef": pod_part("SecretKeySelector")}),
                },
                required=("name",),
            )
        ),
        "body": STRING,
        "bodyFrom": fields("The body as bytes, in base64.", {"bytes": STRING}),
        "timeoutSeconds": INTEGER,
        "insecureSkipVerify": BOOLEAN,
        "successCondition": STRING,
    },
    required=("url",),
)
CONTAINER_SET = fields(
    "Containers of one pod, with an order.",
    {
        "containers": array(pod_part("Container", dependencies=array(STRING))),
        "volumeMounts": array(pod_part("VolumeMount")),
        "retryStrategy": fields(
            "How often a container that fails is started again, and after how long.",
            {"retries": INT_OR_STRING, "duration": STRING},
            required=("retries",),
        ),
    },
    required=("containers",),
)
DATA = fields(
    "Names of objects, changed by expressions, as the result.",
    {
        "source": fields("Where the names come from.", {"artifactPaths": ARTIFACT}, required=("artifactPaths",)),
        "transformation": array(
            fields("An expression about `data`.", {"expression": STRING}, required=("expression",))
        ),
    },
    required=("source", "transformation"),
)
SUSPEND = fields("Waits until a user resumes it, or for a duration.", {"duration": INT_OR_STRING})

_POD: Mapping[str, Object] = {
    "volumes": array(VOLUME),
    "nodeSelector": STRINGS,
    "tolerations": array(TOLERATION),
    "affinity": AFFINITY,
    "securityContext": POD_SECURITY,
    "hostAliases": array(HOST_ALIAS),
    "schedulerName": STRING,
    "serviceAccountName": STRING,
    "automountServiceAccountToken": BOOLEAN,
    "podSpecPatch": STRING,
    "executor": fields("Of Argo's own container, which pods of Windlass do not have.", {"serviceAccountName": STRING}),
}
TEMPLATE = fields(
    "A step that can be called: a container, script, graph, steps, action on an object, or pause.",
    {
        **_POD,
        "name": STRING,
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "metadata": METADATA,
        "annotations": STRINGS,
        "container": CONTAINER,
        "script": SCRIPT,
        "dag": DAG,
        "steps": array(array(STEP)),
        "resource": RESOURCE,
        "suspend": SUSPEND,
        "initContainers": array(USER_CONTAINER),
        "sidecars": array(USER_CONTAINER),
        "retryStrategy": RETRY,
        "activeDeadlineSeconds": INT_OR_STRING,
        "timeout": STRING,
        "parallelism": INTEGER,
        "failFast": BOOLEAN,
        "priorityClassName": STRING,
        "synchronization": SYNCHRONIZATION,
        "memoize": MEMOIZE,
        "daemon": BOOLEAN,
        "http": HTTP,
        "containerSet": CONTAINER_SET,
        "data": DATA,
        "archiveLocation": fields("What is kept of a pod besides its outputs.", {"archiveLogs": BOOLEAN}),
    },
)
TTL = fields(
    "When a finished Workflow is deleted.",
    {"secondsAfterCompletion": INTEGER, "secondsAfterSuccess": INTEGER, "secondsAfterFailure": INTEGER},
)
SELECTOR = fields(
    "Only pods with these labels.",
    {
        "matchLabels": STRINGS,
        "matchExpressions": array(
            fields("A rule for a label.", {"key": STRING, "operator": STRING, "values": array(STRING)})
        ),
    },
)
POD_GC = fields(
    "When pods are deleted.",
    {
        "strategy": choice("OnPodCompletion", "OnPodSuccess", "OnWorkflowCompletion", "OnWorkflowSuccess"),
        "labelSelector": SELECTOR,
        "deleteDelayDuration": STRING,
    },
)
CLAIM_GC = fields("When claims are deleted.", {"strategy": choice("OnWorkflowCompletion", "OnWorkflowSuccess")})
WORKFLOW_SPEC = fields(
    "The templates of a Workflow, and where it starts.",
    {
        **_POD,
        "entrypoint": STRING,
        "arguments": ARGUMENTS,
        "templates": array(TEMPLATE),
        "templateDefaults": TEMPLATE,
        "onExit": STRING,
        "hooks": HOOKS,
        "retryStrategy": RETRY,
        "synchronization": SYNCHRONIZATION,
        "priority": INTEGER,
        "imagePullSecrets": array(SECRET_REFERENCE),
        "activeDeadlineSeconds": INTEGER,
        "ttlStrategy": TTL,
        "podGC": POD_GC,
        "podDisruptionBudget": fields(
            "How many of the Workflow's pods evictions leave, while it runs.",
            {
                "minAvailable": INT_OR_STRING,
                "maxUnavailable": INT_OR_STRING,
                "selector": SELECTOR,
                "unhealthyPodEvictionPolicy": choice("IfHealthyBudget", "AlwaysAllow"),
            },
        ),
        "parallelism": INTEGER,
        "hostNetwork": BOOLEAN,
        "dnsPolicy": STRING,
        "dnsConfig": DNS_CONFIG,
        "podPriorityClassName": STRING,
        "podMetadata": METADATA,
        "workflowMetadata": fields(
            "Labels and annotations that the Workflow gets when it starts.",
            {
                "labels": STRINGS,
                "annotations": STRINGS,
                "labelsFrom": {
                    "type": "object",
                    "additionalProperties": fields("A value.", {"expression": STRING}, required=("expression",)),
                },
            },
        ),
        "suspend": BOOLEAN,
        "shutdown": choice("Stop", "Terminate"),
        "workflowTemplateRef": fields(
            "The WorkflowTemplate or ClusterWorkflowTemplate to run.", {"name": STRING, "clusterScope": BOOLEAN}
        ),
        "artifactRepositoryRef": fields(
            "The repository of artifacts: a key of a ConfigMap.", {"configMap": STRING, "key": STRING}
        ),
        "artifactGC": fields(
            "When the content of output artifacts is removed.",
            {"strategy": _GC_STRATEGY, "forceFinalizerRemoval": BOOLEAN},
        ),
        "archiveLogs": BOOLEAN,
        "volumeClaimTemplates": array(CLAIM),
        "volumeClaimGC": CLAIM_GC,
    },
)
STOP_STRATEGY = fields("When a schedule ends.", {"expression": STRING, "condition": STRING})
CRON_SPEC = fields(
    "A schedule, and the Workflow that it creates.",
    {
        "workflowSpec": WORKFLOW_SPEC,
        "workflowMetadata": METADATA,
        "schedule": STRING,
        "schedules": array(STRING),
        "timezone": STRING,
        "suspend": BOOLEAN,
        "concurrencyPolicy": choice("Allow", "Forbid", "Replace"),
        "startingDeadlineSeconds": INTEGER,
        "successfulJobsHistoryLimit": INTEGER,
        "failedJobsHistoryLimit": INTEGER,
        "stopStrategy": STOP_STRATEGY,
        "when": STRING,
    },
    required=("workflowSpec",),
)
STATUS: Object = {"type": "object", OPEN: True, "description": "Observed state, written by the controller."}
