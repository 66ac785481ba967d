"""The names of jobs instead of those of their pod groups, which controllers make of a uid. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from windlass.kube.json import Object, dig, dig_list
from windlass.kube.kind import Kind
from windlass.scheduler.explain.answer import Explanation


def owners_of(groups: Sequence[tuple[Kind, Object]]) -> dict[str, tuple[str, str]]:
    """By pod group (`namespace/name`): kind and name of the job that controls it."""
    found: dict[str, tuple[str, str]] = {}
    for _, group in groups:
        owner = next((one for one in dig_list(group, "metadata", "ownerReferences") if dig(one, "controller")), None)
        if owner is not None:
            key = f"{dig(group, 'metadata', 'namespace')}/{dig(group, 'metadata', 'name')}"
            found[key] = (str(dig(owner, "kind")), str(dig(owner, "name")))
    return found


def named_by_owner(found: Explanation, owners: Mapping[str, tuple[str, str]]) -> Explanation:
    """With the jobs that come first, and those that would have to end, by their own names."""

    def name_of(gang: str) -> str:
        return f"{gang.partition('/')[0]}/{owners[gang][1]}" if gang in owners else gang

    place, room = found.place, found.room
    if place is not None:
        place = replace(place, before=tuple(replace(one, name=name_of(one.name)) for one in place.before))
    if room is not None:
        room = replace(room, endings=tuple(replace(one, name=name_of(one.name)) for one in room.endings))
    return replace(found, place=place, room=room)
