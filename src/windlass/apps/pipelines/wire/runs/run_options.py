"""How a run is carried out, beyond what Kubeflow's API says: `plugins_input.windlass` of a run or recurring run."""

from typing import Any

from windlass.apps.pipelines.argo.kfp.cache_key import is_duration
from windlass.apps.pipelines.model import RecurringRun, Run
from windlass.apps.pipelines.wire.errors import Aborted, InvalidArgument
from windlass.kube.json import Object, is_object

PLUGIN = "windlass"
FAIL_FAST, CACHING, STALENESS = "fail_fast", "caching", "max_cache_staleness"


def run_options(body: Object) -> dict[str, Any]:
    """The fields of the record that a request sets. Raises InvalidArgument and Aborted."""
    if body.get("plugins_output"):
        raise Aborted("plugins_output cannot be set by clients")
    plugins: Object = body.get("plugins_input") or {}
    for name in plugins:
        if name != PLUGIN:
            raise InvalidArgument(f"plugins_input: there is no plugin {name!r}, only {PLUGIN!r}")
    given: Any = plugins.get(PLUGIN) or {}
    path = f"plugins_input.{PLUGIN}"
    if not is_object(given):
        raise InvalidArgument(f"{path}: must be an object")
    for name, value in given.items():
        if name not in (FAIL_FAST, CACHING, STALENESS):
            raise InvalidArgument(f"{path}.{name}: unknown; there are {FAIL_FAST}, {CACHING} and {STALENESS}")
        if name == STALENESS and not (isinstance(value, str) and is_duration(value)):
            raise InvalidArgument(f"{path}.{name}: must be a duration such as P7D or PT12H")
        if name != STALENESS and not isinstance(value, bool):
            raise InvalidArgument(f"{path}.{name}: must be true or false")
    return {
        "is_fail_fast": given.get(FAIL_FAST, True),
        "is_cache_enabled": given.get(CACHING, True),
        "max_cache_staleness": given.get(STALENESS, ""),
    }


def shown_options(run: Run | RecurringRun) -> Object:
    """`plugins_input` of an answer: what differs from the default."""
    options: Object = {FAIL_FAST: False} if not run.is_fail_fast else {}
    if not run.is_cache_enabled:
        options[CACHING] = False
    if run.max_cache_staleness:
        options[STALENESS] = run.max_cache_staleness
    return {"plugins_input": {PLUGIN: options}} if options else {}
