"""Whether the gateway may listen where it was asked to. Pure."""

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
