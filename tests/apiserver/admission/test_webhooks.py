import base64
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest
from aiohttp import web

from tests.apiserver.admission.admission_builders import (
    MAPS,
    PODS,
    a_webhook,
    allow,
    configured,
    create_map,
    deny,
    patching,
)
from tests.apiserver.webhook_server import Answer, WebhookServer
from tests.support import Windlass
from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.reviews import Refusal
from windlass.apiserver.admission.webhooks import MUTATING, VALIDATING, Webhooks
from windlass.apiserver.api import Api
from windlass.apiserver.auth.user import User
from windlass.apiserver.builtin import RESOURCES
from windlass.apiserver.resources import Registry
from windlass.kube.errors import BadRequest


def test_a_mutating_webhook_changes_a_pod_and_the_server_completes_it(
    bare: Windlass, room: str, hook: WebhookServer
) -> None:
    sidecar = {"op": "add", "path": "/spec/containers/-", "value": {"name": "s", "image": "s", "unknown": 1}}
    config = hook.on("/sidecar", patching(sidecar, {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}))

    with configured(bare, "mutating", a_webhook(config, room, PODS)):
        spec = {"containers": [{"name": "c", "image": "c"}]}
        pod = bare.create(f"/api/v1/namespaces/{room}/pods", {"metadata": {"name": "p"}, "spec": spec})

    assert pod["metadata"]["labels"] == {"a": "b"}
    added = pod["spec"]["containers"][1]
    assert (added["name"], added["terminationMessagePolicy"], "unknown" in added) == ("s", "File", False)
    assert added["volumeMounts"][0]["mountPath"] == "/var/run/secrets/kubernetes.io/serviceaccount"


