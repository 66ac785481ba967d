"""Amounts of resources, checked before they go into a manifest."""

from windlass.kube.quantity import Quantity


def quantity(value: object, where: str) -> str:
    """Return an amount as text. Raises ValueError with the field."""
    try:
        if Quantity.parse(value).nano < 0:  # pyright: ignore[reportArgumentType] - parse checks the type itself
            raise ValueError("it is negative")
    except ValueError as error:
        raise ValueError(f"{where}: {value!r} is not a quantity: {error}") from error
    return str(value)
