"""A Profile and everything that its namespace begins with."""

import json
from datetime import timedelta
from typing import Any

import pytest

from windlass.apis.apps_v1 import Deployment, DeploymentSpec
from windlass.apis.batch_v1 import Job, JobSpec
from windlass.apis.core_v1 import Namespace, Pod, ResourceQuota, ServiceAccount
from windlass.apis.rbac_v1 import RoleBinding, RoleRef, Subject
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.apis.wellknown import PLATFORM_NAMESPACES
from windlass.apps import stops
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import STOPPED
from windlass.apps.profiles.controllers.access import contributors
from windlass.apps.profiles.controllers.children import NETWORK_POLICIES
from windlass.apps.profiles.controllers.reconcile import controller
from windlass.apps.profiles.controllers.recycle_bin import QUOTA_NAME
from windlass.apps.profiles.kinds import PodDefault, Profile, ProfileOwner, ProfileSpec
from windlass.apps.profiles.names import CONTRIBUTORS, DELETED_AT, FINALIZER
from windlass.apps.profiles.options import DEFAULTS
from windlass.kube.json import timestamp
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.testing import World

ANN, BEN = "ann@example.com", "ben@example.com"
CONTROLLER = controller(DEFAULTS, stops())


def a_profile(name: str = "ann", owner: str = ANN, **spec: Any) -> Profile:
    return Profile(
        metadata=ObjectMeta(name=name), spec=ProfileSpec(owner=ProfileOwner(kind="User", name=owner), **spec)
    )


def a_world(*objects: Any, namespace: str = "ann") -> World:
    world = World(CONTROLLER, namespace=namespace)
    for obj in objects:
        world.put(obj)
    return world


def settled(*objects: Any, namespace: str = "ann") -> World:
    world = a_world(*objects, namespace=namespace)
    world.settle()
    return world


def conditions(world: World, name: str = "ann") -> dict[str, tuple[str, str]]:
    return {one.type: (one.status, one.message) for one in world.get(Profile, name).status.conditions}


def holders(world: World, binding: str) -> list[str]:
    return [subject.name for subject in world.get(RoleBinding, binding).subjects]


def users(policy: AuthorizationPolicy) -> list[str]:
    return [value for rule in policy.spec.rules for condition in rule.when for value in condition.values]


def test_a_profile_gets_its_namespace_and_what_is_in_it() -> None:
    world = settled(a_profile())

    namespace = world.get(Namespace, "ann")
    assert namespace.metadata.annotations == {"owner": ANN}
    assert namespace.metadata.labels == {
        "istio-injection": "enabled",
        "katib.kubeflow.org/metrics-collector-injection": "enabled",
        "serving.kubeflow.org/inferenceservice": "enabled",
        "pipelines.kubeflow.org/enabled": "true",
        "app.kubernetes.io/part-of": "kubeflow-profile",
        "pod-security.kubernetes.io/enforce": "baseline",
        "windlass.dev/seccomp-default": "RuntimeDefault",
    }
    assert namespace.metadata.controller is not None
    assert {*world.all(ServiceAccount)} == {"default-editor", "default-viewer"}
    roles = {name: binding.role_ref.name for name, binding in world.all(RoleBinding).items()}
    assert roles == {
        "default-editor": "kubeflow-edit",
        "default-viewer": "kubeflow-view",
        "namespaceAdmin": "kubeflow-admin",
    }
    admin = world.get(RoleBinding, "namespaceAdmin")
    assert admin.metadata.annotations == {"user": ANN, "role": "admin"}
    assert admin.subjects == [Subject(kind="User", name=ANN, api_group="rbac.authorization.k8s.io")]
    assert world.get(RoleBinding, "default-editor").subjects == [
        Subject(kind="ServiceAccount", name="default-editor", namespace="ann")
    ]
    assert not world.all(ResourceQuota)
    assert world.get(Profile, "ann").metadata.finalizers == [FINALIZER]
    assert conditions(world) == {"Successful": ("True", ""), "Ready": ("True", "")}


