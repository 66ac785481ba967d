"""Programs: the official `kubernetes` client, unmodified, against a running Windlass."""

import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import kubernetes.client
import kubernetes.watch
import pytest
from kubernetes import config, dynamic
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

from tests.support import Windlass, eventually

client: Any = kubernetes.client  # its types say of every field that it may be None
watch: Any = kubernetes.watch
pytestmark = pytest.mark.filterwarnings("default")  # the client's own deprecations are not ours to fix


@pytest.fixture(scope="module")
def api(server: Windlass) -> Iterator[Any]:
    made = config.new_client_from_config(str(server.kubeconfig))
    yield made
    made.close()


@pytest.fixture(scope="module")
def core(api: Any) -> Any:
    return client.CoreV1Api(api)


@pytest.fixture(scope="module")
def apps(api: Any) -> Any:
    return client.AppsV1Api(api)


def a_secret(name: str, **labels: str) -> Any:
    return client.V1Secret(metadata=client.V1ObjectMeta(name=name, labels=labels), string_data={"a": "1"})


def plain(answer: Any) -> dict[str, Any]:
    """An answer as JSON, which some versions of the client give and others wrap in a type."""
    return client.ApiClient().sanitize_for_serialization(answer)


def a_deployment(name: str, replicas: int = 1) -> Any:
    container = client.V1Container(name="c", image="nginx", ports=[client.V1ContainerPort(container_port=80)])
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": name}), spec=client.V1PodSpec(containers=[container])
    )
    selector = client.V1LabelSelector(match_labels={"app": name})
    spec = client.V1DeploymentSpec(replicas=replicas, selector=selector, template=template)
    return client.V1Deployment(metadata=client.V1ObjectMeta(name=name), spec=spec)


# objects


def test_objects_are_made_read_changed_and_deleted(core: Any, namespace: str) -> None:
    made = core.create_namespaced_secret(namespace, a_secret("one", team="red"))
    made.metadata.labels["more"] = "yes"
    changed = core.replace_namespaced_secret("one", namespace, made)
    status = plain(core.delete_namespaced_secret("one", namespace))

    assert made.data == {"a": "MQ=="}
    assert made.metadata.creation_timestamp.tzinfo is not None
    assert changed.metadata.labels == {"team": "red", "more": "yes"}
    assert (status["status"], status["details"]["name"]) == ("Success", "one")
    assert core.list_namespaced_secret(namespace).items == []


def test_a_pod_has_its_defaults(core: Any, namespace: str) -> None:
    container = client.V1Container(
        name="c", image="nginx", resources=client.V1ResourceRequirements(requests={"cpu": "0.5", "memory": "64Mi"})
    )
    pod = client.V1Pod(metadata=client.V1ObjectMeta(generate_name="p-"), spec=client.V1PodSpec(containers=[container]))

    made = core.create_namespaced_pod(namespace, pod)

    assert made.spec.restart_policy == "Always"
    assert made.spec.containers[0].image_pull_policy == "Always"
    assert made.spec.containers[0].resources.requests == {"cpu": "500m", "memory": "64Mi"}
    assert (made.status.phase, made.status.qos_class) == ("Pending", "Burstable")
    assert made.metadata.name.startswith("p-")


def test_deployments_are_scaled_by_their_subresource(apps: Any, namespace: str) -> None:
    apps.create_namespaced_deployment(namespace, a_deployment("web"))

    scaled = apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 4}})
    status = {"status": {"observedGeneration": 2, "replicas": 7}, "spec": {"replicas": 9}}
    found = apps.patch_namespaced_deployment_status("web", namespace, status)

    assert scaled.spec.replicas == 4
    assert (found.spec.replicas, found.metadata.generation, found.status.replicas) == (4, 2, 7)


@pytest.mark.parametrize(
    ("kind", "patch", "labels"),
    [
        ("application/merge-patch+json", {"metadata": {"labels": {"a": None, "c": "3"}}}, {"b": "2", "c": "3"}),
        ("application/strategic-merge-patch+json", {"metadata": {"labels": {"b": None}}}, {"a": "1"}),
        (
            "application/json-patch+json",
            [{"op": "replace", "path": "/metadata/labels/a", "value": "9"}],
            {"a": "9", "b": "2"},
        ),
    ],
)
def test_every_form_of_patch(core: Any, namespace: str, kind: str, patch: Any, labels: dict[str, str]) -> None:
    core.create_namespaced_secret(namespace, a_secret("one", a="1", b="2"))

    changed = core.patch_namespaced_secret("one", namespace, patch, _content_type=kind)

    assert changed.metadata.labels == labels


