"""Jobs are called by their own names where only their pod groups are known."""

from typing import Any

from windlass.apis.scheduling_volcano_v1beta1 import PodGroup
from windlass.apps.training.jobs.explain.owners import named_by_owner, owners_of
from windlass.kube.kind import KINDS
from windlass.scheduler.explain.answer import WAITING, Before, Ending, Explanation, Place, Room

VOLCANO = KINDS.of(PodGroup)


def a_group(name: str, *owners: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"namespace": "ml", "name": name, "ownerReferences": list(owners)}}


GROUPS = [
    (
        VOLCANO,
        a_group("podgroup-1", {"kind": "Team", "name": "x"}, {"kind": "TFJob", "name": "bert", "controller": True}),
    ),
    (VOLCANO, a_group("own")),
]


def test_the_owner_of_a_group_is_what_controls_it() -> None:
    assert owners_of(GROUPS) == {"ml/podgroup-1": ("TFJob", "bert")}


def test_what_comes_first_and_what_would_have_to_end_have_the_names_of_their_jobs() -> None:
    place = Place("default", 3, 3, before=(Before("ml/podgroup-1", 0), Before("ml/own", 0)))
    room = Room((Ending("ml/podgroup-1", "job", 2, 2, 0), Ending("ml/pod", "pod", 1, 1, 0)))

    found = named_by_owner(Explanation("job", "ml", "me", WAITING, "", place=place, room=room), owners_of(GROUPS))

    assert found.place is not None
    assert found.room is not None
    assert [one.name for one in found.place.before] == ["ml/bert", "ml/own"]
    assert [one.name for one in found.room.endings] == ["ml/bert", "ml/pod"]
