"""What may change on a pod that exists, by an update of the pod and by its subresources."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import a_container, a_pod, changed, created, strategy_of
from windlass.kube.errors import Cause, Invalid
from windlass.kube.json import Object

OTHER = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`"
TOLERATION = {"key": "a", "operator": "Exists"}


def refused(new: Object, old: Object) -> list[Cause]:
    """The causes that an update of the pod itself is refused with."""
    before, after = created(old), created(new)
    try:
        strategy_of(after).prepare_update(after, before)
    except Invalid as error:
        return list(error.causes)
    return strategy_of(after).validate_update(after, before)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.containers.0.image", "nginx:2"),
        ("spec.activeDeadlineSeconds", 5),
        ("spec.tolerations", [TOLERATION, {"key": "b", "operator": "Exists"}]),
        ("metadata.labels", {"a": "b"}),
    ],
)
def test_images_deadlines_and_more_tolerations_may_change(path: str, value: Any) -> None:
    old = a_pod(tolerations=[TOLERATION], activeDeadlineSeconds=10)

    # The image decides the pull policy only when the pod is made.
    new = changed(created(old), path, value)

    assert refused(new, created(old)) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.nodeName", "n1"),
        ("spec.restartPolicy", "Never"),
        ("spec.containers.0.command", ["sh"]),
        ("spec.containers.0.resources", {"requests": {"cpu": "1"}}),
        ("spec.ephemeralContainers", [a_container(name="debug")]),
    ],
)
def test_nothing_else_may_change(path: str, value: Any) -> None:
    [cause] = refused(changed(a_pod(), path, value), a_pod())

    assert (cause.field, cause.reason) == ("spec", "FieldValueForbidden")
    assert cause.message.startswith(f"Forbidden: {OTHER}")


def test_the_message_shows_what_changed() -> None:
    [cause] = refused(changed(a_pod(), "spec.restartPolicy", "Never"), a_pod())

    assert '- \trestartPolicy: "Always",\n+ \trestartPolicy: "Never",' in cause.message


def test_containers_may_not_be_added() -> None:
    causes = refused(a_pod(a_container(), a_container(name="b")), a_pod())

    assert causes == [
        Cause("spec.containers", "Forbidden: pod updates may not add or remove containers", "FieldValueForbidden")
    ]


def test_a_toleration_may_not_be_taken_away() -> None:
    [cause] = refused(a_pod(), a_pod(tolerations=[TOLERATION]))

    assert cause.field == "spec.tolerations"
    assert cause.message == "Forbidden: existing toleration can not be modified except its tolerationSeconds"


def test_a_deadline_may_not_be_taken_back_or_moved_out() -> None:
    old = a_pod(activeDeadlineSeconds=10)

    gone, later = refused(a_pod(), old), refused(a_pod(activeDeadlineSeconds=20), old)

    assert gone[0].message == "Invalid value: null: must not update from a positive integer to nil value"
    assert later[0].message == "Invalid value: 20: must be less than or equal to previous value 10"


def test_a_gated_pod_may_still_be_steered_but_gets_no_new_gates() -> None:
    old = a_pod(schedulingGates=[{"name": "a.b/c"}])

    assert refused(a_pod(nodeSelector={"gpu": "yes"}), old) == []
    [cause] = refused(a_pod(schedulingGates=[{"name": "a.b/c"}, {"name": "d.e/f"}]), old)
    assert cause.message == "Forbidden: only deletion is allowed, but found new scheduling gate 'd.e/f'"


def after_subresource(new: Object, old: Object) -> list[str]:
    return [cause.message for cause in strategy_of(new).validate_update(created(new), created(old))]


def test_a_subresource_may_bind_add_debug_containers_and_resize() -> None:
    old = a_pod(a_container(resources={"requests": {"cpu": "1"}}))
    resized = a_pod(a_container(resources={"requests": {"cpu": "2"}}))

    assert after_subresource(changed(old, "spec.nodeName", "n1"), old) == []
    assert after_subresource(changed(old, "spec.ephemeralContainers", [a_container(name="e")]), old) == []
    assert after_subresource(resized, old) == []


def test_a_debug_container_stays() -> None:
    old = a_pod(ephemeralContainers=[a_container(name="e")])

    assert after_subresource(a_pod(), old) == ['Forbidden: existing ephemeral containers "e" may not be removed\n']


def test_a_resize_may_not_change_the_qos_class() -> None:
    new = a_pod(a_container(resources={"requests": {"cpu": "2"}}))

    messages = after_subresource(new, a_pod())

    assert messages == ['Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing']


def test_the_debug_subresource_writes_its_containers_and_nothing_else() -> None:
    old = created(a_pod())
    new = changed(changed(old, "spec.hostNetwork", True), "status.phase", "Running")
    new = changed(new, "metadata.labels", {"a": "b"})
    new["spec"]["ephemeralContainers"] = [{"name": "debug", "image": "busybox"}]

    strategy_of(new).prepare_subresource("ephemeralcontainers", new, old)

    assert new == changed(old, "spec.ephemeralContainers", [{"name": "debug", "image": "busybox"}])


def test_the_resize_subresource_writes_resources_and_nothing_else() -> None:
    old = created(a_pod())
    new = changed(changed(old, "spec.containers.0.image", "other"), "spec.nodeName", "n1")
    new["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "2"}}

    strategy_of(new).prepare_subresource("resize", new, old)

    assert new == changed(old, "spec.containers.0.resources", {"requests": {"cpu": "2"}})
