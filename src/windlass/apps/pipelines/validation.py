"""Why a Workflow, a template of it or a schedule is refused: every message names its field."""

import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from windlass.apps.pipelines import depends
from windlass.apps.pipelines.artifact_stores import STORES, artifact_problems, incomplete_problems
from windlass.apps.pipelines.field_names import MAX_PROBLEMS, unknown_fields
from windlass.apps.pipelines.names import IR_LABEL
from windlass.apps.pipelines.workflow_schema import CRON_SPEC, TEMPLATE, WORKFLOW_SPEC
from windlass.kube.cron import schedule_problem
from windlass.kube.json import Object, dig, dig_list, dig_object, encode, is_list, is_object
from windlass.kube.names import label_key_errors, label_value_errors
from windlass.kube.selector import from_object

TEMPLATE_TYPES = ("container", "script", "dag", "steps", "resource", "suspend", "http", "containerSet", "data")
LOOPS = ("withItems", "withParam", "withSequence")
MAX_TEMPLATES = 1000
DURATION = re.compile(r"(\d+(\.\d+)?(ms|s|m|h))+")
AMOUNT = re.compile(r"\d{1,9}|(100|\d{1,2})%")
FLAGS = ("--wait=false", "--wait=true", "--ignore-not-found", "--ignore-not-found=true")
SELECTOR_FLAGS = ("-l", "--selector")
"""Flags of kubectl that a resource template may have."""


def workflow_problems(workflow: Object) -> list[str]:
    """Problems of a Workflow; one that stands for a run of IR has no templates."""
    if dig(workflow, "metadata", "labels", IR_LABEL) == "true":
        return []
    return spec_problems(workflow.get("spec") or {}, "spec")


def template_problems(template: Object) -> list[str]:
    """Problems of a WorkflowTemplate, which needs no entrypoint."""
    return spec_problems(template.get("spec") or {}, "spec", is_template=True)


def cron_problems(cron: Object) -> list[str]:
    """Problems of a CronWorkflow."""
    spec = dig_object(cron, "spec")
    found = list(unknown_fields(spec, CRON_SPEC, "spec"))
    if not found:
        found = [*_schedules(spec), *spec_problems(dig_object(spec, "workflowSpec"), "spec.workflowSpec")]
    return found[:MAX_PROBLEMS]


def spec_problems(spec: Any, path: str, *, is_template: bool = False) -> list[str]:
    """Problems of the spec of a Workflow or WorkflowTemplate."""
    found = list(unknown_fields(spec, WORKFLOW_SPEC, path))
    if found:
        return found[:MAX_PROBLEMS]
    templates = [template for template in dig_list(spec, "templates") if is_object(template)]
    if len(templates) > MAX_TEMPLATES:
        return [f"{path}.templates: Too many: {len(templates)}: must have at most {MAX_TEMPLATES} items"]
    is_reference = bool(spec.get("workflowTemplateRef"))
    names = [str(template.get("name") or "") for template in templates]
    known = None if is_reference else frozenset(names)
    found = [*_entry(spec, path, known, is_template=is_template), *_names(names, f"{path}.templates")]
    for index, claim in enumerate(dig_list(spec, "volumeClaimTemplates")):
        if not isinstance(dig(claim, "metadata", "name"), str):
            found.append(f"{path}.volumeClaimTemplates[{index}].metadata.name: Required value")
    found += _metadata(dig_object(spec, "workflowMetadata"), f"{path}.workflowMetadata")
    found += _selector(dig_object(spec, "podGC", "labelSelector"), f"{path}.podGC.labelSelector")
    found += _budget(dig_object(spec, "podDisruptionBudget"), f"{path}.podDisruptionBudget")
    found += _choices(dig_list(spec, "arguments", "parameters"), f"{path}.arguments.parameters")
    found += _places(dig_list(spec, "arguments", "artifacts"), f"{path}.arguments.artifacts")
    for index, template in enumerate(templates):
        found += _template(template, f"{path}.templates[{index}]", known, dig_object(spec, "templateDefaults"))
    if not (is_template or is_reference or spec.get("artifactRepositoryRef")):
        found += _incomplete_places(spec, templates, path)
    return found[:MAX_PROBLEMS]


def _metadata(metadata: Object, path: str) -> Iterator[str]:
    """Problems of labels and annotations that the Workflow gets when it starts."""
    for group in ("labels", "annotations"):
        for name in dig_object(metadata, group):
            yield from (f"{path}.{group}: Invalid value: {name!r}: {why}" for why in label_key_errors(name))
    for name, value in dig_object(metadata, "labels").items():
        problems = label_value_errors(value) if isinstance(value, str) else ["must be a string"]
        yield from (f"{path}.labels[{name}]: Invalid value: {value!r}: {why}" for why in problems)


