"""Names of profiles and of what is in their namespaces: labels, annotations, roles and bindings."""

import hashlib
import re
from collections.abc import Mapping

from windlass.apis.wellknown import PART_OF_LABEL, PLATFORM_NAMESPACES, PROFILE_VALUE

FIRST_PROFILE = "kubeflow-user-example-com"
"""The profile of the first user."""
FINALIZER = "profile-finalizer"
OWNER_ANNOTATION = "owner"
USER_ANNOTATION, ROLE_ANNOTATION = "user", "role"
CONTRIBUTORS = "windlass.dev/contributors"
"""Annotation of a Profile: a JSON list of `{"kind", "name", "role"}`, or of e-mail addresses, who are editors."""
FROM_ANNOTATION_LABEL = "windlass.dev/contributor-of"
"""Label of the bindings that the annotation made; its value is the Profile's name."""
DELETED_AT = "windlass.dev/deleted-at"
"""Annotation of a Profile in the recycle bin: when it was deleted."""
DELETED_BY = "windlass.dev/deleted-by"

DEFAULT_LABELS: Mapping[str, str] = {
    "katib.kubeflow.org/metrics-collector-injection": "enabled",
    "serving.kubeflow.org/inferenceservice": "enabled",
    "pipelines.kubeflow.org/enabled": "true",
    PART_OF_LABEL: PROFILE_VALUE,
    "pod-security.kubernetes.io/enforce": "baseline",
    "windlass.dev/seccomp-default": "RuntimeDefault",
}
"""Labels of a profile's namespace. One that the namespace has already is never changed."""
RELIED_ON_LABELS = (PART_OF_LABEL, "pod-security.kubernetes.io/enforce", "windlass.dev/seccomp-default")
"""Labels that PodDefaults and the safety of pods depend on: an administrator's file must empty one to be without."""
INJECTION_LABEL = "istio-injection"

EDITOR, VIEWER = "default-editor", "default-viewer"
ADMIN_BINDING = "namespaceAdmin"
OWNER_POLICY = "ns-owner-access-istio"
QUOTA = "kf-resource-quota"
NETWORK_POLICY = "windlass-same-namespace-only"

ROLES = ("admin", "edit", "view")
USER_KINDS = ("User", "Group", "ServiceAccount")

RESERVED = PLATFORM_NAMESPACES | {"default", "kubeflow-system", "volcano-system", "cert-manager"}
"""Names that no profile has: its owner could route what the platform alone may, or write settings of components. Most
of these namespaces do not exist on an embedded server, so that nothing else would refuse the profile."""
MAX_NAME = 63
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_HASH_DIGITS = 8


def cluster_role(role: str) -> str:
    """The ClusterRole of a role that bindings name: `edit` -> `kubeflow-edit`."""
    return f"kubeflow-{role}"


def name_problem(name: str) -> str:
    """Return why no profile may have this name, or an empty string."""
    if name in RESERVED or name.startswith("kube-"):
        return f"the name {name} is reserved"
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        return f"a profile's name has at most {MAX_NAME} lower-case letters, digits and '-', with no '-' at its ends"
    return ""


def suggested_name(email: str) -> str:
    """The name that registration proposes: of `Ann.B_c@example.com`, `ann-bc`."""
    local = email.partition("@")[0]
    return re.sub(r"\W+", "-", local).replace("_", "").strip("-").lower()[:MAX_NAME].strip("-")


def binding_name(kind: str, name: str, role: str) -> str:
    """Upstream's name of a contributor's binding and policy: `user-user1-org1-com-clusterrole-edit`."""
    return f"{kind}-{re.sub(r'[^A-Za-z0-9]+', '-', name)}-clusterrole-{role}".lower()


def unique_binding_name(kind: str, name: str, role: str) -> str:
    """The binding's name where another user has the one of `binding_name`: a.b@x and a-b@x."""
    digest = hashlib.sha256(f"{kind}/{name}".encode()).hexdigest()[:_HASH_DIGITS]
    return f"{binding_name(kind, name, role)}-{digest}"
