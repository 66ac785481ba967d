"""What apps add to the manifests of the manager and the gateway: values of their options, ports and objects."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from windlass.apis.app import App
from windlass.apis.deployment import Deployment, GatewayPort
from windlass.apis.options import Option, SecretKey, Site, SiteValue, declared
from windlass.deploy.program import Object


def deployment_of(app: App) -> Deployment:
    return import_module(app.deployment).DEPLOYMENT if app.deployment else Deployment()


@dataclass(frozen=True, kw_only=True)
class AppParts:
    """The parts of the apps that are installed at a site."""

    apps: tuple[App, ...] = ()
    site: Site = field(default_factory=lambda: Site(namespace=""))

    def manager_flags(self) -> list[str]:
        """Flags of the manager that differ from their defaults."""
        values = ((option.flag, option.in_manager) for option in self._options() if option.flag)
        return [f"--{flag}={value(self.site)}" for flag, value in values if value is not None and value(self.site)]

    def manager_variables(self) -> list[Object]:
        """Environment variables of the manager, sorted by name."""
        values = {option.variable: option.in_manager for option in self._options() if option.variable}
        return sorted(self._variables(values), key=lambda variable: variable["name"])

    def gateway_variables(self) -> list[Object]:
        values = {option.variable: option.in_gateway for option in self._options() if option.variable}
        return self._variables(values)

    def gateway_ports(self) -> list[GatewayPort]:
        return [port for app in self.apps for port in deployment_of(app).gateway_ports]

    def service_ports(self) -> list[Object]:
        """Ports of the gateway's Service that lead to the ports of the apps."""
        return [
            {"name": name, "port": number, "targetPort": port.name, "protocol": "TCP"}
            for port in self.gateway_ports()
            for name, number in port.service_ports.items()
        ]

    def gateway_objects(self, host: str) -> list[Object]:
        return [obj for app in self.apps for obj in deployment_of(app).gateway_objects(host)]

    def _options(self) -> Iterator[Option]:
        structs = [app.options for app in self.apps if app.options is not None]
        return (option for struct in structs for _, option, _, _ in declared(struct))

    def _variables(self, values: Mapping[str, SiteValue | None]) -> list[Object]:
        """The variables that have a value at this site."""
        at_site = {name: value(self.site) for name, value in values.items() if value is not None}
        return [{"name": name, **_source(value)} for name, value in at_site.items() if value]


def _source(value: str | SecretKey) -> Object:
    if isinstance(value, str):
        return {"value": value}
    return {"valueFrom": {"secretKeyRef": {"name": value.name, "key": value.key, "optional": True}}}
