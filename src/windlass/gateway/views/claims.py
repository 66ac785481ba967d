"""Claims that objects name. Pure."""

from collections.abc import Iterator
from typing import Any

from windlass.apis.wellknown import CLAIM_SCHEME
from windlass.kube.json import dig, is_list, is_object


def claims_in(value: Any) -> Iterator[str]:
    """The claims that a spec names anywhere: in pod templates, as Volcano's volumes, as `pvc://` addresses."""
    if is_list(value):
        for item in value:
            yield from claims_in(item)
    elif is_object(value):
        for name, item in value.items():
            if name == "persistentVolumeClaim" and isinstance(claim := dig(item, "claimName"), str):
                yield claim
            elif name == "volumeClaimName" and isinstance(item, str):
                yield item
            elif name == "storageUri" and isinstance(item, str) and item.startswith(CLAIM_SCHEME):
                yield item.removeprefix(CLAIM_SCHEME).partition("/")[0]
            else:
                yield from claims_in(item)
