"""What a pod calls itself, and by which longer name it is known to others."""

from windlass.kube.json import Object, dig
from windlass.node.network.plan import DOMAIN

_LONGEST = 63


def hostname(pod: Object) -> str:
    """Its own name; `hostnameOverride` changes that and nothing else."""
    if dig(pod, "spec", "hostNetwork"):
        return str(dig(pod, "spec", "nodeName") or "")
    return str(dig(pod, "spec", "hostnameOverride") or "") or _name(pod)


def full_hostname(pod: Object) -> str:
    """With the domain of its `subdomain`, if it has one; "" where it has none."""
    subdomain = dig(pod, "spec", "subdomain")
    if not subdomain or dig(pod, "spec", "hostnameOverride"):
        return ""
    return f"{_name(pod)}.{subdomain}.{dig(pod, 'metadata', 'namespace')}.svc.{DOMAIN}"


def _name(pod: Object) -> str:
    return str(dig(pod, "spec", "hostname") or dig(pod, "metadata", "name") or "")[:_LONGEST].rstrip("-.")
