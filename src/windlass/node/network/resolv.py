"""A pod's /etc/resolv.conf and /etc/hosts, as kubelet writes them, with one more name of the pod itself."""

from ipaddress import ip_address

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.hostname import full_hostname, hostname
from windlass.node.network.host_names import HostResolver
from windlass.node.network.plan import DNS, DOMAIN

_MAX_SERVERS, _MAX_SEARCH = 3, 32


def resolv_conf(pod: Object, host: HostResolver) -> str:
    """Build resolv.conf by dnsPolicy and dnsConfig."""
    policy = dig(pod, "spec", "dnsPolicy") or "ClusterFirst"
    if policy == "ClusterFirst" and dig(pod, "spec", "hostNetwork"):
        policy = "Default"
    servers, search, options = list[str](), list[str](), dict[str, str]()
    if policy == "Default":
        servers = [_reachable(each) for each in host.servers] or [DNS]
        search, options = list(host.search), _options(host.options)
    elif policy != "None":
        namespace = dig(pod, "metadata", "namespace")
        servers = [DNS]
        search = [f"{namespace}.svc.{DOMAIN}", f"svc.{DOMAIN}", DOMAIN, *host.search]
        options = {"ndots": "5"}
    config = dig_object(pod, "spec", "dnsConfig")
    servers += [str(each) for each in dig_list(config, "nameservers")]
    search += [str(each) for each in dig_list(config, "searches")]
    options |= {str(each["name"]): str(each.get("value") or "") for each in dig_list(config, "options")}
    lines = [f"search {' '.join(_once(search)[:_MAX_SEARCH])}"] if search else []
    lines += [f"nameserver {each}" for each in _once(servers)[:_MAX_SERVERS]]
    if options:
        lines.append("options " + " ".join(f"{name}:{value}" if value else name for name, value in options.items()))
    return "".join(f"{line}\n" for line in lines)


def _reachable(server: str) -> str:
    """Return a resolver that pods can reach: for one on the host's loopback, the cluster's DNS, which forwards."""
    try:
        return DNS if ip_address(server.split("%")[0]).is_loopback else server
    except ValueError:
        return DNS


def _options(words: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, _, value in (word.partition(":") for word in words)}


def _once(values: list[str]) -> list[str]:
    return list(dict.fromkeys(values))


def hosts(pod: Object, address: str) -> str:
    """Build /etc/hosts: the pod's own names, the usual ones of Linux, and its hostAliases."""
    full = full_hostname(pod)
    # By its name in its Service a pod finds others, and itself: mpirun takes a host that it cannot resolve for another
    # one. DNS has that name only when the endpoints are written, which may be after the container has been started.
    own = "\t".join(filter(None, (full, hostname(pod), ".".join(full.split(".")[:2]))))
    lines = [
        "# Kubernetes-managed hosts file.",
        "127.0.0.1\tlocalhost",
        "::1\tlocalhost ip6-localhost ip6-loopback",
        "fe00::0\tip6-localnet",
        "fe00::0\tip6-mcastprefix",
        "fe00::1\tip6-allnodes",
        "fe00::2\tip6-allrouters",
        f"{address}\t{own}",
    ]
    aliases = dig_list(pod, "spec", "hostAliases")
    if aliases:
        lines += ["", "# Entries added by HostAliases."]
        lines += ["\t".join([str(each["ip"]), *map(str, dig_list(each, "hostnames"))]) for each in aliases]
    return "".join(f"{line}\n" for line in lines)
