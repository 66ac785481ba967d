"""Whether the gateway may listen where it was asked to, and where the published password counts. Pure."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from windlass.gateway.settings import GatewaySettings


def refusal(settings: GatewaySettings, *, has_published_password: bool) -> str | None:
    """Why not, with the one thing to do about it; None when it may."""
    if settings.is_loopback:
        return None
    where = f"the gateway does not listen on {settings.listen or 'every address'}"
    if settings.demo:
        return f"{where} with --demo, whose password is published. Leave out --demo"
    if has_published_password:
        return (
            f"{where} while a user has the published password 12341234. "
            "Change it first: windlass user passwd user@example.com"
        )
    if settings.tls_cert is None and not settings.insecure_http:
        return (
            f"{where} without TLS. Give --gateway-tls-cert and --gateway-tls-key, "
            "or --insecure-http behind a proxy that has it"
        )
    return None


def is_of_this_machine(settings: GatewaySettings, host: str, client: str) -> bool:
    """Whether a request stayed on this machine, so that the published password may sign in.

    `host` is the request's header: the page of a site whose name is made to lead to 127.0.0.1 (DNS rebinding) names its
    own host there. `client` is whom a proxy on this machine names as its client.
    """
    return settings.is_loopback and _is_local(host) and _is_local(f"[{client}]" if ":" in client else client)


def _is_local(host: str) -> bool:
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
