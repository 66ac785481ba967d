"""Builders of Workflows."""

from typing import Any

from windlass.kube.json import Object


def a_workflow(*templates: Object, name: str = "w", entrypoint: str = "", **spec: Any) -> Object:
    """A Workflow whose first template is its entrypoint."""
    given = list(templates) or [a_container("main")]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"entrypoint": entrypoint or given[0]["name"], "templates": given, **spec},
    }


def a_container(name: str, *command: str, image: str = "python:3.11", **fields: Any) -> Object:
    """A template that runs a container."""
    container: Object = {"image": image, "command": list(command) or ["true"]}
    return {"name": name, "container": container, **fields}


def a_dag(name: str, *tasks: Object, **fields: Any) -> Object:
    return {"name": name, "dag": {"tasks": list(tasks)}, **fields}


def a_task(name: str, template: str = "", **fields: Any) -> Object:
    """A task; its template has its name where none is given."""
    called = {} if "templateRef" in fields else {"template": template or name}
    return {"name": name, **called, **fields}


def steps(name: str, *groups: list[Object], **fields: Any) -> Object:
    return {"name": name, "steps": list(groups), **fields}


def arguments(**parameters: Any) -> Object:
    return {"parameters": [{"name": name, "value": value} for name, value in parameters.items()]}


def inputs(*names: str) -> Object:
    return {"parameters": [{"name": name} for name in names]}
