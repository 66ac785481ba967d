"""Jobs of each kind are asked to be suspended in their own way."""

from windlass.jobs.control import suspend
from windlass.jobs.control.suspend import asks_for, wish


def test_a_command_to_a_job_is_in_its_namespace_and_names_just_this_job() -> None:
    made = suspend.command("AbortJob", {"metadata": {"name": "j", "namespace": "n", "uid": "u"}})

    assert (made["action"], made["metadata"]["namespace"]) == ("AbortJob", "n")
    assert (made["target"]["kind"], made["target"]["name"], made["target"]["uid"]) == ("Job", "j", "u")


def test_it_is_suspended_by_a_field_of_its_own() -> None:
    assert wish("TrainJob", suspended=True) == {"suspend": True}
    assert asks_for({"kind": "TrainJob", "spec": {"suspend": True}})
    assert wish("TFJob", suspended=False) == {"runPolicy": {"suspend": False}}
    assert asks_for({"kind": "TFJob", "spec": {"runPolicy": {"suspend": True}}})
