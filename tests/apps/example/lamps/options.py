"""Settings of lamps."""

from dataclasses import dataclass
from typing import Annotated

from windlass.apis.options import Option


@dataclass(frozen=True, kw_only=True)
class Options:
    port: Annotated[int, Option("Port of the Services of lamps.", "LAMP_PORT", int)] = 80
