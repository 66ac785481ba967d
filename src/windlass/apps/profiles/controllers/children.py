"""What a profile's namespace begins with: the namespace itself, accounts, quota, a PodDefault, a NetworkPolicy."""

from collections.abc import Mapping

from windlass.apis.core_v1 import Namespace, ResourceQuota, ServiceAccount
from windlass.apis.wellknown import NETWORKING_GROUP, PIPELINES_GROUP
from windlass.apps.profiles.kinds import PodDefault, PodDefaultSpec, Profile, ProfilePlugin
from windlass.apps.profiles.names import EDITOR, INJECTION_LABEL, NETWORK_POLICY, OWNER_ANNOTATION, QUOTA, VIEWER
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import LabelSelector, ObjectMeta

NETWORK_POLICIES = Kind(group=NETWORKING_GROUP, version="v1", name="NetworkPolicy", plural="networkpolicies")
NAMESPACE_NAME_LABEL, COMPONENT_LABEL = "kubernetes.io/metadata.name", "app.kubernetes.io/component"
PIPELINES_LABEL = "access-ml-pipeline"
TOKEN_FOLDER = "/var/run/secrets/kubeflow/pipelines"
PLUGINS: Mapping[str, tuple[str, str]] = {
    "WorkloadIdentity": ("gcpServiceAccount", "iam.gke.io/gcp-service-account"),
    "AwsIamForServiceAccount": ("awsIamRole", "eks.amazonaws.com/role-arn"),
}
"""Kind of a plugin -> the field of its spec, and the annotation of default-editor that it becomes."""


def namespace(profile: Profile, observed: Namespace | None, labels: Mapping[str, str]) -> Namespace:
    """The namespace. Labels that it has already are left as they are."""
    owner = profile.spec.owner
    assert owner is not None
    held = observed.metadata.labels if observed is not None else {}
    wanted = {INJECTION_LABEL: "enabled", **labels}
    return Namespace(
        metadata=ObjectMeta(
            name=profile.metadata.name,
            annotations={OWNER_ANNOTATION: owner.name},
            labels={key: held.get(key, value) for key, value in wanted.items() if value},
        )
    )


def accounts(profile: Profile) -> list[ServiceAccount]:
    place = profile.metadata.name
    annotations = plugin_annotations(profile.spec.plugins)
    return [
        ServiceAccount(metadata=ObjectMeta(name=EDITOR, namespace=place, annotations=annotations)),
        ServiceAccount(metadata=ObjectMeta(name=VIEWER, namespace=place)),
    ]


def plugin_annotations(plugins: list[ProfilePlugin]) -> dict[str, str]:
    found: dict[str, str] = {}
    for plugin in plugins:
        if plugin.kind in PLUGINS:
            field, annotation = PLUGINS[plugin.kind]
            value = plugin.spec.get(field)
            if isinstance(value, str) and value:
                found[annotation] = value
    return found


def plugin_problem(plugins: list[ProfilePlugin]) -> str:
    """Why a plugin does nothing, or an empty string."""
    for plugin in plugins:
        if plugin.kind not in PLUGINS:
            return f"plugin {plugin.kind} is not known; there are {', '.join(PLUGINS)}"
        if not isinstance(plugin.spec.get(PLUGINS[plugin.kind][0]), str):
            return f"plugin {plugin.kind} needs the field {PLUGINS[plugin.kind][0]}"
    return ""


def quota(profile: Profile) -> ResourceQuota | None:
    spec = profile.spec.resource_quota_spec
    if spec is None or not spec.hard:
        return None
    return ResourceQuota(metadata=ObjectMeta(name=QUOTA, namespace=profile.metadata.name), spec=spec)


def pipelines_access(profile: Profile) -> PodDefault:
    """Gives pods with the label `access-ml-pipeline` a token by which the pipelines API knows them."""
    volume = "volume-kf-pipeline-token"
    token = {"audience": PIPELINES_GROUP, "expirationSeconds": 7200, "path": "token"}
    return PodDefault(
        metadata=ObjectMeta(name=PIPELINES_LABEL, namespace=profile.metadata.name),
        spec=PodDefaultSpec(
            desc="Allow access to Kubeflow Pipelines",
            selector=LabelSelector(match_labels={PIPELINES_LABEL: "true"}),
            env=[{"name": "KF_PIPELINES_SA_TOKEN_PATH", "value": f"{TOKEN_FOLDER}/token"}],
            volumes=[{"name": volume, "projected": {"sources": [{"serviceAccountToken": token}]}}],
            volume_mounts=[{"name": volume, "mountPath": TOKEN_FOLDER, "readOnly": True}],
        ),
    )


def network_policy(profile: Profile, gateway_namespace: str = "") -> Json:
    """Admits pods of the namespace, and on a cluster those of the gateway. A node's own connections always pass."""
    admitted: list[Json] = [{"podSelector": {}}]
    if gateway_namespace:
        labels = {NAMESPACE_NAME_LABEL: gateway_namespace}
        admitted.append(
            {"namespaceSelector": {"matchLabels": labels}, "podSelector": {"matchLabels": {COMPONENT_LABEL: "gateway"}}}
        )
    return {
        "apiVersion": NETWORK_POLICIES.api_version,
        "kind": NETWORK_POLICIES.name,
        "metadata": {"name": NETWORK_POLICY, "namespace": profile.metadata.name},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": admitted}]},
    }