def _selector(selector: Object, path: str) -> Iterator[str]:
    try:
        from_object(selector)
    except ValueError as error:
        yield f"{path}: Invalid value: {error}"


def _budget(budget: Object, path: str) -> Iterator[str]:
    """Problems for which the server would refuse the PodDisruptionBudget."""
    yield from _selector(dig_object(budget, "selector"), f"{path}.selector")
    if "minAvailable" in budget and "maxUnavailable" in budget:
        yield f"{path}.maxUnavailable: Forbidden: minAvailable and maxUnavailable must not both be set"
    for name in ("minAvailable", "maxUnavailable"):
        if name in budget and not AMOUNT.fullmatch(str(budget[name])):
            yield f"{path}.{name}: Invalid value: {budget[name]!r}: must be a number or a percentage"


def _choices(parameters: list[Any], path: str) -> Iterator[str]:
    """Arguments whose value is none of those that their `enum` lists."""
    for index, parameter in enumerate(parameters):
        allowed, value = [_text(choice) for choice in dig_list(parameter, "enum")], dig(parameter, "value")
        if dig(parameter, "enum") is not None and not allowed:
            yield f"{path}[{index}].enum: Invalid value: must have at least 1 item"
        elif allowed and value is not None and _text(value) not in allowed:
            supported = ", ".join(f'"{choice}"' for choice in allowed)
            yield f"{path}[{index}].value: Unsupported value: {_text(value)!r}: supported values: {supported}"


def _text(value: Any) -> str:
    """A parameter as Argo writes it."""
    return value if isinstance(value, str) else encode(value).decode()


def _incomplete_places(spec: Object, templates: list[Object], path: str) -> Iterator[str]:
    """What artifacts lack that a repository would add; the Workflow has none."""
    groups = [(dig_list(spec, "arguments", "artifacts"), f"{path}.arguments.artifacts")]
    for index, template in enumerate(templates):
        for side in ("inputs", "outputs"):
            groups.append((dig_list(template, side, "artifacts"), f"{path}.templates[{index}].{side}.artifacts"))
    for artifacts, where in groups:
        for index, artifact in enumerate(artifacts):
            yield from incomplete_problems(artifact, f"{where}[{index}]")


def _schedules(spec: Object) -> Iterator[str]:
    schedules = dig_list(spec, "schedules") or ([spec["schedule"]] if spec.get("schedule") else [])
    if not schedules:
        yield "spec.schedules: Required value"
    for schedule in schedules:
        if problem := schedule_problem(str(schedule)):
            yield f"spec.schedules: Invalid value: {schedule!r}: {problem}"
    zone = str(spec.get("timezone") or "UTC")
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        yield f"spec.timezone: Invalid value: {zone!r}: unknown time zone"


def _entry(spec: Object, path: str, known: frozenset[str] | None, *, is_template: bool) -> Iterator[str]:
    for field in ("entrypoint", "onExit"):
        name = spec.get(field)
        if _is_missing(name, known):
            yield f"{path}.{field}: Not found: {name!r}: there is no template of that name"
    for name, hook in dig_object(spec, "hooks").items():
        where, called = f"{path}.hooks[{name}]", dig(hook, "template")
        if name != "exit" and not dig(hook, "expression"):
            yield f"{where}.expression: Required value"
        if _is_missing(called, known):
            yield f"{where}.template: Not found: {called!r}: there is no template of that name"
    if known is None:
        if not dig(spec, "workflowTemplateRef", "name"):
            yield f"{path}.workflowTemplateRef.name: Required value"
        return
    if not spec.get("templates") and not is_template:
        yield f"{path}.templates: Required value"
    elif not spec.get("entrypoint") and not is_template:
        yield f"{path}.entrypoint: Required value"


def _names(names: Sequence[str], path: str) -> Iterator[str]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if not name:
            yield f"{path}[{index}].name: Required value"
        elif name in seen:
            yield f"{path}[{index}].name: Duplicate value: {name!r}"
        seen.add(name)


