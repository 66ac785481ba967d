"""IPAddresses and ServiceCIDRs of `networking.k8s.io`: the address ranges of Services and their allocations."""

from ipaddress import ip_address, ip_network

from windlass.apis.wellknown import NETWORKING_GROUP
from windlass.apiserver.builtin.fields import Causes, check_immutable
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin
from windlass.kube.errors import Cause, invalid, required
from windlass.kube.json import Object, dig, dig_list, dig_object

_NOT_CANONICAL = "must be a valid IP address in canonical form"


class IpAddresses(Builtin):
    def validate_name(self, name: str) -> list[str]:
        try:
            return [] if str(ip_address(name)) == name else [_NOT_CANONICAL]
        except ValueError:
            return [_NOT_CANONICAL]

    def validate(self, obj: Object) -> list[Cause]:
        parent, causes = dig(obj, "spec", "parentRef"), Causes()
        if parent is None:
            return [required("spec.parentRef")]
        for name in ("resource", "name"):
            if not parent.get(name):
                causes.append(required(f"spec.parentRef.{name}"))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        check_immutable("spec.parentRef", dig(new, "spec", "parentRef"), dig(old, "spec", "parentRef"), causes)
        return causes

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        return {"spec.parentRef.resource": dig(obj, "spec", "parentRef", "resource") or ""}


class ServiceCidrs(Builtin):
    def validate(self, obj: Object) -> list[Cause]:
        cidrs, causes = dig_list(obj, "spec", "cidrs"), Causes()
        if not cidrs:
            return [required("spec.cidrs", "at least one CIDR required")]
        if len(cidrs) > 2:
            why = "may only hold up to 2 values"
            return [invalid("spec", dig_object(obj, "spec"), why)]
        for index, cidr in enumerate(cidrs):
            if not _is_network(cidr):
                causes.append(invalid(f"spec.cidrs[{index}]", cidr, "must be a valid CIDR value, (e.g. 10.9.8.0/24)"))
        if not causes and len({ip_network(cidr).version for cidr in cidrs}) < len(cidrs):
            why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
            causes.append(invalid("spec", dig_object(obj, "spec"), why))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        check_immutable("spec.cidrs", dig(new, "spec", "cidrs"), dig(old, "spec", "cidrs"), causes)
        return causes


def _is_network(text: str) -> bool:
    try:
        return str(ip_network(text)) == text
    except ValueError:
        return False


RESOURCES = (
    resource(NETWORKING_GROUP, "v1", "IPAddress", "ipaddresses", "ip", namespaced=False, strategy=IpAddresses),
    resource(
        NETWORKING_GROUP,
        "v1",
        "ServiceCIDR",
        "servicecidrs",
        namespaced=False,
        strategy=ServiceCidrs,
        subresources=("status",),
    ),
)