def test_the_owners_policy_is_that_of_the_mesh() -> None:
    policy = settled(a_profile()).get(AuthorizationPolicy, "ns-owner-access-istio")

    owner, same_namespace, health, kernels = policy.spec.rules
    assert policy.metadata.annotations == {"user": ANN, "role": "admin"}
    assert owner.when[0].key == "request.headers[kubeflow-userid]"
    assert owner.when[0].values == [ANN]
    assert owner.from_[0].source.principals == [
        "cluster.local/ns/istio-system/sa/istio-ingressgateway-service-account",
        "cluster.local/ns/kubeflow/sa/ml-pipeline-ui",
    ]
    assert (same_namespace.when[0].key, same_namespace.when[0].values) == ("source.namespace", ["ann"])
    assert health.to[0].operation.paths == ["/healthz", "/metrics", "/wait-for-drain"]
    assert (kernels.to[0].operation.methods, kernels.to[0].operation.paths) == (["GET"], ["*/api/kernels"])


def test_no_pod_of_another_namespace_is_admitted() -> None:
    world = settled(a_profile())

    policy = world.server.objects[NETWORK_POLICIES, Key("ann", "windlass-same-namespace-only")]
    assert policy["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [{"podSelector": {}}]}],
    }


def test_pods_that_ask_for_it_get_a_token_for_pipelines() -> None:
    spec = settled(a_profile()).get(PodDefault, "access-ml-pipeline").spec

    assert spec.selector.match_labels == {"access-ml-pipeline": "true"}
    assert spec.env == [{"name": "KF_PIPELINES_SA_TOKEN_PATH", "value": "/var/run/secrets/kubeflow/pipelines/token"}]
    (mount,) = spec.volume_mounts
    assert (mount["mountPath"], mount["readOnly"]) == ("/var/run/secrets/kubeflow/pipelines", True)
    (source,) = spec.volumes[0]["projected"]["sources"]
    assert source["serviceAccountToken"]["audience"] == "pipelines.kubeflow.org"
    assert source["serviceAccountToken"]["expirationSeconds"] == 7200


def test_a_label_that_an_administrator_changed_is_kept() -> None:
    world = settled(a_profile())
    world.change(Namespace, "ann", {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "privileged"}}})

    world.settle()

    assert world.get(Namespace, "ann").metadata.labels["pod-security.kubernetes.io/enforce"] == "privileged"


@pytest.mark.parametrize("name", ["kube-system", "kube-own", "default", "volcano-system", *sorted(PLATFORM_NAMESPACES)])
def test_reserved_names_are_refused(name: str) -> None:
    world = settled(a_profile(name), namespace=name)

    assert not world.all(Namespace)
    assert conditions(world, name)["Failed"] == ("True", f"the name {name} is reserved")


@pytest.mark.parametrize("annotations", [{}, {"owner": ANN}, {"owner": BEN}])
def test_a_namespace_that_was_there_before_is_left_alone(annotations: dict[str, str]) -> None:
    world = settled(Namespace(metadata=ObjectMeta(name="ann", annotations=annotations)), a_profile())

    assert conditions(world)["Failed"] == ("True", "namespace ann exists and does not belong to this profile")
    assert conditions(world)["Ready"][0] == "False"
    assert not world.all(RoleBinding)
    assert not world.get(Namespace, "ann").metadata.labels


def test_an_owner_change_moves_binding_policy_and_annotation() -> None:
    world = settled(a_profile())
    world.change(Profile, "ann", {"spec": {"owner": {"name": BEN}}})

    world.settle()

    assert world.get(Namespace, "ann").metadata.annotations["owner"] == BEN
    assert holders(world, "namespaceAdmin") == [BEN]
    assert world.get(RoleBinding, "namespaceAdmin").metadata.annotations["user"] == BEN
    policy = world.get(AuthorizationPolicy, "ns-owner-access-istio")
    assert users(policy)[0] == BEN
    assert policy.metadata.annotations["user"] == BEN


def test_a_quota_comes_changes_and_goes() -> None:
    world = settled(a_profile())
    world.change(Profile, "ann", {"spec": {"resourceQuotaSpec": {"hard": {"cpu": "4"}}}})
    world.settle()
    assert world.get(ResourceQuota, "kf-resource-quota").spec.hard == {"cpu": "4"}

    world.change(Profile, "ann", {"spec": {"resourceQuotaSpec": {"hard": {"cpu": None}}}})
    world.settle()

    assert not world.all(ResourceQuota)


