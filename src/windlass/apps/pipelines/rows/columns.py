"""Column types that keep records the same on SQLite, PostgreSQL and MariaDB."""

from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import Float, LargeBinary, String, Text
from sqlalchemy.dialects import mysql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

MYSQL = ("mysql", "mariadb")


def text(length: int) -> String:
    """A short text that sorts by its code points everywhere: MariaDB's tables say so as a whole."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


def long_text() -> Text:
    return Text().with_variant(mysql.LONGTEXT(), *MYSQL)


def blob() -> LargeBinary:
    return LargeBinary().with_variant(mysql.LONGBLOB(), *MYSQL)


def seconds() -> Float[float]:
    """A time, in seconds since 1970, as a double."""
    return Float(53)


class Json(TypeDecorator[Any]):
    """A value of a type that msgspec knows, as JSON text."""

    impl = Text
    cache_ok = True

    def __init__(self, type: Any) -> None:
        super().__init__()
        self.type = type
        self.decoder = msgspec.json.Decoder(type)

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(long_text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        return msgspec.json.encode(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else self.decoder.decode(value)


class Choice(TypeDecorator[Any]):
    """A member of a `StrEnum`, as its value."""

    impl = String
    cache_ok = True

    def __init__(self, type: type[StrEnum]) -> None:
        super().__init__(32)
        self.type = type

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        return str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else self.type(value)
