"""home.example.com/v1: Lamp."""

from typing import Annotated

from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct

GROUP = "home.example.com"


class LampSpec(Struct):
    brightness: Annotated[int, Meta(ge=0)] = 0
    suspend: bool = False


class LampStatus(Struct):
    is_on: bool = False


@kind(f"{GROUP}/v1", plural="lamps", columns=(Column("Brightness", ".spec.brightness", "integer"),))
class Lamp(Object):
    """A light that can be dimmed."""

    spec: LampSpec = LampSpec()
    status: LampStatus = LampStatus()
