"""Where everything is: the ranges and fixed addresses of the pods' network."""

from ipaddress import IPv4Address, IPv4Network

PODS = IPv4Network("10.244.0.0/16")
SERVICES = IPv4Network("10.96.0.0/16")
NODE = "10.244.0.1"
DNS = "10.96.0.10"
API = "10.96.0.1"
GATEWAY = "169.254.1.1"
"""What pods have as their next hop: nobody's address, and every host end of a pod's link answers for it."""

FIRST_POD, LAST_POD = IPv4Address("10.244.0.2"), IPv4Address("10.244.239.254")
UPLINKS = IPv4Network("10.244.240.0/20")
"""Kept for the links to the outside, a /30 each."""

UPLINK = "wl-up"
GATEWAY_MAC = bytes.fromhex("eeeeeeeeeeee")
MTU = 65520
DOMAIN = "cluster.local"


def pod_mac(address: str) -> bytes:
    """As container networks do it: a private prefix and the address, so that nobody has to ask for it."""
    return b"\x0a\x58" + IPv4Address(address).packed