def _template(template: Object, path: str, known: frozenset[str] | None, defaults: Object) -> Iterator[str]:
    types = [name for name in TEMPLATE_TYPES if template.get(name) is not None]
    if len(types) == 1:
        yield from _type(template, types[0], path, known, defaults)
    else:
        given = f" and not {' and '.join(types)}" if types else ""
        yield f"{path}: Invalid value: a template is exactly one of {', '.join(TEMPLATE_TYPES)}{given}"
    if template.get("daemon") and types not in (["container"], ["script"], ["containerSet"]):
        yield f"{path}.daemon: Forbidden: only a pod can be a daemon"
    if template.get("memoize") is not None and not dig(template, "memoize", "cache", "configMap", "name"):
        yield f"{path}.memoize.cache.configMap.name: Required value"
    for side in ("inputs", "outputs"):
        for group in ("parameters", "artifacts"):
            names = [str(dig(item, "name") or "") for item in dig_list(template, side, group)]
            yield from _names(names, f"{path}.{side}.{group}")
        artifacts = dig_list(template, side, "artifacts")
        yield from _places(artifacts, f"{path}.{side}.artifacts", is_output=side == "outputs")
    for index, artifact in enumerate(dig_list(template, "outputs", "artifacts")):
        if not any(dig(artifact, name) for name in ("path", "from", "fromExpression")):
            yield f"{path}.outputs.artifacts[{index}].path: Required value"


def _type(template: Object, type: str, path: str, known: frozenset[str] | None, defaults: Object) -> Iterator[str]:
    """Problems of what is special to the type of a template."""
    where, value = f"{path}.{type}", dig_object(template, type)
    match type:
        case "container" | "script":
            if not (value.get("image") or dig(defaults, type, "image")):
                yield f"{where}.image: Required value"
        case "data":
            yield from _data(value, where)
        case "http":
            yield from _body(value, where)
        case "containerSet":
            yield from _set_retries(dig_object(value, "retryStrategy"), where)
            yield from _container_set(dig_list(value, "containers"), f"{where}.containers")
        case "resource":
            yield from _resource(value, where)
        case "dag":
            yield from _dag(dig_list(value, "tasks"), f"{where}.tasks", known)
            yield from _targets(value, where)
        case "steps":
            yield from _steps(dig_list(template, "steps"), where, known)
        case _:
            return


def _places(artifacts: list[Any], path: str, *, is_output: bool = False) -> Iterator[str]:
    """Problems of where artifacts are."""
    for index, artifact in enumerate(artifacts):
        yield from artifact_problems(artifact, f"{path}[{index}]", is_output=is_output)


def _data(data: Object, path: str) -> Iterator[str]:
    where, source = f"{path}.source.artifactPaths", dig_object(data, "source", "artifactPaths")
    if not any(source.get(store) for store in STORES):
        yield f"{where}: Required value: one of {', '.join(STORES)}"
    yield from artifact_problems(source, where)
    if not dig_list(data, "transformation"):
        yield f"{path}.transformation: Required value"


def _body(http: Object, path: str) -> Iterator[str]:
    if http.get("body") and http.get("bodyFrom") is not None:
        yield f"{path}.bodyFrom: Forbidden: a request has either body or bodyFrom"
    text = str(dig(http, "bodyFrom", "bytes") or "")
    try:
        b64decode(text if "{{" not in text else "", validate=True)
    except ValueError:
        yield f"{path}.bodyFrom.bytes: Invalid value: it is not base64"


def _set_retries(strategy: Object, path: str) -> Iterator[str]:
    retries, duration = strategy.get("retries", 0), str(strategy.get("duration") or "")
    if not str(retries).isdecimal() and "{{" not in str(retries):
        yield f"{path}.retryStrategy.retries: Invalid value: {retries!r}: must be a number"
    if duration and not DURATION.fullmatch(duration) and "{{" not in duration:
        yield f"{path}.retryStrategy.duration: Invalid value: {duration!r}: must be a duration, such as 10s"


def _container_set(containers: list[Any], path: str) -> Iterator[str]:
    names = [str(dig(container, "name") or "") for container in containers]
    if not names:
        yield f"{path}: Required value"
    yield from _names(names, path)
    needs = {
        name: {str(need) for need in dig_list(container, "dependencies")}
        for name, container in zip(names, containers, strict=True)
    }
    for index, name in enumerate(names):
        if not dig(containers[index], "image"):
            yield f"{path}[{index}].image: Required value"
        for need in sorted(needs[name] - set(names)):
            yield f"{path}[{index}].dependencies: Not found: {need!r}: there is no container of that name"
    if cycle := _cycle(needs):
        yield f"{path}: Invalid value: these containers wait for each other: {', '.join(cycle)}"


