"""The service variables of a pod: FOO_SERVICE_HOST, FOO_PORT_80_TCP and so on. Pure."""

from windlass.kube.json import Object, dig, dig_list


def service_links(services: list[Object], namespace: str, *, linked: bool) -> dict[str, str]:
    """Return the variables of default/kubernetes and, if `linked`, of the services of `namespace`."""
    chosen: dict[str, Object] = {}
    for service in services:
        name, home = str(dig(service, "metadata", "name")), str(dig(service, "metadata", "namespace"))
        if dig(service, "spec", "clusterIP") in (None, "", "None"):
            continue
        if home == "default" and name == "kubernetes":
            chosen.setdefault(name, service)
        elif linked and home == namespace:
            chosen[name] = service
    links: dict[str, str] = {}
    for name in sorted(chosen):
        links.update(_links(name, chosen[name]))
    return links


def _links(name: str, service: Object) -> dict[str, str]:
    address, ports = str(dig(service, "spec", "clusterIP")), dig_list(service, "spec", "ports")
    prefix = _upper(name)
    links = {f"{prefix}_SERVICE_HOST": address}
    if not ports:
        return links
    links[f"{prefix}_SERVICE_PORT"] = str(ports[0].get("port"))
    for port in ports:
        if port.get("name"):
            links[f"{prefix}_SERVICE_PORT_{_upper(str(port['name']))}"] = str(port.get("port"))
    shown = f"[{address}]" if ":" in address else address
    for index, port in enumerate(ports):
        protocol, number = str(port.get("protocol") or "TCP"), str(port.get("port"))
        url = f"{protocol.lower()}://{shown}:{number}"
        if index == 0:
            links[f"{prefix}_PORT"] = url
        one = f"{prefix}_PORT_{number}_{protocol.upper()}"
        links |= {one: url, f"{one}_PROTO": protocol.lower(), f"{one}_PORT": number, f"{one}_ADDR": address}
    return links


def _upper(name: str) -> str:
    return name.upper().replace("-", "_")