def test_a_webhook_is_told_everything_about_a_write(bare: Windlass, room: str, hook: WebhookServer) -> None:
    config = hook.on("/told", allow())

    with configured(bare, "validating", a_webhook(config, room)):
        create_map(bare, room, data={"a": "1"}, query="?fieldManager=me")
        bare.patch(f"/api/v1/namespaces/{room}/configmaps/m", {"data": {"a": "2"}})
        bare.request("DELETE", f"/api/v1/namespaces/{room}/configmaps/m")

    created, updated, deleted = (review["request"] for review in hook.reviews_at("/told"))
    assert created["object"]["data"] == {"a": "1"}
    assert created["oldObject"] is None
    assert created["kind"] == {"group": "", "version": "v1", "kind": "ConfigMap"}
    assert created["resource"] == {"group": "", "version": "v1", "resource": "configmaps"}
    assert (created["name"], created["namespace"], created["operation"]) == ("m", room, "CREATE")
    assert (created["userInfo"]["username"], created["dryRun"]) == ("kubernetes-admin", False)
    assert created["options"] == {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"}
    assert (updated["operation"], updated["oldObject"]["data"], updated["object"]["data"]) == (
        "UPDATE", {"a": "1"}, {"a": "2"},
    )  # fmt: skip
    assert updated["options"]["kind"] == "UpdateOptions"
    assert (deleted["operation"], deleted["object"], deleted["oldObject"]["data"]) == ("DELETE", None, {"a": "2"})
    assert deleted["options"]["kind"] == "DeleteOptions"


@pytest.mark.parametrize(
    ("status", "code", "reason", "message"),
    [
        ({}, 400, None, 'admission webhook "hook.example.com" denied the request without explanation'),
        ({"message": "no"}, 400, None, 'admission webhook "hook.example.com" denied the request: no'),
        ({"reason": "Sunday"}, 400, "Sunday", 'admission webhook "hook.example.com" denied the request: Sunday'),
        ({"message": "no", "code": 403, "reason": "Forbidden"}, 403, "Forbidden",
         'admission webhook "hook.example.com" denied the request: no'),
        ({"message": "tea", "code": 418}, 418, None, 'admission webhook "hook.example.com" denied the request: tea'),
        ({"message": "no", "code": 200}, 400, None, 'admission webhook "hook.example.com" denied the request: no'),
    ],
)  # fmt: skip
def test_a_refusal_is_passed_on(
    bare: Windlass, room: str, hook: WebhookServer, status: Any, code: int, reason: str | None, message: str
) -> None:
    config = hook.on("/deny", deny(**status))

    with configured(bare, "validating", a_webhook(config, room)):
        answer = create_map(bare, room)

    body = answer.json()
    assert (answer.status, body["code"], body.get("reason"), body["message"]) == (code, code, reason, message)
    assert bare.request("GET", f"/api/v1/namespaces/{room}/configmaps/m").status == 404


def test_an_update_and_a_deletion_can_be_refused(bare: Windlass, room: str, hook: WebhookServer) -> None:
    config = hook.on("/keep", deny(message="keep it"))
    create_map(bare, room)

    with configured(bare, "validating", a_webhook(config, room)):
        path = f"/api/v1/namespaces/{room}/configmaps/m"
        assert bare.patch(path, {"data": {"a": "b"}}).status == 400
        assert bare.request("DELETE", path).status == 400
        assert bare.request("DELETE", f"/api/v1/namespaces/{room}/configmaps").status == 400

    assert "data" not in bare.get(path)


def test_a_webhook_that_is_not_there_fails_the_write_or_not_as_it_says(bare: Windlass, room: str) -> None:
    port = 1
    config = {"url": f"https://127.0.0.1:{port}/x"}

    with configured(bare, "validating", a_webhook(config, room)):
        answer = create_map(bare, room)
    assert answer.status == 500
    assert answer.json()["message"] == (
        'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: '
        f'Post "https://127.0.0.1:{port}/x?timeout=10s": dial tcp 127.0.0.1:{port}: connect: connection refused'
    )
    with configured(bare, "validating", a_webhook(config, room, failurePolicy="Ignore")):
        assert create_map(bare, room).status == 201


def test_a_webhook_that_nobody_vouches_for_is_not_asked(bare: Windlass, room: str, hook: WebhookServer) -> None:
    config = hook.on("/untrusted", allow())
    del config["caBundle"]

    with configured(bare, "validating", a_webhook(config, room)):
        message = create_map(bare, room).json()["message"]

    assert "tls: failed to verify certificate" in message
    assert hook.reviews_at("/untrusted") == []


def test_a_webhook_that_takes_too_long_is_not_waited_for(bare: Windlass, room: str, hook: WebhookServer) -> None:
    finished = threading.Event()
    config = hook.on("/slow", lambda review: (finished.wait(30), allow()(review))[1])

    try:
        with configured(bare, "validating", a_webhook(config, room, timeoutSeconds=1)):
            answer = create_map(bare, room)
    finally:
        finished.set()

    assert answer.status == 500
    assert answer.json()["message"].endswith('/slow?timeout=1s": context deadline exceeded')


def odd(change: Callable[[Any], None]) -> Answer:
    def answer(review: Any) -> Any:
        made = allow()(review)
        change(made)
        return made

    return answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (odd(lambda made: made.update(kind="Odd")),
         "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, "
         "got admission.k8s.io/v1, Kind=Odd"),
        (odd(lambda made: made.pop("response")), "received invalid webhook response: webhook response was absent"),
        (odd(lambda made: made["response"].update(uid="x")), "invalid webhook response: expected response.uid"),
        (allow(patch="W10="), "webhook returned response.patch but not response.patchType"),
        (allow(patch="W10=", patchType="Odd"), 'webhook returned invalid response.patchType of "Odd"'),
        (lambda review: web.Response(status=503, text="busy"),
         'failed to call webhook: an error on the server ("busy") has prevented the request from succeeding'),
        (lambda review: web.Response(status=404), "failed to call webhook: the server could not find the requested"),
        (lambda review: web.Response(text="what?"), "failed to call webhook: couldn't get response: "),
        (lambda review: web.Response(text="[" * 5_000), "couldn't get response: nested deeper than 200 levels"),
        (allow(patch=base64.b64encode(b"[" * 5_000).decode(), patchType="JSONPatch"), "occurred: nested deeper than"),
        (patching({"op": "remove", "path": "/data/absent"}), "occurred: remove operation does not apply"),
        (allow(patch="%%%", patchType="JSONPatch"), "Internal error occurred: "),
        (patching({"op": "replace", "path": "/metadata/name", "value": "other"}), "may not rename the object"),
        (patching({"op": "add", "path": "/data", "value": 7}), "Internal error occurred: "),
    ],
)  # fmt: skip
def test_an_answer_that_makes_no_sense_fails_the_write(
    bare: Windlass, room: str, hook: WebhookServer, answer: Answer, message: str
) -> None:
    config = hook.on("/odd", answer)

    with configured(bare, "mutating", a_webhook(config, room)):
        found = create_map(bare, room)

    assert (found.status, message in found.json()["message"]) == (500, True), found.body