def test_plugins_annotate_the_editor_and_are_revoked() -> None:
    plugins = [{"kind": "WorkloadIdentity", "spec": {"gcpServiceAccount": "me@gcp"}}]
    world = settled(a_profile())
    world.change(Profile, "ann", {"spec": {"plugins": plugins}})
    world.settle()
    account = world.get(ServiceAccount, "default-editor")
    assert account.metadata.annotations == {"iam.gke.io/gcp-service-account": "me@gcp"}

    world.server.collects_garbage = False
    world.delete(Profile, "ann")
    world.settle()

    assert not world.get(ServiceAccount, "default-editor").metadata.annotations
    assert world.find(Profile, "ann") is None


def test_an_unknown_plugin_is_reported_and_the_namespace_works() -> None:
    world = settled(a_profile())
    world.change(Profile, "ann", {"spec": {"plugins": [{"kind": "Magic", "spec": {}}]}})
    world.settle()

    assert conditions(world)["Failed"][1].startswith("plugin Magic is not known")
    assert conditions(world)["Ready"][0] == "True"


def test_a_deleted_profile_takes_its_namespace_with_it() -> None:
    world = settled(a_profile())

    world.delete(Profile, "ann")
    world.settle()

    assert world.find(Profile, "ann") is None
    assert world.find(Namespace, "ann") is None
    assert not world.all(RoleBinding)


def a_binding(name: str, user: str, role: str, kind: str = "User") -> RoleBinding:
    return RoleBinding(
        metadata=ObjectMeta(name=name, annotations={"user": user, "role": role}),
        role_ref=RoleRef(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name=f"kubeflow-{role}"),
        subjects=[Subject(kind=kind, name=user, api_group="rbac.authorization.k8s.io")],
    )


def test_an_editor_may_pass_the_gateway_and_a_viewer_may_not() -> None:
    world = settled(a_profile())
    world.put(a_binding("user-ben-example-com-clusterrole-edit", BEN, "edit"))
    world.put(a_binding("user-cat-example-com-clusterrole-view", "cat@example.com", "view"))
    world.put(a_binding("group-team-clusterrole-edit", "team", "edit", "Group"))
    world.settle()

    policies = world.all(AuthorizationPolicy)
    assert {*policies} == {
        "ns-owner-access-istio",
        "user-ben-example-com-clusterrole-edit",
        "group-team-clusterrole-edit",
    }
    assert users(policies["user-ben-example-com-clusterrole-edit"]) == [BEN]
    assert policies["group-team-clusterrole-edit"].spec.rules[0].when[0].key == "request.headers[kubeflow-groups]"

    del world.all(RoleBinding)["user-ben-example-com-clusterrole-edit"]
    world.settle()

    assert "user-ben-example-com-clusterrole-edit" not in world.all(AuthorizationPolicy)


def share(world: World, *entries: Any) -> None:
    world.change(Profile, "ann", {"metadata": {"annotations": {CONTRIBUTORS: json.dumps(entries)}}})
    world.settle()


def test_contributors_of_the_annotation_come_and_go() -> None:
    world = settled(a_profile())

    share(world, BEN, {"kind": "Group", "name": "team", "role": "view"})
    assert holders(world, "user-ben-example-com-clusterrole-edit") == [BEN]
    assert holders(world, "group-team-clusterrole-view") == ["team"]
    assert "user-ben-example-com-clusterrole-edit" in world.all(AuthorizationPolicy)

    share(world, {"name": BEN, "role": "view"})
    assert {*world.all(RoleBinding)} == {
        "default-editor",
        "default-viewer",
        "namespaceAdmin",
        "user-ben-example-com-clusterrole-view",
    }
    assert {*world.all(AuthorizationPolicy)} == {"ns-owner-access-istio"}


def test_two_users_of_one_name_get_two_bindings() -> None:
    world = settled(a_profile())

    share(world, "a.b@x", "a-b@x")

    shared = {name: holders(world, name) for name in world.all(RoleBinding) if name.startswith("user-")}
    assert sorted(shared.values()) == [["a-b@x"], ["a.b@x"]]
    assert "user-a-b-x-clusterrole-edit" in shared


