"""CustomResourceDefinitions: declare a kind, use it like a built-in one, change its versions, and take it away."""

import json
from collections.abc import Iterator

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl

PLANETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: planets.space.example.com}
spec:
  group: space.example.com
  scope: Namespaced
  names: {plural: planets, singular: planet, kind: Planet, shortNames: [pln], categories: [all, sky]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.moons, statusReplicasPath: .status.moons, labelSelectorPath: .status.selector}
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Moons, type: integer, jsonPath: .spec.moons}
    - {name: Size, type: string, jsonPath: .spec.size, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A planet goes round a sun.
        required: [spec]
        properties:
          spec:
            type: object
            description: What it is like.
            required: [color]
            x-kubernetes-validations:
            - {rule: "!has(self.rings) || self.moons >= self.rings", message: a ring needs a moon}
            properties:
              color: {type: string, enum: [red, green, blue], description: As seen from far away.}
              size: {type: string, default: medium, pattern: "^[a-z]+$"}
              moons: {type: integer, minimum: 0, maximum: 100, default: 1}
              rings: {type: integer}
              orbit: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: orbit is immutable}]}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              names: {type: array, items: {type: string}, x-kubernetes-list-type: set}
          status:
            type: object
            properties: {moons: {type: integer}, selector: {type: string}, phase: {type: string}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: space.example.com/v1beta1 Planet is deprecated; use v1
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""


def planet(name: str = "mars", color: str = "red", **spec: object) -> str:
    return json.dumps(
        {
            "apiVersion": "space.example.com/v1",
            "kind": "Planet",
            "metadata": {"name": name},
            "spec": {"color": color, **spec},
        }
    )


DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture
def space(kubectl: Shell) -> Iterator[Shell]:
    """kubectl on a server that knows planets."""
    server = kubectl.server
    server.request("POST", DEFINITIONS, PLANETS.encode(), content_type="application/yaml")
    planets = f"/apis/space.example.com/v1/namespaces/{kubectl.namespace}/planets"
    eventually(lambda: server.request("GET", planets).status == 200, 60, "planets are served")
    yield kubectl
    server.request("DELETE", f"{DEFINITIONS}/planets.space.example.com")
    eventually(lambda: server.request("GET", f"{DEFINITIONS}/planets.space.example.com").status == 404, 60)


def test_a_definition_is_applied_and_awaited(kubectl: Shell) -> None:
    created = kubectl("apply -f -", PLANETS)
    waited = kubectl("wait --for=condition=Established crd/planets.space.example.com --timeout=60s")
    listed = kubectl.rows("get crd planets.space.example.com")
    gone = kubectl("delete crd planets.space.example.com")

    named = "customresourcedefinition.apiextensions.k8s.io/planets.space.example.com"
    assert (created, waited) == (f"{named} created", f"{named} condition met")
    assert listed[0] == ["NAME", "CREATED", "AT"]
    assert gone == 'customresourcedefinition.apiextensions.k8s.io "planets.space.example.com" deleted'


def test_a_new_kind_is_found_under_all_its_names(space: Shell) -> None:
    space("apply -f -", planet())

    [row] = [row.split() for row in space("api-resources --api-group=space.example.com --no-headers").splitlines()]
    assert row == ["planets", "pln", "space.example.com/v1", "true", "Planet"]
    for word in ("planets", "planet", "pln", "sky", "planets.space.example.com", "planets.v1.space.example.com"):
        assert "mars" in space(f"get {word}")
    assert "planet.space.example.com/mars" in space("get all -o name")


def test_columns_defaults_and_free_fields(space: Shell) -> None:
    space("apply -f -", planet(free={"any": {"thing": 1}}))

    assert space.rows("get planets")[0] == ["NAME", "COLOR", "MOONS", "AGE"]
    assert space.rows("get planets")[1][:3] == ["mars", "red", "1"]
    assert space.rows("get planets -o wide")[0] == ["NAME", "COLOR", "MOONS", "SIZE", "AGE"]
    spec = space.json("get planet mars")["spec"]
    assert spec == {"color": "red", "size": "medium", "moons": 1, "free": {"any": {"thing": 1}}}


def test_unknown_fields_are_refused_warned_of_or_dropped(space: Shell) -> None:
    odd = planet(speed=5)

    refused = space.fails("create -f -", odd)
    warned = space.warns("create --validate=warn -f -", odd)
    space("delete planet mars")
    ignored = space.warns("create --validate=false -f -", odd)

    assert 'strict decoding error: unknown field "spec.speed"' in refused
    assert warned == 'Warning: unknown field "spec.speed"'
    assert ignored == ""
    assert "speed" not in space.json("get planet mars")["spec"]


@pytest.mark.parametrize(
    ("spec", "complaints"),
    [
        ({"color": "pink"}, ['spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"']),
        (
            {"moons": 101, "size": "X1", "names": ["a", "a"]},
            [
                "* spec.moons: Invalid value: 101: spec.moons in body should be less than or equal to 100",
                "* spec.size: Invalid value: \"X1\": spec.size in body should match '^[a-z]+$'",
                '* spec.names[1]: Duplicate value: "a"',
            ],
        ),
        ({"moons": "many"}, ['spec.moons in body must be of type integer: "string"']),
        ({"moons": 1, "rings": 2}, ["a ring needs a moon"]),
    ],
)
def test_what_the_schema_forbids_is_told_field_by_field(
    space: Shell, spec: dict[str, object], complaints: list[str]
) -> None:
    said = space.fails("create -f -", planet(**{"color": "red", **spec}))  # type: ignore[arg-type] - JSON

    assert 'The Planet "mars" is invalid:' in said
    assert [complaint for complaint in complaints if complaint not in said] == []


def test_a_rule_may_compare_with_what_was(space: Shell) -> None:
    space("create -f -", planet(orbit="near"))

    said = space.fails("""patch planet mars --type=merge -p '{"spec":{"orbit":"far"}}'""")

    assert said == 'The Planet "mars" is invalid: spec.orbit: Invalid value: "far": orbit is immutable'


def test_apply_merges_again_and_again(space: Shell) -> None:
    first = space("apply -f -", planet(names=["mars"]))
    same = space("apply -f -", planet(names=["mars"]))
    changed = space("apply -f -", planet("mars", "blue"))

    assert [line.rsplit(" ", 1)[1] for line in (first, same, changed)] == ["created", "unchanged", "configured"]
    assert space("get planet mars -o jsonpath='{.spec.color}{.spec.names}'") == "blue"


def test_strategic_merge_is_for_built_in_kinds(space: Shell) -> None:
    space("create -f -", planet())

    said = space.fails("""patch planet mars -p '{"spec":{"color":"blue"}}'""")

    assert "application/strategic-merge-patch+json is not supported by space.example.com/v1, Kind=Planet" in said


def test_status_and_scale_are_apart(space: Shell) -> None:
    space("create -f -", planet())

    space("scale planet mars --replicas=3")
    space("""patch planet mars --subresource=status --type=merge -p '{"status":{"moons":2},"spec":{"color":"blue"}}'""")

    found = space.json("get planet mars")
    assert (found["spec"]["moons"], found["spec"]["color"], found["status"]) == (3, "red", {"moons": 2})
    assert found["metadata"]["generation"] == 2
    scale = space.json("get planet mars --subresource=scale")
    assert (scale["spec"], scale["status"]["replicas"]) == ({"replicas": 3}, 2)


def test_selectable_fields_select(space: Shell) -> None:
    space("create -f -", planet("mars", "red"))
    space("create -f -", planet("earth", "blue"))

    assert space("get planets --field-selector spec.color=blue -o name") == "planet.space.example.com/earth"
    assert "field label not supported: spec.size" in space.fails("get planets --field-selector spec.size=medium")


def test_an_old_version_shows_the_same_object_and_warns(space: Shell) -> None:
    space("create -f -", planet())

    done = space.run("get planets.v1beta1.space.example.com mars -o json")

    assert done.stderr.strip() == "Warning: space.example.com/v1beta1 Planet is deprecated; use v1"
    found = json.loads(done.stdout)
    assert (found["apiVersion"], found["spec"]["color"]) == ("space.example.com/v1beta1", "red")


def test_a_version_can_take_over_storage(space: Shell) -> None:
    space("create -f -", planet())

    space(
        "patch crd planets.space.example.com --type=json -p "
        """'[{"op":"replace","path":"/spec/versions/0/storage","value":false},"""
        """{"op":"replace","path":"/spec/versions/1/storage","value":true}]'"""
    )

    assert space("get crd planets.space.example.com -o jsonpath='{.status.storedVersions}'") == '["v1","v1beta1"]'
    assert space("get planet mars -o jsonpath='{.spec.color}'") == "red"


def test_explain_knows_the_kind(space: Shell) -> None:
    whole, field = space("explain planet.spec"), space("explain planets.spec.color")

    assert "KIND:       Planet" in whole
    assert "What it is like." in whole
    assert "color\t<string> -required-" in whole
    assert "As seen from far away." in field
    assert "moons\t<integer>" in space("explain pln --recursive")


def test_a_schema_that_became_stricter_leaves_old_objects_alone(space: Shell) -> None:
    space("create -f -", planet("mars", "green"))
    space(
        "patch crd planets.space.example.com --type=json -p "
        """'[{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color/enum","""
        """"value":["red","blue"]}]'"""
    )

    eventually(lambda: space.run("create --dry-run=server -f -", planet("venus", "green")).returncode, 60)
    space("label planet mars seen=yes")

    assert "Unsupported value" in space.fails("create -f -", planet("venus", "green"))


def test_a_definition_waits_for_its_objects(space: Shell) -> None:
    space("create -f -", planet())
    space("create -f -", planet("held"))
    space("""patch planet held --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'""")

    space("delete crd planets.space.example.com --wait=false")
    eventually(lambda: space("get planets -o name") == "planet.space.example.com/held", 60, "mars is gone")
    terminating = space.json("get crd planets.space.example.com")
    refused = space.fails("create -f -", planet("late"))
    space("""patch planet held --type=merge -p '{"metadata":{"finalizers":null}}'""")
    space("wait --for=delete crd/planets.space.example.com --timeout=60s")

    assert terminating["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    assert "Terminating" in [condition["type"] for condition in terminating["status"]["conditions"]]
    assert "create not allowed while custom resource definition is terminating" in refused
    eventually(lambda: "NotFound" in space.run("get planets").stderr, 60, "planets are served no more")
    space("apply -f -", PLANETS)
    space("wait --for=condition=Established crd/planets.space.example.com --timeout=60s")
    assert space("get planets -o name") == ""


def test_additional_properties_of_true_beside_properties_are_legal(kubectl: Shell) -> None:
    closed = "free: {type: object, x-kubernetes-preserve-unknown-fields: true}"
    wide = PLANETS.replace(closed, "free: {type: object, properties: {a: {type: string}}, additionalProperties: true}")
    assert wide != PLANETS

    assert "planets.space.example.com" in kubectl("apply --dry-run=server -f -", wide)


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("name: planets.space", "name: others.space", 'metadata.name: Invalid value: "others.space.example.com"'),
        ("type: object\n        description", "description", "must not be empty at the root"),
        ("storage: true", "storage: false", "must have exactly one version marked as storage version"),
        ('pattern: "^[a-z]+$"', 'pattern: "["', "spec.versions[0].schema.openAPIV3Schema"),
        ("kind: Planet,", "kind: planet!,", "spec.names.kind"),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused(kubectl: Shell, before: str, after: str, complaint: str) -> None:
    assert before in PLANETS

    said = kubectl.fails("create --dry-run=server -f -", PLANETS.replace(before, after, 1))

    assert "CustomResourceDefinition" in said
    assert complaint in said


def test_a_kind_that_nobody_declared_is_unknown(kubectl: Shell) -> None:
    comet = '{"apiVersion":"space.example.com/v1","kind":"Comet","metadata":{"name":"halley"}}'

    assert 'no matches for kind "Comet" in version "space.example.com/v1"' in kubectl.fails("create -f -", comet)
    assert 'the server doesn\'t have a resource type "comets"' in kubectl.fails("get comets")