def test_deletion_options_are_kept(apps: Any, core: Any, namespace: str) -> None:
    apps.create_namespaced_deployment(namespace, a_deployment("web"))
    core.create_namespaced_secret(namespace, a_secret("one"))
    wrong = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="another"))

    apps.delete_namespaced_deployment("web", namespace, propagation_policy="Foreground", grace_period_seconds=0)
    with pytest.raises(ApiException) as refused:
        core.delete_namespaced_secret("one", namespace, body=wrong)
    tried = plain(core.delete_namespaced_secret("one", namespace, dry_run="All"))
    gone = plain(core.delete_collection_namespaced_secret(namespace))

    assert (refused.value.status, refused.value.reason) == (409, "Conflict")
    assert tried["status"] == "Success"
    assert gone["kind"] == "SecretList"
    assert core.list_namespaced_secret(namespace).items == []
    eventually(lambda: apps.list_namespaced_deployment(namespace).items == [], 60, "the deployment is gone")


def test_pages(core: Any, namespace: str) -> None:
    for number in range(5):
        core.create_namespaced_secret(namespace, a_secret(f"s{number}"))

    names: list[str] = []
    token = None
    while True:
        page = core.list_namespaced_secret(namespace, limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
        assert page.metadata.remaining_item_count == 5 - len(names)

    assert names == ["s0", "s1", "s2", "s3", "s4"]


# errors


@pytest.mark.parametrize(
    ("call", "code", "reason"),
    [
        (lambda core, ns: core.read_namespaced_secret("nobody", ns), 404, "NotFound"),
        (lambda core, ns: core.create_namespaced_secret(ns, a_secret("taken")), 409, "AlreadyExists"),
        (lambda core, ns: core.create_namespaced_secret(ns, a_secret("Bad_Name")), 422, "Invalid"),
        (lambda core, ns: core.list_namespaced_secret(ns, label_selector="a b"), 400, "BadRequest"),
        (lambda core, ns: core.create_namespaced_secret("nowhere", a_secret("x")), 404, "NotFound"),
        (lambda core, ns: core.list_namespaced_secret(ns, resource_version="999999999"), 504, "Timeout"),
    ],
)
def test_refusals_carry_a_status(core: Any, namespace: str, call: Any, code: int, reason: str) -> None:
    core.create_namespaced_secret(namespace, a_secret("taken"))

    with pytest.raises(ApiException) as refused:
        call(core, namespace)

    assert refused.value.status == code
    assert f'"reason":"{reason}"' in str(refused.value.body)
    assert dict(refused.value.headers or {})["content-type"] == "application/json"


def test_who_is_not_known_is_unauthorized_and_who_may_not_is_forbidden(server: Windlass, namespace: str) -> None:
    def secrets_as(token: str, **headers: str) -> int:
        settings = client.Configuration(host=server.url, api_key={"authorization": f"Bearer {token}"})
        settings.ssl_ca_cert = str(server.ca)
        with client.ApiClient(settings) as other, pytest.raises(ApiException) as refused:
            client.CoreV1Api(other).list_namespaced_secret(namespace, _headers=headers)
        return int(refused.value.status or 0)

    assert secrets_as("nonsense") == 401
    assert secrets_as(server.token, **{"Impersonate-User": "nobody"}) == 403


def test_two_clients_race_and_none_loses(server: Windlass, core: Any, namespace: str) -> None:
    core.create_namespaced_secret(namespace, a_secret("one"))

    def add(worker: int) -> int:
        conflicts = 0
        with config.new_client_from_config(str(server.kubeconfig)) as own:
            mine = client.CoreV1Api(own)
            for number in range(5):
                while True:
                    found = mine.read_namespaced_secret("one", namespace)
                    found.metadata.labels = {**(found.metadata.labels or {}), f"l{worker}-{number}": "yes"}
                    try:
                        mine.replace_namespaced_secret("one", namespace, found)
                        break
                    except ApiException as error:
                        if error.status != 409:
                            raise
                        conflicts += 1
        return conflicts

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))

    assert len(core.read_namespaced_secret("one", namespace).metadata.labels) == 20


# watching