def test_a_validating_webhook_may_not_patch(bare: Windlass, room: str, hook: WebhookServer) -> None:
    config = hook.on("/patches", patching({"op": "add", "path": "/data", "value": {}}))

    with configured(bare, "validating", a_webhook(config, room)):
        message = create_map(bare, room).json()["message"]

    assert message.endswith("validating webhook may not return response.patch or response.patchType")


def test_warnings_reach_the_client(bare: Windlass, room: str, hook: WebhookServer) -> None:
    config = hook.on("/warn", allow(warnings=["mind the gap"]))

    with configured(bare, "validating", a_webhook(config, room)):
        answer = create_map(bare, room)

    assert (answer.status, answer.warnings) == (201, ['299 - "mind the gap"'])


def test_only_what_rules_selectors_and_conditions_match_is_asked_about(
    bare: Windlass, room: str, hook: WebhookServer
) -> None:
    config = hook.on("/match", deny(message="matched"))
    labelled = {"metadata": {"name": "m", "labels": {"team": "ml"}}}

    def denied(obj: Any = labelled, **spec: Any) -> bool:
        with configured(bare, "validating", a_webhook(config, room, **spec)):
            path = f"/api/v1/namespaces/{room}/configmaps?dryRun=All"
            answer = bare.request("POST", path, obj)
        assert answer.status in (201, 400), answer.body
        return answer.status == 400

    assert denied()
    assert not denied(rules=[{**MAPS, "operations": ["UPDATE"]}])
    assert not denied(rules=[{**MAPS, "scope": "Cluster"}])
    assert denied(rules=[{**MAPS, "resources": ["*/*"]}])
    assert denied(rules=[{**MAPS, "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}])
    assert denied(objectSelector={"matchLabels": {"team": "ml"}})
    assert not denied(objectSelector={"matchLabels": {"team": "other"}})
    assert not denied(namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "default"}})
    conditions = [{"name": "a", "expression": "object.metadata.name == 'm' && !has(object.data)"}]
    assert denied(matchConditions=conditions)
    assert not denied({**labelled, "data": {"a": "b"}}, matchConditions=conditions)
    assert denied(matchConditions=[{"name": "a", "expression": "authorizer.requestResource.check('create').allowed()"}])


def test_a_condition_that_cannot_be_evaluated_fails_the_write_or_not_as_the_webhook_says(
    bare: Windlass, room: str, hook: WebhookServer
) -> None:
    config = hook.on("/broken", deny(message="asked"))
    conditions = [{"name": "a", "expression": "object.absent.field == 1"}]

    with configured(bare, "validating", a_webhook(config, room, matchConditions=conditions)):
        answer = create_map(bare, room)
    assert (answer.status, answer.json()["message"]) == (
        403,
        "configmaps \"m\" is forbidden: expression 'object.absent.field == 1' resulted in error: no such key: absent",
    )
    with configured(bare, "validating", a_webhook(config, room, matchConditions=conditions, failurePolicy="Ignore")):
        assert create_map(bare, room).status == 201
    assert hook.reviews_at("/broken") == []


def counting(review: Any) -> Any:
    """Adds one to an annotation each time it is asked."""
    annotations = review["request"]["object"]["metadata"].get("annotations", {})
    counted = {**annotations, "n": str(int(annotations.get("n", 0)) + 1)}
    return patching({"op": "add", "path": "/metadata/annotations", "value": counted})(review)


def test_a_webhook_is_asked_again_if_it_wishes_so_and_another_changed_the_object(
    bare: Windlass, room: str, hook: WebhookServer
) -> None:
    first = a_webhook(hook.on("/count", counting), room, name="a.example.com")
    second = a_webhook(hook.on("/label", patching({"op": "add", "path": "/data", "value": {"a": "b"}})), room)

    with configured(bare, "mutating", {**first, "reinvocationPolicy": "IfNeeded"}, second):
        assert create_map(bare, room, "again").json()["metadata"]["annotations"] == {"n": "2"}
    with configured(bare, "mutating", first, second):
        assert create_map(bare, room, "once").json()["metadata"]["annotations"] == {"n": "1"}
    with configured(bare, "mutating", second, {**first, "reinvocationPolicy": "IfNeeded"}):
        assert create_map(bare, room, "last").json()["metadata"]["annotations"] == {"n": "1"}


def test_a_rule_for_another_version_sees_the_object_in_that_version(
    bare: Windlass, room: str, hook: WebhookServer
) -> None:
    rule = {"apiGroups": ["autoscaling"], "apiVersions": ["v1"], "operations": ["*"]}
    rule["resources"] = ["horizontalpodautoscalers"]
    raised = {"op": "replace", "path": "/spec/targetCPUUtilizationPercentage", "value": 70}
    config = hook.on("/old", patching(raised))
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    wanted = {"type": "Utilization", "averageUtilization": 50}
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": wanted}}]
    spec = {"scaleTargetRef": target, "maxReplicas": 3, "metrics": metrics}
    scaler = {"metadata": {"name": "s"}, "spec": spec}
    path = f"/apis/autoscaling/v2/namespaces/{room}/horizontalpodautoscalers"

    with configured(bare, "mutating", a_webhook(config, room, rule)):
        made = bare.create(path, scaler)
    with configured(bare, "mutating", a_webhook(config, room, rule, matchPolicy="Exact")):
        bare.create(path, {**scaler, "metadata": {"name": "t"}})

    (request,) = (review["request"] for review in hook.reviews_at("/old"))
    assert request["object"]["apiVersion"] == "autoscaling/v1"
    assert (request["kind"]["version"], request["requestKind"]["version"]) == ("v1", "v2")
    assert made["apiVersion"] == "autoscaling/v2"
    assert made["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] == 70


def test_a_webhook_behind_a_service_is_reached_at_its_endpoints(bare: Windlass, room: str, hook: WebhookServer) -> None:
    hook.on("/service", deny(message="reached"))
    config = {"service": {"namespace": "default", "name": "hook", "path": "/service"}, "caBundle": hook.bundle}

    with configured(bare, "validating", a_webhook(config, room)):
        assert (
            create_map(bare, room)
            .json()["message"]
            .endswith('Post "https://hook.default.svc:443/service?timeout=10s": service "hook" not found')
        )
        bare.create(
            "/api/v1/namespaces/default/services", {"metadata": {"name": "hook"}, "spec": {"ports": [{"port": 443}]}}
        )
        assert 'no endpoints available for service "hook"' in create_map(bare, room).json()["message"]
        piece = {"metadata": {"name": "hook", "labels": {"kubernetes.io/service-name": "hook"}}, "addressType": "IPv4"}
        piece |= {"endpoints": [{"addresses": ["127.0.0.1"]}], "ports": [{"name": "", "port": hook.port}]}
        bare.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", piece)
        assert create_map(bare, room).json()["message"].endswith("denied the request: reached")


def test_the_quota_holds_while_webhooks_are_waited_for(bare: Windlass, room: str, hook: WebhookServer) -> None:
    together = threading.Barrier(4, timeout=60)
    config = hook.on("/wait", lambda review: (together.wait(), allow()(review))[1])
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"configmaps": "2"}}}
    bare.create(f"/api/v1/namespaces/{room}/resourcequotas", quota)
    statuses: list[int] = []

    with configured(bare, "validating", a_webhook(config, room, timeoutSeconds=30)):
        threads = [
            threading.Thread(target=lambda n=n: statuses.append(create_map(bare, room, f"m{n}").status))
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sorted(statuses) == [201, 201, 403, 403]


# Without a server


class OneConfiguration:
    """As much of an Api as webhooks need: one configuration, and what is served."""

    def __init__(self, kind: str, *webhooks: Any) -> None:
        self.registry = Registry(RESOURCES)
        self._kind = kind
        self._found = {"metadata": {"name": "c"}, "webhooks": list(webhooks)}

    def read_all(self, kind: str) -> list[Any]:
        return [self._found] if kind == self._kind else []

    def read(self, kind: str, namespace: str, name: str) -> Any:
        return {"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}}


def a_write(api: OneConfiguration, **more: Any) -> Attributes:
    maps = api.registry.find("", "v1", "configmaps")
    assert maps is not None
    return Attributes("CREATE", maps, "", "room", "m", {"metadata": {"name": "m"}}, None, User("alice"), **more)


async def nobody(api: Api, config: Any, review: Any, seconds: float) -> Any:
    raise AssertionError("the webhook must not be asked")


@pytest.mark.parametrize("kind", [MUTATING, VALIDATING])
async def test_a_trial_does_not_reach_a_webhook_with_side_effects(kind: str) -> None:
    api = OneConfiguration(kind, a_webhook({}, "room", sideEffects="Some"))
    webhooks = Webhooks(cast(Api, api), nobody)

    with pytest.raises(BadRequest, match=r'^admission webhook "hook\.example\.com" does not support dry run$'):
        await (webhooks.mutate if kind == MUTATING else webhooks.validate)(a_write(api, dry_run=True))


async def test_no_webhook_is_asked_about_webhooks() -> None:
    api = OneConfiguration(VALIDATING, a_webhook({}, "room", {**MAPS, "apiGroups": ["*"], "resources": ["*"]}))
    attributes = a_write(api)
    kind = api.registry.find("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations")
    assert kind is not None
    attributes.resource = kind

    await Webhooks(cast(Api, api), nobody).validate(attributes)


def test_a_refusal_carries_the_details_that_the_webhook_gave() -> None:
    causes = [{"field": "spec", "message": "bad", "reason": "FieldValueInvalid"}]
    refusal = Refusal("w", {"message": "no", "code": 422, "reason": "Invalid", "details": {"causes": causes}})

    assert refusal.code == 422
    assert refusal.status()["details"] == {"causes": causes}


@pytest.mark.parametrize(
    ("subresource", "body", "kind"),
    [
        ("pods/p/binding", {"target": {"kind": "Node", "name": "n"}}, ("", "v1", "Binding")),
        ("pods/p/eviction", {}, ("policy", "v1", "Eviction")),
        ("serviceaccounts/default/token", {}, ("authentication.k8s.io", "v1", "TokenRequest")),
    ],
)
def test_what_a_subresource_takes_is_created_before_a_webhook(
    bare: Windlass, room: str, hook: WebhookServer, subresource: str, body: Any, kind: tuple[str, str, str]
) -> None:
    plural, name, below = subresource.split("/")
    path = f"/{below}-{room}"
    spec = {"containers": [{"name": "c", "image": "c"}]}
    bare.create(f"/api/v1/namespaces/{room}/pods", {"metadata": {"name": "p"}, "spec": spec})
    rule = {**PODS, "operations": ["*"], "resources": [f"{plural}/{below}"]}

    with configured(bare, "validating", a_webhook(hook.on(path, deny(message="no")), room, rule)):
        answer = bare.request("POST", f"/api/v1/namespaces/{room}/{subresource}", body)
        assert answer.status == 400
        hook.on(path, allow())
        assert bare.request("POST", f"/api/v1/namespaces/{room}/{subresource}", body).status == 201

    for asked in (review["request"] for review in hook.reviews_at(path)):
        assert (asked["operation"], asked["subResource"], asked["name"]) == ("CREATE", below, name)
        assert tuple(asked["kind"].values()) == tuple(asked["requestKind"].values()) == kind
        assert asked["object"]["kind"] == kind[2]
    assert len(hook.reviews_at(path)) == 2
