"""Validation of Volcano's CronJobs, with the messages of its webhook."""

from collections.abc import Iterator, Mapping
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from windlass.apps.volcano import job_defaults
from windlass.apps.volcano.job_validation import TemplateCheck, spec_problems
from windlass.kube.cron import schedule_problem
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.names import label_key_errors

_LONGEST = 52  # the controller adds eleven characters to make the names of jobs


def cron_job_problems(cron_job: Object, queues: Mapping[str, Object], check_template: TemplateCheck) -> str:
    """Return all errors of a cron job; empty if it is valid."""
    spec = dig_object(cron_job, "spec")
    problems = [_schedule(str(spec.get("schedule") or "")), *_time_zone(spec.get("timeZone"))]
    template = job_defaults.with_defaults({"spec": dig_object(spec, "jobTemplate", "spec")})
    problems.append(spec_problems(template["spec"], queues, check_template))
    problems.append(_name(str(dig(cron_job, "metadata", "name") or "")))
    return " ".join(text.strip() for text in problems if text)


def _schedule(schedule: str) -> str:
    if not schedule:
        return "schedule is required, but got empty"
    if "TZ" in schedule:
        return "schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field"
    problem = schedule_problem(schedule)
    return f"schedule is not a valid cron expression: {problem}" if problem else ""


def _time_zone(zone: str | None) -> Iterator[str]:
    if zone is None:
        return
    if not zone:
        yield "timeZone must be nil or non-empty string, got empty string"
    elif zone.lower() == "local":
        yield "timeZone can't be Local, and must be defined in https://www.iana.org/time-zones"
    else:
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            yield f"invalid timeZone: {zone}"


def _name(name: str) -> str:
    if len(name) > _LONGEST:
        return f"cronJob name must be no more than {_LONGEST} characters to accommodate job name suffix (max 63 total)"
    errors = label_key_errors(name)
    return f'invalid cronJob name "{name}": {"; ".join(errors)}' if errors else ""