def _resource(resource: Object, path: str) -> Iterator[str]:
    """Flags are those of kubectl; words without a dash name the object to read, delete or patch."""
    action, has_manifest = resource.get("action"), bool(resource.get("manifest"))
    words = [str(flag) for flag in dig_list(resource, "flags")]
    takes_names = action == "patch" or (action in ("get", "delete") and not has_manifest)
    names = [word for word in words if not word.startswith("-")] if takes_names else []
    if not has_manifest and (action == "patch" or not names):
        yield f"{path}.manifest: Required value"
    for index, word in enumerate(words):
        is_selector = action == "delete" and bool(names) and word.partition("=")[0] in SELECTOR_FLAGS
        if word not in FLAGS and word not in names and not is_selector:
            yield f"{path}.flags[{index}]: Unsupported value: {word!r}: supported values: {', '.join(FLAGS)}"


def _steps(groups: list[Any], path: str, known: frozenset[str] | None) -> Iterator[str]:
    seen: set[str] = set()
    for index, group in enumerate(groups):
        for place, step in enumerate(group if is_list(group) else []):
            where = f"{path}[{index}][{place}]"
            name = str(dig(step, "name") or "")
            if name in seen:
                yield f"{where}.name: Duplicate value: {name!r}"
            seen.add(name)
            yield from _call(step, where, known)


def _dag(tasks: list[Any], path: str, known: frozenset[str] | None) -> Iterator[str]:
    names = [str(dig(task, "name") or "") for task in tasks]
    yield from _names(names, path)
    needs: dict[str, set[str]] = {}
    for index, task in enumerate(tasks):
        where = f"{path}[{index}]"
        yield from _call(task, where, known)
        try:
            needs[names[index]] = set(needed_tasks(task))
        except depends.BadDepends as bad:
            yield f"{where}.depends: Invalid value: {dig(task, 'depends')!r}: {bad}"
            continue
        if dig(task, "depends") and dig(task, "dependencies"):
            yield f"{where}.depends: Forbidden: a task has either depends or dependencies"
        for name in sorted(needs[names[index]] - set(names)):
            yield f"{where}: Not found: {name!r}: there is no task of that name"
    if cycle := _cycle(needs):
        yield f"{path}: Invalid value: these tasks wait for each other: {', '.join(cycle)}"


def _targets(dag: Object, path: str) -> Iterator[str]:
    target, names = str(dag.get("target") or ""), {dig(task, "name") for task in dig_list(dag, "tasks")}
    if "{{" not in target:
        for name in sorted(set(target.split()) - names):
            yield f"{path}.target: Not found: {name!r}: there is no task of that name"


def needed_tasks(task: Object) -> Iterator[str]:
    """Names of the tasks that a task waits for. Raises BadDepends."""
    expression = task.get("depends")
    yield from depends.tasks_of(depends.parse(str(expression))) if expression else dig_list(task, "dependencies")


def _cycle(needs: dict[str, set[str]]) -> list[str]:
    """Tasks that can never start because they wait for each other."""
    waiting = {name: {need for need in tasks if need in needs} for name, tasks in needs.items()}
    while ready := [name for name, tasks in waiting.items() if not tasks]:
        for name in ready:
            del waiting[name]
        for tasks in waiting.values():
            tasks.difference_update(ready)
    return sorted(waiting)


def _is_missing(template: Any, known: frozenset[str] | None) -> bool:
    """Whether there is no template of the name; that of a tag is known only when it runs."""
    return bool(template) and known is not None and template not in known and "{{" not in str(template)


def _call(task: Any, path: str, known: frozenset[str] | None) -> Iterator[str]:
    template, reference, inline = dig(task, "template"), dig(task, "templateRef"), dig_object(task, "inline")
    if [bool(template), bool(reference), bool(inline)].count(True) != 1:
        yield f"{path}.template: Required value: one of template, templateRef and inline"
    elif inline:
        unknown = list(unknown_fields(inline, TEMPLATE, f"{path}.inline"))
        yield from unknown or _template(inline, f"{path}.inline", known, {})
    elif _is_missing(template, known):
        yield f"{path}.template: Not found: {template!r}: there is no template of that name"
    elif reference and not (dig(reference, "name") and dig(reference, "template")):
        yield f"{path}.templateRef: Required value: name and template"
    yield from _places(dig_list(task, "arguments", "artifacts"), f"{path}.arguments.artifacts")
    loops = [loop for loop in LOOPS if dig(task, loop) is not None]
    if len(loops) > 1:
        yield f"{path}.{loops[1]}: Forbidden: a task has one of {', '.join(LOOPS)}"
    for name, hook in dig_object(task, "hooks").items():
        hooked = dig(hook, "template")
        if _is_missing(hooked, known):
            yield f"{path}.hooks[{name}].template: Not found: {hooked!r}: there is no template of that name"
