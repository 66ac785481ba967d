"""Finds templates: those of the Workflow itself, and those of WorkflowTemplates that it refers to."""

from collections.abc import Mapping
from dataclasses import dataclass

from windlass.apps.pipelines.argo.config_maps import Awaited
from windlass.kube.json import Object, dig, dig_list, dig_object, is_list, is_object
from windlass.kube.patch import merge_patch


class NoTemplate(ValueError):
    """The template does not exist; the message names it."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where templates are looked up by name: a WorkflowTemplate, or the Workflow itself with an empty name."""

    name: str = ""
    is_cluster: bool = False


class AwaitedTemplate(Awaited):
    """A WorkflowTemplate, named by a tag, that has to be read."""

    def __init__(self, name: str, is_cluster: bool) -> None:
        super().__init__(name)
        self.key = name, is_cluster


LOCAL = Home()
STORED_TEMPLATES = "storedWorkflowTemplateSpecs"


class Templates:
    """The templates of one Workflow."""

    def __init__(self, spec: Object, others: Mapping[tuple[str, bool], Object | None]) -> None:
        """`others` are None for a WorkflowTemplate that does not exist."""
        self._spec, self._others = spec, others
        self.wanted: set[tuple[str, bool]] = set()
        """WorkflowTemplates that have to be read."""

    @property
    def specs(self) -> list[Object]:
        """Specs of the WorkflowTemplates that the Workflow refers to."""
        return [spec for spec in self._others.values() if spec is not None]

    def find(self, call: Object, home: Home) -> tuple[Home, Object]:
        """The template that a task or step calls, and where its own calls are looked up. Raises NoTemplate and Awaited.

        The Workflow's `retryStrategy` is that of every template without one.
        """
        home, found = self._called(call, home)
        strategy = dig_object(self._spec, "retryStrategy")
        return home, {"retryStrategy": strategy, **found} if strategy else found

    def _called(self, call: Object, home: Home) -> tuple[Home, Object]:
        inline = dig_object(call, "inline")
        if inline:
            return home, self._with_defaults(inline)
        reference = dig_object(call, "templateRef")
        if reference:
            home = Home(str(reference.get("name")), bool(reference.get("clusterScope")))
            return home, self._named(str(reference.get("template")), home)
        return home, self._named(str(call.get("template")), home)

    def _named(self, name: str, home: Home) -> Object:
        spec = self._spec if home == LOCAL else self._other(home)
        for template in dig_list(spec, "templates"):
            if dig(template, "name") == name:
                return self._with_defaults(template)
        where = f" of the WorkflowTemplate {home.name}" if home.name else ""
        raise NoTemplate(f"the template {name!r}{where} does not exist")

    def _with_defaults(self, template: Object) -> Object:
        defaults = dig_object(self._spec, "templateDefaults")
        return {**merge_patch.apply(_fitting(defaults, template), template)} if defaults else template

    def _other(self, home: Home) -> Object:
        key = (home.name, home.is_cluster)
        if key not in self._others:
            self.wanted.add(key)
            raise AwaitedTemplate(*key)
        found = self._others[key]
        if found is None:
            kind = "ClusterWorkflowTemplate" if home.is_cluster else "WorkflowTemplate"
            raise NoTemplate(f"the {kind} {home.name!r} does not exist")
        return found


TYPES = ("container", "script", "dag", "steps", "resource", "suspend", "http", "containerSet", "data")


def template_type(template: Object) -> str:
    """Which of its types a template is. Raises NoTemplate."""
    found = next((name for name in TYPES if template.get(name) is not None), "")
    if not found:
        raise NoTemplate(f"the template {template.get('name')!r} is none of {', '.join(TYPES)}")
    return found


def _fitting(defaults: Object, template: Object) -> Object:
    """Defaults without what belongs to another type of template."""
    own = template_type(template)
    return {name: value for name, value in defaults.items() if name == own or name not in TYPES}


def resolved_spec(spec: Object, others: Mapping[tuple[str, bool], Object | None]) -> Object:
    """The spec of a Workflow, merged with that of its `workflowTemplateRef`. Raises NoTemplate."""
    reference = dig_object(spec, "workflowTemplateRef")
    if not reference:
        return spec
    name, is_cluster = str(reference.get("name")), bool(reference.get("clusterScope"))
    base = others.get((name, is_cluster))
    if base is None:
        kind = "ClusterWorkflowTemplate" if is_cluster else "WorkflowTemplate"
        raise NoTemplate(f"the {kind} {name!r} does not exist")
    own = {field: value for field, value in spec.items() if field != "workflowTemplateRef"}
    merged: Object = {**base, **own}
    for group in ("parameters", "artifacts"):
        values = {dig(item, "name"): item for item in dig_list(base, "arguments", group)}
        values |= {dig(item, "name"): item for item in dig_list(spec, "arguments", group)}
        if values:
            merged["arguments"] = {**dig_object(merged, "arguments"), group: list(values.values())}
    return merged


def with_stored(templates: Mapping[tuple[str, bool], Object | None]) -> Object:
    """Specs of other objects as the status keeps them."""
    return {
        f"{'cluster' if is_cluster else 'namespaced'}/{name}": spec
        for (name, is_cluster), spec in templates.items()
        if spec is not None
    }


def stored_templates(status: Object) -> dict[tuple[str, bool], Object]:
    """Specs of other objects that the status keeps."""
    found: dict[tuple[str, bool], Object] = {}
    for key, spec in dig_object(status, STORED_TEMPLATES).items():
        scope, _, name = key.partition("/")
        found[name, scope == "cluster"] = spec
    return found


def calls_of(template: Object) -> list[Object]:
    """The tasks or steps of a template."""
    steps = [step for group in dig_list(template, "steps") if is_list(group) for step in group]
    return [call for call in (*dig_list(template, "dag", "tasks"), *steps) if is_object(call)]


def referenced(spec: Object) -> set[tuple[str, bool]]:
    """Names of the WorkflowTemplates that a spec refers to directly, and whether they are of the cluster."""
    found: set[tuple[str, bool]] = set()
    top = dig_object(spec, "workflowTemplateRef")
    if top:
        found.add((str(top.get("name")), bool(top.get("clusterScope"))))
    for template in dig_list(spec, "templates"):
        for call in calls_of(template):
            reference = dig(call, "templateRef")
            if is_object(reference):
                found.add((str(reference.get("name")), bool(reference.get("clusterScope"))))
    return found
