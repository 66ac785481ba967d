"""The enum values of fields of Kubernetes' own kinds, which the bundled definitions lack.

They are documentation (`kubectl explain` prints them): each kind's strategy validates writes.
"""

_PROTOCOL = ("SCTP", "TCP", "UDP")
_RECLAIM = ("Delete", "Recycle", "Retain")
_EFFECT = ("NoExecute", "NoSchedule", "PreferNoSchedule")
_PROFILE = ("Localhost", "RuntimeDefault", "Unconfined")
_TRAFFIC = ("Cluster", "Local")
_HONOUR = ("Honor", "Ignore")
_ROLLING = ("OnDelete", "RollingUpdate")
_PREEMPTION = ("Never", "PreemptLowerPriority")
_CONTAINER = {
    "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
    "terminationMessagePolicy": ("FallbackToLogsOnError", "File"),
}
_WEBHOOK = {
    "failurePolicy": ("Fail", "Ignore"),
    "matchPolicy": ("Equivalent", "Exact"),
    "sideEffects": ("None", "NoneOnDryRun", "Some", "Unknown"),
}

_BY_GROUP: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {
    "core.v1": {
        "AppArmorProfile": {"type": _PROFILE},
        "Container": _CONTAINER,
        "ContainerPort": {"protocol": _PROTOCOL},
        "EndpointPort": {"protocol": _PROTOCOL},
        "EphemeralContainer": _CONTAINER,
        "HTTPGetAction": {"scheme": ("HTTP", "HTTPS")},
        "HostPathVolumeSource": {
            "type": (
                "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket",
            ),
        },
        "NamespaceStatus": {"phase": ("Active", "Terminating")},
        "NodeSelectorRequirement": {"operator": ("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")},
        "PersistentVolumeClaimSpec": {"volumeMode": ("Block", "Filesystem")},
        "PersistentVolumeClaimStatus": {"phase": ("Bound", "Lost", "Pending")},
        "PersistentVolumeSpec": {
            "persistentVolumeReclaimPolicy": _RECLAIM,
            "volumeMode": ("Block", "Filesystem"),
        },
        "PersistentVolumeStatus": {"phase": ("Available", "Bound", "Failed", "Pending", "Released")},
        "PodSecurityContext": {
            "fsGroupChangePolicy": ("Always", "OnRootMismatch"),
            "supplementalGroupsPolicy": ("Merge", "Strict"),
        },
        "PodSpec": {
            "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
            "preemptionPolicy": _PREEMPTION,
            "restartPolicy": ("Always", "Never", "OnFailure"),
        },
        "PodStatus": {
            "phase": ("Failed", "Pending", "Running", "Succeeded", "Unknown"),
            "qosClass": ("BestEffort", "Burstable", "Guaranteed"),
        },
        "ScopedResourceSelectorRequirement": {"operator": ("DoesNotExist", "Exists", "In", "NotIn")},
        "SeccompProfile": {"type": _PROFILE},
        "SecurityContext": {"procMount": ("Default", "Unmasked")},
        "ServicePort": {"protocol": _PROTOCOL},
        "ServiceSpec": {
            "externalTrafficPolicy": _TRAFFIC,
            "internalTrafficPolicy": _TRAFFIC,
            "ipFamilyPolicy": ("PreferDualStack", "RequireDualStack", "SingleStack"),
            "sessionAffinity": ("ClientIP", "None"),
            "type": ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
        },
        "Taint": {"effect": _EFFECT},
        "Toleration": {"effect": _EFFECT, "operator": ("Equal", "Exists")},
        "TopologySpreadConstraint": {
            "nodeAffinityPolicy": _HONOUR,
            "nodeTaintsPolicy": _HONOUR,
            "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
        },
        "VolumeMount": {"mountPropagation": ("Bidirectional", "HostToContainer", "None")},
    },
    "apps.v1": {
        "DaemonSetUpdateStrategy": {"type": _ROLLING},
        "DeploymentStrategy": {"type": ("Recreate", "RollingUpdate")},
        "StatefulSetSpec": {"podManagementPolicy": ("OrderedReady", "Parallel")},
        "StatefulSetUpdateStrategy": {"type": _ROLLING},
    },
    "batch.v1": {
        "CronJobSpec": {"concurrencyPolicy": ("Allow", "Forbid", "Replace")},
        "JobSpec": {
            "completionMode": ("Indexed", "NonIndexed"),
            "podReplacementPolicy": ("Failed", "TerminatingOrFailed"),
        },
        "PodFailurePolicyOnExitCodesRequirement": {"operator": ("In", "NotIn")},
        "PodFailurePolicyRule": {"action": ("Count", "FailIndex", "FailJob", "Ignore")},
    },
    "networking.v1": {
        "HTTPIngressPath": {"pathType": ("Exact", "ImplementationSpecific", "Prefix")},
        "NetworkPolicyPort": {"protocol": _PROTOCOL},
    },
    "discovery.v1": {
        "EndpointPort": {"protocol": _PROTOCOL},
        "EndpointSlice": {"addressType": ("FQDN", "IPv4", "IPv6")},
    },
    "policy.v1": {
        "PodDisruptionBudgetSpec": {"unhealthyPodEvictionPolicy": ("AlwaysAllow", "IfHealthyBudget")},
    },
    "scheduling.v1": {"PriorityClass": {"preemptionPolicy": _PREEMPTION}},
    "storage.v1": {
        "StorageClass": {
            "reclaimPolicy": _RECLAIM,
            "volumeBindingMode": ("Immediate", "WaitForFirstConsumer"),
        },
    },
    "admissionregistration.v1": {
        "MutatingWebhook": {**_WEBHOOK, "reinvocationPolicy": ("IfNeeded", "Never")},
        "RuleWithOperations": {"scope": ("*", "Cluster", "Namespaced")},
        "ValidatingAdmissionPolicySpec": {"failurePolicy": ("Fail", "Ignore")},
        "ValidatingWebhook": _WEBHOOK,
    },
}  # fmt: skip

ENUMS = {f"io.k8s.api.{group}.{name}": fields for group, types in _BY_GROUP.items() for name, fields in types.items()}
"""Values by definition and field."""
