"""Builds pipeline specifications in IR for tests, in the shapes that Kubeflow's compiler writes."""

from typing import Any

Json = dict[str, Any]


def out(task: str, key: str = "Output") -> Json:
    return {"taskOutputParameter": {"producerTask": task, "outputParameterKey": key}}


def art(task: str, key: str = "out") -> Json:
    return {"taskOutputArtifact": {"producerTask": task, "outputArtifactKey": key}}


def given(name: str, selector: str = "") -> Json:
    """An input of the DAG that the task is in."""
    return {"componentInputParameter": name} | ({"parameterExpressionSelector": selector} if selector else {})


def given_artifact(name: str) -> Json:
    return {"componentInputArtifact": name}


def status_of(task: str) -> Json:
    return {"taskFinalStatus": {"producerTask": task}}


def const(value: Any) -> Json:
    return {"runtimeValue": {"constant": value}}


_SOURCES = ("taskOutputParameter", "componentInputParameter", "taskFinalStatus", "runtimeValue")
_ARTIFACT_SOURCES = ("taskOutputArtifact", "componentInputArtifact")


def task(
    component: str, /, *, after: tuple[str, ...] = (), condition: str = "", strategy: str = "", **inputs: Any
) -> Json:
    """A task of the component `comp-<component>`. Inputs are sources, or constants; `iterate` and others are below."""
    parameters: Json = {}
    artifacts: Json = {}
    for name, value in inputs.items():
        kind = next(iter(value), "") if isinstance(value, dict) else ""
        if kind in _ARTIFACT_SOURCES:
            artifacts[name] = value
        else:
            parameters[name] = value if kind in _SOURCES else const(value)
    spec: Json = {"componentRef": {"name": f"comp-{component}"}, "cachingOptions": {}}
    if after:
        spec["dependentTasks"] = list(after)
    if parameters or artifacts:
        spec["inputs"] = {"parameters": parameters, "artifacts": artifacts}
    policy = ({"condition": condition} if condition else {}) | ({"strategy": strategy} if strategy else {})
    return spec | ({"triggerPolicy": policy} if policy else {})


def exit_task(component: str, after: str, **inputs: Any) -> Json:
    return task(component, after=(after,), strategy="ALL_UPSTREAM_TASKS_COMPLETED", **inputs)


def loop(component: str, items: Any, /, *, item: str = "item", limit: int = 0, **inputs: Any) -> Json:
    """A loop over a list, or over the input whose name is given."""
    source = {"inputParameter": items} if isinstance(items, str) else {"raw": _json(items)}
    policy = {"iteratorPolicy": {"parallelismLimit": limit}} if limit else {}
    return task(component, **inputs) | {"parameterIterator": {"itemInput": item, "items": source}} | policy


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


def cached(spec: Json, key: str = "") -> Json:
    return spec | {"cachingOptions": {"enableCache": True} | ({"cacheKey": key} if key else {})}


def retried(spec: Json, count: int, duration: str = "0s", factor: float = 2.0, limit: str = "3600s") -> Json:
    policy = {"maxRetryCount": count, "backoffDuration": duration, "backoffFactor": factor, "backoffMaxDuration": limit}
    return spec | {"retryPolicy": policy}


def _parameters(types: dict[str, Any]) -> Json:
    return {name: {"parameterType": type} if isinstance(type, str) else type for name, type in types.items()}


def _artifacts(names: tuple[str, ...], lists: tuple[str, ...] = ()) -> Json:
    schema = {"artifactType": {"schemaTitle": "system.Dataset", "schemaVersion": "0.0.1"}}
    return {name: dict(schema) for name in names} | {name: schema | {"isArtifactList": True} for name in lists}


def container(
    *,
    inputs: dict[str, Any] | None = None,
    outputs: dict[str, str] | None = None,
    reads: tuple[str, ...] = (),
    reads_lists: tuple[str, ...] = (),
    writes: tuple[str, ...] = (),
    executor: Json | None = None,
) -> Json:
    """A component that runs a container, or has another executor."""
    return {
        "inputDefinitions": {"parameters": _parameters(inputs or {}), "artifacts": _artifacts(reads, reads_lists)},
        "outputDefinitions": {"parameters": _parameters(outputs or {}), "artifacts": _artifacts(writes)},
        "executor": executor or {"container": {"image": "python:3.11", "command": ["true"]}},
    }


def dag(
    tasks: dict[str, Json],
    *,
    inputs: dict[str, Any] | None = None,
    reads: tuple[str, ...] = (),
    outputs: dict[str, Any] | None = None,
    artifacts: dict[str, Any] | None = None,
) -> Json:
    """A component that is a DAG. Outputs are `(task, key)`, or a list of these for a oneof."""
    parameters = {
        name: {"valueFromOneof": {"parameterSelectors": [_selector("Parameter", *one) for one in source]}}
        if isinstance(source, list)
        else {"valueFromParameter": _selector("Parameter", *source)}
        for name, source in (outputs or {}).items()
    }
    selected = {
        name: {"artifactSelectors": [_selector("Artifact", *one) for one in source]}
        for name, source in (artifacts or {}).items()
    }
    return {
        "inputDefinitions": {"parameters": _parameters(inputs or {}), "artifacts": _artifacts(reads)},
        "outputDefinitions": {
            "parameters": _parameters(dict.fromkeys(parameters, "STRING")),
            "artifacts": _artifacts(tuple(selected)),
        },
        "dag": {"tasks": tasks, "outputs": {"parameters": parameters, "artifacts": selected}},
    }


def _selector(kind: str, task: str, key: str) -> Json:
    return {"producerSubtask": task, f"output{kind}Key": key}


def pipeline(root: Json, name: str = "example", /, **components: Any) -> Json:
    """A specification. The names of components have no `comp-`, and `_` stands for `-`."""
    executors: Json = {}
    built: Json = {}
    for key, component in components.items():
        label = key.replace("_", "-")
        copy = dict(component)
        if "executor" in copy:
            executors[f"exec-{label}"] = copy.pop("executor")
            copy["executorLabel"] = f"exec-{label}"
        built[f"comp-{label}"] = copy
    return {
        "pipelineInfo": {"name": name},
        "schemaVersion": "2.1.0",
        "sdkVersion": "kfp-2.17.0",
        "root": root,
        "components": built,
        "deploymentSpec": {"executors": executors},
    }


TEXT = container(inputs={"msg": "STRING"}, outputs={"Output": "STRING"})
NUMBER = container(inputs={"n": "NUMBER_INTEGER"}, outputs={"Output": "NUMBER_INTEGER"})
PLAIN = container()