def test_a_watch_goes_on_from_the_list(core: Any, namespace: str) -> None:
    core.create_namespaced_secret(namespace, a_secret("before"))
    listed = core.list_namespaced_secret(namespace)
    core.create_namespaced_secret(namespace, a_secret("one"))
    core.patch_namespaced_secret("one", namespace, {"metadata": {"labels": {"a": "b"}}})
    core.delete_namespaced_secret("one", namespace)

    watcher, seen = watch.Watch(), []
    version = listed.metadata.resource_version
    for event in watcher.stream(core.list_namespaced_secret, namespace, resource_version=version, timeout_seconds=20):
        seen.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            watcher.stop()

    assert seen == [("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]
    assert int(watcher.resource_version) > int(version)


def test_a_watch_ends_at_its_timeout(core: Any, namespace: str) -> None:
    started = time.monotonic()

    events = list(watch.Watch().stream(core.list_namespaced_limit_range, namespace, timeout_seconds=1))

    assert events == []
    assert time.monotonic() - started < 60


def test_a_watcher_sees_what_another_thread_does(core: Any, namespace: str) -> None:
    watcher, seen = watch.Watch(), []

    def follow() -> None:
        for event in watcher.stream(core.list_namespaced_secret, namespace, timeout_seconds=60):
            seen.append(event["object"].metadata.name)
            if len(seen) == 3:
                watcher.stop()

    thread = threading.Thread(target=follow)
    thread.start()
    for name in ("a", "b", "c"):
        core.create_namespaced_secret(namespace, a_secret(name))
    thread.join(60)

    assert seen == ["a", "b", "c"]


# any kind

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "robots.factory.example.com"},
    "spec": {
        "group": "factory.example.com",
        "scope": "Namespaced",
        "names": {"plural": "robots", "singular": "robot", "kind": "Robot"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"arms": {"type": "integer", "default": 2}}},
                            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
                        },
                    }
                },
            }
        ],
    },
}


@pytest.fixture
def robots(server: Windlass, api: Any) -> Iterator[Any]:
    definitions = client.ApiextensionsV1Api(api)
    definitions.create_custom_resource_definition(DEFINITION)

    def established() -> bool:
        found = definitions.read_custom_resource_definition("robots.factory.example.com")
        return any(c.type == "Established" and c.status == "True" for c in (found.status.conditions or []))

    eventually(established, 60, "robots are served")
    yield client.CustomObjectsApi(api)
    definitions.delete_custom_resource_definition("robots.factory.example.com")

    def gone() -> bool:
        return server.request("GET", f"{_DEFINITIONS}/robots.factory.example.com").status == 404

    eventually(gone, 60, "robots are gone")


_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def a_robot(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "factory.example.com/v1", "kind": "Robot", "metadata": {"name": name}, "spec": spec}


def test_custom_objects(robots: Any, namespace: str) -> None:
    where = ("factory.example.com", "v1", namespace, "robots")

    made = robots.create_namespaced_custom_object(*where, a_robot("r2"))
    patched = robots.patch_namespaced_custom_object(*where, "r2", {"spec": {"arms": 3}})
    status = robots.patch_namespaced_custom_object_status(*where, "r2", {"status": {"phase": "On"}})
    listed = robots.list_namespaced_custom_object(*where, label_selector="!none")
    robots.delete_namespaced_custom_object(*where, "r2")

    assert made["spec"] == {"arms": 2}
    assert (patched["spec"]["arms"], status["status"]) == (3, {"phase": "On"})
    assert [item["metadata"]["name"] for item in listed["items"]] == ["r2"]
    with pytest.raises(ApiException) as gone:
        robots.get_namespaced_custom_object(*where, "r2")
    assert gone.value.status == 404


def test_the_dynamic_client_finds_every_kind(robots: Any, api: Any, namespace: str) -> None:
    del robots
    anything = dynamic.DynamicClient(api)
    kind = anything.resources.get(api_version="factory.example.com/v1", kind="Robot")

    made = kind.create(body=a_robot("c3"), namespace=namespace)
    made.spec.arms = 5
    kind.replace(body=made, namespace=namespace)

    assert kind.get(name="c3", namespace=namespace).spec.arms == 5
    assert [item.metadata.name for item in kind.get(namespace=namespace).items] == ["c3"]
    with pytest.raises(ConflictError):
        kind.replace(body={**a_robot("c3"), "metadata": {**made.metadata.to_dict()}}, namespace=namespace)
    kind.delete(name="c3", namespace=namespace)
    with pytest.raises(NotFoundError):
        kind.get(name="c3", namespace=namespace)