@pytest.mark.parametrize("text", ["{", "{}", '[{"role": "king", "name": "a"}]', "[7]"])
def test_a_bad_annotation_is_reported(text: str) -> None:
    world = settled(a_profile())
    world.change(Profile, "ann", {"metadata": {"annotations": {CONTRIBUTORS: text}}})
    world.settle()

    assert CONTRIBUTORS in conditions(world)["Failed"][1]
    assert contributors(world.get(Profile, "ann"))[0] == []


# --- recycle bin


def with_workloads() -> World:
    world = settled(a_profile())
    world.put(Notebook(metadata=ObjectMeta(name="lab")))
    world.put(Deployment(metadata=ObjectMeta(name="web"), spec=DeploymentSpec(replicas=3)))
    world.put(Job(metadata=ObjectMeta(name="job"), spec=JobSpec()))
    world.put(Pod(metadata=ObjectMeta(name="alone")))
    world.put(a_binding("user-ben-example-com-clusterrole-edit", BEN, "edit"))
    world.settle()
    return world


def into_bin(world: World) -> None:
    world.change(Profile, "ann", {"metadata": {"annotations": {DELETED_AT: timestamp(world.now)}}})
    world.settle()


def test_in_the_bin_nothing_runs_and_nobody_has_access() -> None:
    world = with_workloads()

    into_bin(world)

    assert STOPPED in world.get(Notebook, "lab").metadata.annotations
    assert world.get(Deployment, "web").spec.replicas == 0
    assert world.get(Job, "job").spec.suspend is True
    assert not world.all(Pod)
    assert not any(binding.subjects for binding in world.all(RoleBinding).values())
    assert world.get(ResourceQuota, QUOTA_NAME).spec.hard == {"pods": "0"}
    assert "windlass profile restore ann" in conditions(world)["Ready"][1]


def test_a_restore_brings_everything_back() -> None:
    world = with_workloads()
    before = {name: binding.subjects for name, binding in world.all(RoleBinding).items()}
    policies = {*world.all(AuthorizationPolicy)}
    into_bin(world)

    world.change(Profile, "ann", {"metadata": {"annotations": {DELETED_AT: None}}})
    world.settle()

    assert STOPPED not in world.get(Notebook, "lab").metadata.annotations
    assert world.get(Deployment, "web").spec.replicas == 3
    assert not world.get(Job, "job").spec.suspend
    assert {name: binding.subjects for name, binding in world.all(RoleBinding).items()} == before
    assert {*world.all(AuthorizationPolicy)} == policies
    assert not world.all(ResourceQuota)
    assert conditions(world) == {"Successful": ("True", ""), "Ready": ("True", "")}


def test_after_a_day_the_profile_is_deleted() -> None:
    world = with_workloads()
    into_bin(world)
    world.wait(timedelta(hours=23))
    world.settle()
    assert world.find(Profile, "ann") is not None

    world.wait(timedelta(hours=1))
    world.settle()

    assert world.find(Profile, "ann") is None
    assert world.find(Namespace, "ann") is None


@pytest.mark.parametrize("story", ["made", "shared", "binned", "restored", "deleted"])
@pytest.mark.parametrize("writes", range(1, 25))
def test_killed_after_any_write_it_ends_the_same(story: str, writes: int) -> None:
    def lived(kill_after: int | None) -> World:
        world = with_workloads() if story != "made" else a_world(a_profile())
        if story == "restored":
            into_bin(world)
        annotations: dict[str, Any] = {
            "shared": {CONTRIBUTORS: json.dumps([BEN, "cat@example.com"])},
            "binned": {DELETED_AT: timestamp(world.now)},
            "restored": {DELETED_AT: None},
        }.get(story, {})
        if annotations:
            world.change(Profile, "ann", {"metadata": {"annotations": annotations}})
        if story == "deleted":
            world.delete(Profile, "ann")
        if kill_after is not None:
            world.step("ann", kill_after=kill_after)
        world.settle()
        return world

    assert shape(lived(writes)) == shape(lived(None))


def shape(world: World) -> dict[str, Any]:
    """All objects without what differs between two runs."""
    return {
        f"{kind.name} {key}": {
            "labels": obj["metadata"].get("labels"),
            "annotations": obj["metadata"].get("annotations"),
            "rest": {name: value for name, value in obj.items() if name != "metadata"},
        }
        for (kind, key), obj in world.server.objects.items()
    }
