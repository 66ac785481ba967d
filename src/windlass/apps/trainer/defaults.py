"""Defaults of TrainJobs: the time of each runtime patch."""

from collections.abc import Mapping
from datetime import UTC, datetime

from windlass.kube.json import Json, Object, dig_list, is_object


def with_times(job: Object, old: Object | None, now: datetime) -> Object:
    """Return a copy of `job` with a time for each new patch; unchanged patches keep theirs.

    Values of a wrong type are left for the schema, which is validated later.
    """
    patches = dig_list(job, "spec", "runtimePatches")
    if not patches:
        return job
    before = {str(one.get("manager")): one for one in dig_list(old or {}, "spec", "runtimePatches") if is_object(one)}
    moment = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {**job, "spec": {**job["spec"], "runtimePatches": [_timed(one, before, moment) for one in patches]}}


def _timed(patch: Json, before: Mapping[str, Object], moment: str) -> Json:
    if not is_object(patch):
        return patch
    old = before.get(str(patch.get("manager")))
    if old is not None and _content(old) == _content(patch):
        return {**_content(patch), "time": old["time"]} if old.get("time") else patch
    return patch if patch.get("time") else {**patch, "time": moment}


def _content(patch: Object) -> Object:
    return {key: value for key, value in patch.items() if key != "time"}
