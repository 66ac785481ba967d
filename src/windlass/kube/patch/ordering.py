"""The order of a merged list: the patch's own order, with what only the server has kept where it stood."""

from typing import Any

from windlass.kube.json import Json, is_list, is_object


def ordered(merged: list[Any], wanted: list[Any], server: list[Any], merge_key: str) -> list[Any]:
    """`merged`, with the elements of `wanted` in its order, and the others in between as in `server`.

    Elements are known by `merge_key`, or by themselves where it is empty.
    """
    rank = {identity(item, merge_key): index for index, item in reversed(list(enumerate(wanted)))}
    place = {identity(item, merge_key): index for index, item in reversed(list(enumerate(server)))}
    last = len(merged) + len(server)
    named = [item for item in merged if identity(item, merge_key) in rank]
    named.sort(key=lambda item: rank[identity(item, merge_key)])
    others = [item for item in merged if identity(item, merge_key) not in rank]
    others.sort(key=lambda item: place.get(identity(item, merge_key), last))
    result: list[Any] = []
    waiting = 0
    for item in named:
        here = place.get(identity(item, merge_key))
        while here is not None and waiting < len(others):
            there = place.get(identity(others[waiting], merge_key))
            if there is None or there > here:
                break
            result.append(others[waiting])
            waiting += 1
        result.append(item)
    return result + others[waiting:]


def identity(item: Json, merge_key: str) -> Json:
    """What an element is known by: its merge key's value or, where there is no key, itself; always hashable."""
    found = item.get(merge_key) if merge_key and is_object(item) else item
    return repr(found) if is_object(found) or is_list(found) else found