def test_server_side_apply_by_two_managers(api: Any, namespace: str) -> None:
    deployments = dynamic.DynamicClient(api).resources.get(api_version="apps/v1", kind="Deployment")
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}
    whole = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
    scale = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 5}}

    deployments.server_side_apply(body=whole, namespace=namespace, field_manager="first")
    with pytest.raises(ConflictError) as conflict:
        deployments.server_side_apply(body=scale, namespace=namespace, field_manager="second")
    forced = deployments.server_side_apply(
        body=scale, namespace=namespace, field_manager="second", force_conflicts=True
    )
    del whole["spec"]["replicas"]
    kept = deployments.server_side_apply(body=whole, namespace=namespace, field_manager="first")

    assert 'conflict with \\"first\\": .spec.replicas' in conflict.value.body
    assert forced.spec.replicas == 5
    assert kept.spec.replicas == 5
    appliers = {entry.manager for entry in kept.metadata.managedFields if entry.operation == "Apply"}
    assert appliers == {"first", "second"}


def test_a_dynamic_watch(api: Any, core: Any, namespace: str) -> None:
    secrets = dynamic.DynamicClient(api).resources.get(api_version="v1", kind="Secret")
    core.create_namespaced_secret(namespace, a_secret("a"))
    watcher = watch.Watch()

    first = next(secrets.watch(namespace=namespace, timeout=20, watcher=watcher))
    watcher.stop()

    assert (first["type"], first["object"].metadata.name) == ("ADDED", "a")


# leading


class Over(Exception):
    pass


class Lock(ConfigMapLock):
    """A lock that ends its contender when the test is over; the client's own election never ends."""

    over = threading.Event()

    def get(self, name: str, namespace: str) -> Any:
        if self.over.is_set():
            raise Over
        return super().get(name, namespace)


def test_one_leader_at_a_time(server: Windlass, namespace: str) -> None:
    config.load_kube_config(str(server.kubeconfig))
    led: list[str] = []

    def contend(name: str) -> None:
        settings = electionconfig.Config(
            Lock("leader", namespace, name), lease_duration=60, renew_deadline=50, retry_period=1,
            onstarted_leading=lambda: led.append(name), onstopped_leading=None,
        )  # fmt: skip
        with contextlib.suppress(Over):
            leaderelection.LeaderElection(settings).run()

    threads = [threading.Thread(target=contend, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    try:
        eventually(lambda: led, 60, "somebody leads")
        record = client.CoreV1Api().read_namespaced_config_map("leader", namespace).metadata.annotations
    finally:
        Lock.over.set()
        for thread in threads:
            thread.join(60)

    assert len(led) == 1
    assert f'"holderIdentity": "{led[0]}"' in record["control-plane.alpha.kubernetes.io/leader"]


# the rest of the API


def test_reviews_tokens_and_versions(api: Any, core: Any, namespace: str) -> None:
    access = client.AuthorizationV1Api(api)
    attributes = client.V1ResourceAttributes(verb="create", resource="pods", namespace=namespace)
    review = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes))
    request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=900))

    eventually(lambda: core.list_namespaced_service_account(namespace).items, 60, "the default account is there")
    token = core.create_namespaced_service_account_token("default", namespace, request).status.token
    told = client.AuthenticationV1Api(api).create_token_review(
        client.V1TokenReview(spec=client.V1TokenReviewSpec(token=token))
    )

    assert access.create_self_subject_access_review(review).status.allowed is True
    assert told.status.user.username == f"system:serviceaccount:{namespace}:default"
    assert client.VersionApi(api).get_code().major == "1"
    assert "apps" in [group.name for group in client.ApisApi(api).get_api_versions().groups]


def test_an_eviction_is_a_deletion_with_manners(core: Any, namespace: str) -> None:
    spec = client.V1PodSpec(containers=[client.V1Container(name="c", image="x")])
    core.create_namespaced_pod(namespace, client.V1Pod(metadata=client.V1ObjectMeta(name="p"), spec=spec))

    core.create_namespaced_pod_eviction("p", namespace, client.V1Eviction(metadata=client.V1ObjectMeta(name="p")))

    assert core.list_namespaced_pod(namespace).items == []


def test_a_binding_gives_a_pod_its_node(core: Any, namespace: str) -> None:
    spec = client.V1PodSpec(containers=[client.V1Container(name="c", image="x")])
    core.create_namespaced_pod(namespace, client.V1Pod(metadata=client.V1ObjectMeta(name="p"), spec=spec))
    binding = client.V1Binding(
        metadata=client.V1ObjectMeta(name="p"), target=client.V1ObjectReference(kind="Node", name="n1")
    )

    core.create_namespaced_binding(namespace, binding, _preload_content=False)

    found = core.read_namespaced_pod("p", namespace)
    assert found.spec.node_name == "n1"
    assert [c.type for c in found.status.conditions] == ["PodScheduled"]
