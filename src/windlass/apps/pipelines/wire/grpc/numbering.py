"""Messages for gRPC, from those of the REST API: a declaration adds the number of each field.

    EXPERIMENT = package.message("Experiment", shapes.EXPERIMENT, experiment_id=1, display_name=2)

A field without a number is one of the REST API alone. A field whose type differs from the REST API's has a type too.
"""

from collections.abc import Mapping

from windlass.apps.pipelines.wire import protojson, shapes
from windlass.formats import protobuf_messages as protobuf
from windlass.formats import protobuf_well_known as well_known

_SCALARS: Mapping[protojson.Scalar, protobuf.Single] = {
    protojson.STRING: protobuf.STRING,
    protojson.BOOL: protobuf.BOOL,
    protojson.INT32: protobuf.INT32,
    protojson.INT64: protobuf.INT64,
    protojson.DOUBLE: protobuf.DOUBLE,
    protojson.BYTES: protobuf.BYTES,
    protojson.TIMESTAMP: well_known.TIMESTAMP,
    protojson.STRUCT: well_known.STRUCT,
    protojson.VALUE: well_known.VALUE,
}


class Package:
    """A proto package. A message is declared after those that it contains."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._messages: list[tuple[protojson.Message, protobuf.Message]] = [(shapes.STATUS, well_known.STATUS)]
        self._enums: list[tuple[protojson.EnumOf, str]] = []

    def enum(self, name: str, shape: protojson.EnumOf) -> None:
        """Name an enumeration that is not part of one message."""
        self._enums.append((shape, name))

    def message(
        self, name: str, shape: protojson.Message, /, **numbers: int | tuple[int, protobuf.Type]
    ) -> protobuf.Message:
        fields = {
            field: number if isinstance(number, tuple) else (number, self._type(shape.fields[field]))
            for field, number in numbers.items()
        }
        message = protobuf.Message(name, **fields)
        self._messages.append((shape, message))
        return message

    def _type(self, type: protojson.Type) -> protobuf.Type:
        match type:
            case protojson.ListOf(item):
                return protobuf.ListOf(self._single(item))
            case protojson.MapOf(value):
                return protobuf.MapOf(self._single(value))
            case _:
                return self._single(type)

    def _single(self, type: protojson.Type) -> protobuf.Single:
        match type:
            case protojson.Message():
                return next(message for shape, message in self._messages if shape is type)
            case protojson.EnumOf(numbers):
                return enumeration(numbers, next((name for shape, name in self._enums if shape is type), ""))
            case protojson.Scalar():
                return _SCALARS[type]
            case _:
                raise TypeError("protobuf has no lists of lists")


def enumeration(numbers: Mapping[str, int], name: str) -> protobuf.EnumOf:
    names = {number: name for name, number in numbers.items()}
    return protobuf.EnumOf(tuple(names.get(number, "") for number in range(max(names) + 1)), name)
