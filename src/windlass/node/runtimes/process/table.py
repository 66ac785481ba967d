"""The table of Service addresses for plain processes; written by the network, read when a container starts."""

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, json

_FILE = "node/loopback.json"


class Place(Struct, frozen=True):
    """An address, and the ports whose numbers differ from the Service's."""

    address: str
    ports: dict[str, int] = {}

    def port(self, number: str) -> str:
        return str(self.ports.get(number, number))


class Table(Struct, frozen=True):
    """Places by ClusterIP, and the addresses of pods by uid."""

    services: dict[str, Place] = {}
    pods: dict[str, str] = {}


def read(data: Path) -> Table:
    try:
        return json.decode((data / _FILE).read_bytes(), type=Table)
    except FileNotFoundError:
        return Table()


def write(data: Path, table: Table) -> None:
    path = data / _FILE
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_bytes(json.encode(table))
    fresh.replace(path)


_ADDRESS = re.compile(r"(?<![\d.])(\d+\.\d+\.\d+\.\d+)(?::(\d+))?(?![\d.])")


def translated(text: str, services: Mapping[str, Place]) -> str:
    """Replace every `ADDRESS` and `ADDRESS:PORT` of a Service by where it is reached."""

    def replace(found: re.Match[str]) -> str:
        place, port = services.get(found[1]), found[2]
        if place is None:
            return found[0]
        return f"{place.address}:{place.port(port)}" if port else place.address

    return _ADDRESS.sub(replace, text)


def translated_environment(environment: Mapping[str, str], services: Mapping[str, Place]) -> dict[str, str]:
    """Translate all values; where a Service's host is named (FOO_SERVICE_HOST), its ports too."""
    result = {name: translated(value, services) for name, value in environment.items()}
    for name, value in environment.items():
        place = services.get(value)
        if place is None or not name.endswith("_SERVICE_HOST"):
            continue
        prefix = re.escape(name.removesuffix("_SERVICE_HOST"))
        ports = re.compile(rf"{prefix}_(SERVICE_PORT|SERVICE_PORT_.+|PORT_\d+_(TCP|UDP|SCTP)_PORT)")
        result |= {each: place.port(number) for each, number in environment.items() if ports.fullmatch(each)}
    return result
