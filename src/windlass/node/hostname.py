"""A pod's host name and its fully qualified name."""

from windlass.kube.json import Object, dig
from windlass.node.network.plan import DOMAIN

_LONGEST = 63


def hostname(pod: Object) -> str:
    """Return the pod's host name; `hostnameOverride` changes only this."""
    if dig(pod, "spec", "hostNetwork"):
        return str(dig(pod, "spec", "nodeName") or "")
    return str(dig(pod, "spec", "hostnameOverride") or "") or _name(pod)


def full_hostname(pod: Object) -> str:
    """Return the host name with the domain of the pod's `subdomain`; "" without one."""
    subdomain = dig(pod, "spec", "subdomain")
    if not subdomain or dig(pod, "spec", "hostnameOverride"):
        return ""
    return f"{_name(pod)}.{subdomain}.{dig(pod, 'metadata', 'namespace')}.svc.{DOMAIN}"


def _name(pod: Object) -> str:
    return str(dig(pod, "spec", "hostname") or dig(pod, "metadata", "name") or "")[:_LONGEST].rstrip("-.")
