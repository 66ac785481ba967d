"""Volcano's PodGroup and Queue: our facts about upstream's CRDs, against what our declarations derive and serve."""

from typing import Any

import pytest

from tests.kube.live import until
from windlass.apis import crd
from windlass.apis.apiextensions_v1 import CustomResourceDefinition
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup, PodGroupSpec, PodGroupStatus, Queue
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta

POD_GROUP_FACTS = [
    # path, type, further facts
    ("spec.minMember", "integer", {"format": "int32", "minimum": 0}),
    ("spec.minTaskMember", "object", {}),
    ("spec.minTaskMember.*", "integer", {"format": "int32"}),
    ("spec.queue", "string", {"default": "default", "maxLength": 253}),
    ("spec.priorityClassName", "string", {"maxLength": 253}),
    ("spec.minResources.*", None, {"x-kubernetes-int-or-string": True}),
    ("spec.networkTopology.mode", "string", {"default": "hard", "enum": ["hard", "soft"]}),
    ("spec.networkTopology.highestTierAllowed", "integer", {"minimum": 0}),
    ("spec.networkTopology.highestTierName", "string", {"maxLength": 253}),
    ("spec.subGroupPolicy.[].name", "string", {}),
    ("spec.subGroupPolicy.[].subGroupSize", "integer", {"default": 1, "minimum": 1}),
    ("spec.subGroupPolicy.[].minSubGroups", "integer", {}),
    ("spec.subGroupPolicy.[].labelSelector.matchLabels.*", "string", {}),
    ("spec.subGroupPolicy.[].matchLabelKeys.[]", "string", {}),
    ("spec.subGroupPolicy.[].networkTopology.mode", "string", {"default": "hard"}),
    ("status.phase", "string", {"enum": ["Completed", "Inqueue", "Pending", "Running", "Unknown"]}),
    ("status.running", "integer", {"format": "int32"}),
    ("status.succeeded", "integer", {"format": "int32"}),
    ("status.failed", "integer", {"format": "int32"}),
    ("status.conditions.[].type", "string", {}),
    ("status.conditions.[].status", "string", {}),
    ("status.conditions.[].transitionID", "string", {}),
    ("status.conditions.[].lastTransitionTime", "string", {"format": "date-time"}),
    ("status.conditions.[].reason", "string", {}),
    ("status.conditions.[].message", "string", {}),
]
NODE_GROUPS = "DuringSchedulingIgnoredDuringExecution"
QUEUE_FACTS = [
    ("spec.weight", "integer", {"default": 1, "minimum": 1, "maximum": 65535}),
    ("spec.capability.*", None, {"x-kubernetes-int-or-string": True}),
    ("spec.deserved.*", None, {"x-kubernetes-int-or-string": True}),
    ("spec.guarantee.resource.*", None, {"x-kubernetes-int-or-string": True}),
    ("spec.reclaimable", "boolean", {}),
    ("spec.priority", "integer", {"minimum": 0}),
    ("spec.parent", "string", {}),
    (f"spec.affinity.nodeGroupAffinity.required{NODE_GROUPS}.[]", "string", {}),
    (f"spec.affinity.nodeGroupAffinity.preferred{NODE_GROUPS}.[]", "string", {}),
    (f"spec.affinity.nodeGroupAntiAffinity.required{NODE_GROUPS}.[]", "string", {}),
    (f"spec.affinity.nodeGroupAntiAffinity.preferred{NODE_GROUPS}.[]", "string", {}),
    ("spec.dequeueStrategy", "string", {"default": "traverse", "enum": ["fifo", "traverse"]}),
    ("spec.type", "string", {}),
    ("status.state", "string", {"enum": ["Closed", "Closing", "Open", "Unknown"]}),
    ("status.unknown", "integer", {}),
    ("status.pending", "integer", {}),
    ("status.running", "integer", {}),
    ("status.inqueue", "integer", {}),
    ("status.completed", "integer", {}),
    ("status.allocated.*", None, {"x-kubernetes-int-or-string": True}),
    ("status.reservation.nodes.[]", "string", {}),
    ("status.reservation.resource.*", None, {"x-kubernetes-int-or-string": True}),
]


