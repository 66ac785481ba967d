"""How the places of artifacts are reached. Pure."""

from windlass.apps.pipelines.artifacts.stores.providers import (
    DEFAULT_REGION,
    Provider,
    check_account,
    checked_endpoint,
    checked_region,
)
from windlass.apps.pipelines.artifacts.stores.store_locations import Place


def provider_of_place(place: Place) -> Provider:
    """How a place is reached; its credentials are those of the place. Raises ValueError that names the field."""
    endpoint, disable_ssl = checked_endpoint(place.scheme, place.endpoint, place.insecure or None, "endpoint")
    return Provider(
        scheme=place.scheme,
        endpoint=endpoint,
        account=account_of(place) if place.scheme == "az" else "",
        region=checked_region(place.region, "region") if place.region else DEFAULT_REGION,
        disable_ssl=disable_ssl,
    )


def account_of(place: Place) -> str:
    """The storage account of Azure: the end of the endpoint's path, else the first part of its host.

    Raises ValueError.
    """
    host, _, path = (
        place.endpoint.partition("://")[2].partition("/")
        if "://" in place.endpoint
        else (place.endpoint.partition("/"))
    )
    account = path.strip("/") or host.partition(".")[0]
    check_account(account, "endpoint")
    return account
