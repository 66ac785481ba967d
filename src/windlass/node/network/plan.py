"""The ranges and fixed addresses of the pods' network."""

from ipaddress import IPv4Address, IPv4Network

PODS = IPv4Network("10.244.0.0/16")
SERVICES = IPv4Network("10.96.0.0/16")
NODE = "10.244.0.1"
DNS = "10.96.0.10"
API = "10.96.0.1"
GATEWAY = "169.254.1.1"
"""The pods' next hop: no interface has this address, and every host end of a pod's link answers for it."""

METADATA = (IPv4Network("169.254.0.0/16"), IPv4Network("100.100.100.200/32"))
"""Where clouds serve a machine's credentials to every client: link-local addresses, and Alibaba Cloud's own."""

FIRST_POD, LAST_POD = IPv4Address("10.244.0.2"), IPv4Address("10.244.239.254")
UPLINKS = IPv4Network("10.244.240.0/20")
"""Reserved for uplinks, a /30 each."""

UPLINK = "wl-up"
GATEWAY_MAC = bytes.fromhex("eeeeeeeeeeee")
MTU = 65520
DOMAIN = "cluster.local"


def pod_mac(address: str) -> bytes:
    """Return a MAC address derived from the IP address, as other container networks do, so that ARP is not needed."""
    return b"\x0a\x58" + IPv4Address(address).packed