def at(schema: Any, path: str) -> Any:
    for step in path.split("."):
        if step == "*":
            schema = schema["additionalProperties"]
        elif step == "[]":
            schema = schema["items"]
        else:
            schema = schema["properties"][step]
    return schema


@pytest.mark.parametrize(
    ("declared", "path", "type", "facts"),
    [(PodGroup, *fact) for fact in POD_GROUP_FACTS] + [(Queue, *fact) for fact in QUEUE_FACTS],
)
def test_a_field_is_as_upstreams(declared: Any, path: str, type: str | None, facts: Any) -> None:
    found = at(crd.schema(declared), path)

    assert found.get("type") == type
    assert {key: found.get(key) for key in facts} == facts


@pytest.mark.parametrize(("declared", "facts"), [(PodGroup, POD_GROUP_FACTS), (Queue, QUEUE_FACTS)])
def test_only_these_fields_have_a_default(declared: Any, facts: Any) -> None:
    def defaults(schema: Any, path: str = "") -> set[str]:
        found = {path.removeprefix(".")} if "default" in schema else set()
        for name, inner in schema.get("properties", {}).items():
            found |= defaults(inner, f"{path}.{name}")
        return found | (defaults(schema["items"], f"{path}.[]") if "items" in schema else set())

    assert defaults(crd.schema(declared)) == {path for path, _, known in facts if "default" in known}


def test_names_scopes_subresources_and_columns_are_upstreams() -> None:
    group, queue = crd.definition(PodGroup)["spec"], crd.definition(Queue)["spec"]

    assert group["names"]["shortNames"] == ["pg", "podgroup-v1beta1"]
    assert queue["names"]["shortNames"] == ["q", "queue-v1beta1"]
    assert (group["scope"], queue["scope"]) == ("Namespaced", "Cluster")
    assert "subresources" not in group["versions"][0]
    assert queue["versions"][0]["subresources"] == {"status": {}}
    columns = {
        c["name"]: (c["jsonPath"], c.get("priority", 0)) for c in group["versions"][0]["additionalPrinterColumns"]
    }
    assert columns == {
        "STATUS": (".status.phase", 0),
        "minMember": (".spec.minMember", 0),
        "RUNNINGS": (".status.running", 0),
        "AGE": (".metadata.creationTimestamp", 0),
        "QUEUE": (".spec.queue", 1),
    }


@pytest.fixture
async def groups(client: Client) -> Client:
    """A client of a server that serves PodGroup by its derived CRD."""
    await client.apply(crd.definition(PodGroup))

    async def established() -> bool:
        found = await client.get(CustomResourceDefinition, "podgroups.scheduling.volcano.sh")
        return any(c.type == "Established" and c.status == "True" for c in found.status.conditions)

    await until(established)
    return client


async def test_the_server_defaults_by_the_derived_schema(groups: Client, room: str) -> None:
    made = await groups.create(PodGroup(metadata=ObjectMeta(name="a", namespace=room), spec=PodGroupSpec(min_member=2)))

    assert made.spec == PodGroupSpec(min_member=2, queue="default")
    assert (await groups.get(KINDS.of(PodGroup), "a", room))["spec"]["queue"] == "default"


async def test_the_server_refuses_by_the_derived_schema(groups: Client, room: str) -> None:
    spec = {"minMember": -1, "queue": "Not A Name"}
    bad = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "spec": spec}

    with pytest.raises(errors.Invalid) as refused:
        await groups.create(bad | {"metadata": {"name": "b", "namespace": room}})

    assert {cause.field for cause in refused.value.causes} == {"spec.minMember", "spec.queue"}


async def test_a_pod_groups_status_is_written_with_the_object(groups: Client, room: str) -> None:
    await groups.create(PodGroup(metadata=ObjectMeta(name="c", namespace=room)))

    await groups.set_status(KINDS.of(PodGroup), Key(room, "c"), {"phase": "Inqueue", "running": 1})

    assert (await groups.get(PodGroup, "c", room)).status == PodGroupStatus(phase="Inqueue", running=1)
