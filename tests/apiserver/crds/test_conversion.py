from collections.abc import Callable
from typing import Any

import pytest

from tests.apiserver.crds.crd_builders import a_crd, a_version
from windlass.apiserver.crds.conversion import (
    Conversion,
    conversion_of,
    register_converter,
    unregister_converter,
)
from windlass.apiserver.webhook_client import Unreachable
from windlass.kube.errors import InternalError
from windlass.kube.json import Object, decode, encode

V1, V2 = "example.com/v1", "example.com/v2"


def by_webhook(**config: Any) -> Conversion:
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": config or {"url": "https://hook.example.com/c"}}
    spec: Object = {"conversion": {"strategy": "Webhook", "webhook": webhook}}
    return conversion_of(a_crd(a_version("v1"), a_version("v2", storage=False), **spec))


def a_widget(name: str = "w", api_version: str = V1) -> Object:
    return {"apiVersion": api_version, "kind": "Widget", "metadata": {"name": name, "uid": "1"}, "spec": {"size": 1}}


class Hook:
    """A conversion webhook: `change` sees each object in the wanted version, `spoil` the whole answer."""

    def __init__(
        self, change: Callable[[Object], Object] | None = None, spoil: Callable[[Object], None] | None = None
    ) -> None:
        self._change, self._spoil = change, spoil
        self.requests: list[Object] = []

    async def __call__(self, config: Object, review: Object) -> Object:
        review = decode(encode(review))
        self.requests.append(review)
        request = review["request"]
        objects = [{**obj, "apiVersion": request["desiredAPIVersion"]} for obj in request["objects"]]
        converted = [self._change(obj) if self._change else obj for obj in objects]
        answer: Object = {"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": converted}
        if self._spoil:
            self._spoil(answer)
        return {"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": answer}


async def test_a_webhook_converts_all_objects_in_one_call() -> None:
    hook = Hook(lambda obj: {**obj, "spec": {"bigness": obj["spec"]["size"]}})

    found = await by_webhook().convert([a_widget("a"), a_widget("b", V2), a_widget("c")], V2, hook)

    assert [obj["metadata"]["name"] for obj in found] == ["a", "b", "c"]
    assert [obj["spec"] for obj in found] == [{"bigness": 1}, {"size": 1}, {"bigness": 1}]
    assert len(hook.requests) == 1
    assert hook.requests[0]["kind"] == "ConversionReview"


async def test_labels_may_change_and_nothing_else_of_metadata_does() -> None:
    hook = Hook(lambda obj: {**obj, "metadata": {**obj["metadata"], "labels": {"a": "b"}, "generation": 99}})

    (found,) = await by_webhook().convert([a_widget()], V2, hook)

    assert found["metadata"] == {"name": "w", "uid": "1", "labels": {"a": "b"}}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda answer: answer.update(uid="x"), 'expected response.uid="'),
        (lambda answer: answer["convertedObjects"].clear(), "webhook returned 0 objects, expected 1"),
        (lambda answer: answer.update(result={"status": "Failed", "message": "no idea"}), "no idea"),
        (lambda answer: answer["convertedObjects"][0].update(kind="Odd"), "expected kind Widget, got Odd"),
        (lambda answer: answer["convertedObjects"][0].update(apiVersion=V1), f"expected apiVersion {V2}, got {V1}"),
        (
            lambda answer: answer["convertedObjects"][0]["metadata"].update(name="other"),
            'metadata.name: Invalid value: "other": field is immutable',
        ),
    ],
)
async def test_an_answer_that_breaks_the_rules_is_refused(spoil: Callable[[Object], None], message: str) -> None:
    with pytest.raises(InternalError) as caught:
        await by_webhook().convert([a_widget()], V2, Hook(spoil=spoil))

    assert caught.value.message.startswith("conversion webhook for example.com/v1, Kind=Widget failed: ")
    assert message in caught.value.message


async def test_a_webhook_that_cannot_be_reached_is_an_internal_error() -> None:
    async def broken(config: Object, review: Object) -> Object:
        raise Unreachable("connection refused")

    with pytest.raises(InternalError, match="connection refused"):
        await by_webhook().convert([a_widget()], V2, broken)


def test_nothing_is_passed_off_as_converted_where_the_webhook_was_not_asked() -> None:
    assert by_webhook().convert_now(a_widget(), V1) == a_widget()
    with pytest.raises(InternalError):
        by_webhook().convert_now(a_widget(), V2)


async def test_a_converter_in_this_process_takes_the_webhooks_place() -> None:
    register_converter("example.com", "Widget", lambda obj, wanted: {**obj, "spec": {"for": wanted}})
    try:
        conversion = by_webhook()
        assert not conversion.by_webhook
        (found,) = await conversion.convert([a_widget()], V2, Hook())
    finally:
        unregister_converter("example.com", "Widget")

    assert found["apiVersion"] == V2
    assert found["spec"] == {"for": V2}
