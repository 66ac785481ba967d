"""Outputs that are reused by the key of a memoized template."""

from datetime import timedelta
from typing import Any

from tests.apps.pipelines.argo.simulation import START, End, Simulation
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from windlass.kube.json import Object, decode

OUTPUTS = {"parameters": [{"name": "o", "valueFrom": {"path": "/o"}}]}
CACHE = {"configMap": {"name": "cache"}}
LABELS = {"workflows.argoproj.io/configmap-type": "Cache"}


def memoized(max_age: str = "", **fields: Any) -> Object:
    memoize = {"key": "k-{{inputs.parameters.x}}", "cache": CACHE, **({"maxAge": max_age} if max_age else {})}
    return a_container("c", inputs=inputs("x"), outputs=OUTPUTS, memoize=memoize, **fields)


def calling(template: Object) -> Object:
    main = steps("main", [a_task("a", "c", arguments=arguments(x="1"))])
    return a_workflow({**main, "outputs": {"parameters": [parameter]}}, template)


parameter = {"name": "p", "valueFrom": {"parameter": "{{steps.a.outputs.parameters.o}}"}}


def ran(workflow: Object, config_maps: dict[str, Object], **fields: object) -> Simulation:
    """Run a Workflow; what it keeps is in the ConfigMaps afterwards."""
    run = Simulation(workflow, lambda pod: End(parameters={"o": "made"}), config_maps=config_maps, **fields)  # type: ignore[arg-type]
    run.run()
    return run


def kept(run: Simulation) -> dict[str, Object]:
    (memo,) = run.memos
    return {memo.config_map: {"metadata": {"labels": LABELS}, "data": {memo.key: memo.value}}}


def test_outputs_are_kept_and_reused_by_a_later_workflow() -> None:
    first = ran(calling(memoized()), {})
    second = ran(calling(memoized()), kept(first))

    assert first.node("[0].a")["memoizationStatus"] == {"hit": False, "key": "k-1", "cacheName": "cache"}
    assert decode(first.memos[0].value)["nodeID"] == first.node("[0].a")["id"]
    assert (second.phase, second.order, second.memos) == ("Succeeded", [], [])
    assert second.node("[0].a")["memoizationStatus"]["hit"] is True
    assert second.outputs("") == {"p": "made"}


def test_outputs_that_are_too_old_are_made_again() -> None:
    maps = kept(ran(calling(memoized()), {}))

    late = ran(calling(memoized("1m")), maps, now=START + timedelta(minutes=5))
    soon = ran(calling(memoized("1h")), maps, now=START + timedelta(minutes=5))

    assert (len(late.order), len(soon.order)) == (1, 0)


def test_another_key_runs() -> None:
    maps = kept(ran(calling(memoized()), {}))
    main = a_dag("main", a_task("a", "c", arguments=arguments(x="2")))

    assert ran(a_workflow(main, memoized()), maps).order == ["w.a"]


def test_what_fails_is_not_kept() -> None:
    run = Simulation(calling(memoized(retryStrategy={"limit": 1})), lambda pod: End(exit_code=1)).run()

    assert (run.phase, run.memos) == ("Failed", [])


def test_a_whole_graph_is_remembered() -> None:
    main = a_dag("main", a_task("a", "c"), memoize={"key": "g", "cache": CACHE})

    first = ran(a_workflow(main, a_container("c")), {})
    second = ran(a_workflow(main, a_container("c")), kept(first))

    assert (first.order, second.order, second.phase) == (["w.a"], [], "Succeeded")


def test_a_config_map_that_is_no_cache_is_left_alone() -> None:
    run = ran(calling(memoized()), {"cache": {"metadata": {}, "data": {}}})

    assert (run.phase, run.order) == ("Error", [])
    assert "needs the label workflows.argoproj.io/configmap-type: Cache" in run.node("[0].a")["message"]


def test_an_entry_that_cannot_be_read_is_made_again() -> None:
    run = ran(calling(memoized()), {"cache": {"metadata": {"labels": LABELS}, "data": {"k-1": "{"}}})

    assert (run.phase, len(run.order)) == ("Succeeded", 1)
