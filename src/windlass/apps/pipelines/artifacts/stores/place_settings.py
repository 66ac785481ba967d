"""The settings of one place, for a `RemoteStore`."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from windlass.apps.pipelines.artifacts.stores.place_providers import account_of, provider_of_place
from windlass.apps.pipelines.artifacts.stores.providers import Provider
from windlass.apps.pipelines.artifacts.stores.store_locations import Place, SecretKey
from windlass.apps.pipelines.artifacts.stores.store_settings import Credentials, checked_account_key, service_account

ReadSecret: TypeAlias = Callable[[str, SecretKey], Awaitable[str]]
"""Reads the value of a key of a Secret in a namespace. Raises ValueError and ApiError."""
KEYS = {"s3": 2, "gs": 1, "az": 1}
"""How many values the credentials of a store have."""


class PlaceSettings:
    def __init__(self, place: Place, read_secret: ReadSecret) -> None:
        self._place, self._read_secret = place, read_secret

    async def provider(self, namespace: str, uri: str) -> Provider:
        del namespace, uri
        return provider_of_place(self._place)

    async def credentials(self, namespace: str, provider: Provider) -> Credentials:
        """Credentials of the place; empty if it names none. Raises ValueError and ApiError."""
        place = self._place
        if len(place.secrets) < KEYS[place.scheme]:
            return Credentials(
                access_key=account_of(place) if place.scheme == "az" else "", source="without credentials"
            )
        names = " and ".join(dict.fromkeys(f"{namespace}/{secret.name}" for secret in place.secrets))
        source = f"with the Secret {names}"
        values = [await self._read_secret(namespace, secret) for secret in place.secrets]
        if place.scheme == "gs":
            return Credentials(service_account=service_account(values[0], source), source=source)
        if place.scheme == "az":
            checked_account_key(values[0], f"{source}, {place.secrets[0].key}")
            return Credentials(access_key=account_of(place), secret_key=values[0], source=source)
        return Credentials(access_key=values[0], secret_key=values[1], source=source)
