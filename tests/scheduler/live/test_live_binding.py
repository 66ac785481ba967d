"""Bindings that the server refuses, or that another has made: the room is free again, and nothing is bound twice."""

from contextlib import suppress

from tests.kube.live import managed
from tests.scheduler.live.objects import PODS, add_node, add_pod, condition, node_of
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.scheduler.live.service import SCHEDULER

POLICIES = Kind(
    group="admissionregistration.k8s.io",
    version="v1",
    name="ValidatingAdmissionPolicy",
    plural="validatingadmissionpolicies",
    namespaced=False,
)
POLICY_BINDINGS = Kind(
    group="admissionregistration.k8s.io",
    version="v1",
    name="ValidatingAdmissionPolicyBinding",
    plural="validatingadmissionpolicybindings",
    namespaced=False,
)


async def forbid_binding(client: Client, room: str, name: str) -> Key:
    """The server refuses to bind that pod of the room."""
    api, key = "admissionregistration.k8s.io/v1", Key("", f"unbound-{room}")
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods/binding"], "operations": ["CREATE"]}
    condition_ = f'request.namespace != "{room}" || request.name != "{name}"'
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": condition_, "message": "not now"}],
    }
    await client.create(
        {"apiVersion": api, "kind": POLICIES.name, "metadata": {"name": key.name}, "spec": spec}, kind=POLICIES
    )
    where = {"policyName": key.name, "validationActions": ["Deny"]}
    await client.create(
        {"apiVersion": api, "kind": POLICY_BINDINGS.name, "metadata": {"name": key.name}, "spec": where},
        kind=POLICY_BINDINGS,
    )
    return key


async def test_a_pod_whose_binding_is_refused_leaves_its_room_to_others_and_is_tried_again(
    client: Client, room: str, pool: dict[str, str]
) -> None:
    node = await add_node(client, pool, "a")
    policy = await forbid_binding(client, room, "refused")
    async with managed(client, SCHEDULER):
        refused = await add_pod(client, room, pool, "refused", cpu="3")
        message = await condition(client, refused, "SchedulerError", "not now")
        assert message.startswith('running Bind plugin "DefaultBinder": ')

        other = await add_pod(client, room, pool, "other", cpu="3")
        assert await node_of(client, other) == node

        await client.delete(POLICY_BINDINGS, policy)
        await client.delete(POLICIES, policy)
        await client.delete(PODS, other, grace_seconds=0)
        assert await node_of(client, refused) == node


async def test_a_pod_that_another_has_bound_counts_where_it_is(client: Client, room: str, pool: dict[str, str]) -> None:
    node = await add_node(client, pool, "a")
    policy = await forbid_binding(client, room, "contested")
    async with managed(client, SCHEDULER):
        contested = await add_pod(client, room, pool, "contested", cpu="3")
        await condition(client, contested, "SchedulerError")
        await client.delete(POLICY_BINDINGS, policy)
        await client.delete(POLICIES, policy)
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        metadata = {"name": "contested", "namespace": room}
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}
        with suppress(errors.Conflict):  # the scheduler was faster, which is as good
            await client.create_under(PODS, contested, "binding", binding)
        late = await add_pod(client, room, pool, "late", cpu="3")
        assert await condition(client, late, "Unschedulable", "Insufficient cpu")
        assert await node_of(client, contested) == node
