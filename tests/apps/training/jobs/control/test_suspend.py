"""Jobs of each kind are asked to be suspended in their own way."""

from windlass.apps.training.jobs.control import suspend
from windlass.apps.training.jobs.control.suspend import requests_suspension, suspend_patch


def test_a_command_to_a_job_is_in_its_namespace_and_names_just_this_job() -> None:
    made = suspend.command("AbortJob", {"metadata": {"name": "j", "namespace": "n", "uid": "u"}})

    assert (made["action"], made["metadata"]["namespace"]) == ("AbortJob", "n")
    assert (made["target"]["kind"], made["target"]["name"], made["target"]["uid"]) == ("Job", "j", "u")


def test_it_is_suspended_by_a_field_of_its_own() -> None:
    assert suspend_patch("TrainJob", suspended=True) == {"suspend": True}
    assert requests_suspension({"kind": "TrainJob", "spec": {"suspend": True}})
    assert suspend_patch("TFJob", suspended=False) == {"runPolicy": {"suspend": False}}
    assert requests_suspension({"kind": "TFJob", "spec": {"runPolicy": {"suspend": True}}})
