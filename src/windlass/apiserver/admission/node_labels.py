"""Which labels a node may set on itself: the kubelet's own, and any outside Kubernetes' domains."""

from collections.abc import Mapping

from windlass.apis.wellknown import BETA_ARCH_LABEL, BETA_OS_LABEL, HOSTNAME_LABEL

RESTRICTED = "node-restriction.kubernetes.io"
KUBERNETES = ("kubernetes.io", "k8s.io")
KUBELET_PREFIXES = ("kubelet.kubernetes.io", "node.kubernetes.io")
KUBELET = frozenset(
    {
        HOSTNAME_LABEL,
        "kubernetes.io/os",
        "kubernetes.io/arch",
        BETA_OS_LABEL,
        BETA_ARCH_LABEL,
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
    }
)


def forbidden_labels(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return the changed labels that only an administrator may change."""
    changed = (key for key in {**old, **new} if old.get(key) != new.get(key))
    return sorted(key for key in changed if not may_set(key))


def may_set(key: str) -> bool:
    prefix = key.partition("/")[0] if "/" in key else ""
    if _is_in(prefix, RESTRICTED):
        return False
    if not any(_is_in(prefix, own) for own in KUBERNETES):
        return True
    return key in KUBELET or any(_is_in(prefix, own) for own in KUBELET_PREFIXES)


def _is_in(prefix: str, domain: str) -> bool:
    return prefix == domain or prefix.endswith("." + domain)
