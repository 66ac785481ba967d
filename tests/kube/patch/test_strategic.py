"""Strategic merge patch by the schemas of Kubernetes' own kinds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kube.words_builders import a_deployment, a_pod, apps, core
from windlass.kube.patch import PatchError
from windlass.kube.patch.strategic import apply


def _pod_after(pod: dict[str, Any], spec_patch: dict[str, Any]) -> dict[str, Any]:
    return apply(pod, {"spec": spec_patch}, core("Pod"))["spec"]


def test_a_container_is_found_by_its_name_and_the_others_stay() -> None:
    pod = a_pod({"name": "a", "image": "1", "tty": True}, {"name": "b", "image": "2"})

    spec = _pod_after(pod, {"containers": [{"name": "a", "image": "3"}]})

    assert spec["containers"] == [{"name": "a", "image": "3", "tty": True}, {"name": "b", "image": "2"}]


def test_a_new_element_stands_before_those_that_only_the_server_has() -> None:
    pod = a_pod({"name": "a"}, {"name": "b"})

    assert [each["name"] for each in _pod_after(pod, {"containers": [{"name": "c"}]})["containers"]] == ["c", "a", "b"]


def test_lists_merge_inside_lists_that_merge() -> None:
    pod = a_pod({"name": "a", "env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}]})

    spec = _pod_after(pod, {"containers": [{"name": "a", "env": [{"name": "Y", "value": "3"}]}]})

    assert spec["containers"][0]["env"] == [{"name": "X", "value": "1"}, {"name": "Y", "value": "3"}]


def test_a_list_without_a_merge_strategy_is_replaced() -> None:
    pod = a_pod({"name": "a", "args": ["1", "2"]}, tolerations=[{"key": "x"}])

    spec = _pod_after(pod, {"tolerations": [{"key": "y"}], "containers": [{"name": "a", "args": ["3"]}]})

    assert (spec["tolerations"], spec["containers"][0]["args"]) == ([{"key": "y"}], ["3"])


def test_null_removes_a_field_and_leaves_no_trace_in_new_values() -> None:
    pod = a_pod({"name": "a", "image": "1"}, hostname="h")

    spec = _pod_after(
        pod, {"hostname": None, "subdomain": None, "securityContext": {"runAsUser": None, "runAsGroup": 1}}
    )

    assert spec == {"containers": [{"name": "a", "image": "1"}], "securityContext": {"runAsGroup": 1}}


def test_lists_of_scalars_that_merge_are_unions() -> None:
    pod = a_pod()
    pod["metadata"]["finalizers"] = ["a", "b"]

    patched = apply(pod, {"metadata": {"finalizers": ["b", "c"]}}, core("Pod"))

    assert patched["metadata"]["finalizers"] == ["a", "b", "c"]


class TestDirectives:
    def test_delete_removes_the_element_with_that_key(self) -> None:
        pod = a_pod({"name": "a"}, {"name": "b"})

        assert _pod_after(pod, {"containers": [{"name": "a", "$patch": "delete"}]})["containers"] == [{"name": "b"}]

    def test_deleting_what_is_not_there_adds_nothing(self) -> None:
        pod = a_pod({"name": "a"})

        patched = _pod_after(pod, {"volumes": [{"name": "x", "$patch": "delete"}]})

        assert patched.get("volumes", []) == []

    def test_delete_in_an_object_empties_it(self) -> None:
        pod = a_pod(securityContext={"runAsUser": 1})

        assert _pod_after(pod, {"securityContext": {"$patch": "delete"}})["securityContext"] == {}

    def test_replace_in_an_object_forgets_what_was_there(self) -> None:
        pod = a_pod(securityContext={"runAsUser": 1})

        patched = _pod_after(pod, {"securityContext": {"$patch": "replace", "runAsGroup": 2}})

        assert patched["securityContext"] == {"runAsGroup": 2}

    def test_replace_in_a_list_forgets_the_other_elements(self) -> None:
        pod = a_pod({"name": "a"}, {"name": "b"})

        patched = _pod_after(pod, {"containers": [{"name": "c"}, {"$patch": "replace"}]})

        assert patched["containers"] == [{"name": "c"}]

    def test_retain_keys_removes_the_fields_that_it_does_not_name(self) -> None:
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
        patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}

        patched = apply(a_deployment(strategy=strategy), patch, apps("Deployment"))

        assert patched["spec"]["strategy"] == {"type": "Recreate"}

    def test_retain_keys_goes_along_with_removals_as_kubectl_apply_sends_them(self) -> None:
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
        patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate", "rollingUpdate": None}}}

        patched = apply(a_deployment(strategy=strategy), patch, apps("Deployment"))

        assert patched["spec"]["strategy"] == {"type": "Recreate"}

    def test_volumes_change_their_source_with_retain_keys(self) -> None:
        pod = a_pod(volumes=[{"name": "v", "emptyDir": {}}])
        patch = {"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "c"}}

        assert _pod_after(pod, {"volumes": [patch]})["volumes"] == [{"name": "v", "configMap": {"name": "c"}}]

    def test_deleting_from_a_list_of_scalars(self) -> None:
        pod = a_pod()
        pod["metadata"]["finalizers"] = ["a", "b", "c"]

        patched = apply(pod, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["b", "x"]}}, core("Pod"))

        assert patched["metadata"] == {"name": "a", "namespace": "default", "finalizers": ["a", "c"]}

    def test_element_order_is_enforced_and_what_the_server_added_keeps_its_place(self) -> None:
        pod = a_pod({"name": "a"}, {"name": "injected"}, {"name": "b"})

        patched = _pod_after(
            pod,
            {
                "$setElementOrder/containers": [{"name": "c"}, {"name": "b"}, {"name": "a"}],
                "containers": [{"name": "c", "image": "1"}],
            },
        )

        assert [each["name"] for each in patched["containers"]] == ["c", "injected", "b", "a"]
        assert all(not key.startswith("$") for key in patched)

    def test_directives_inside_new_values_do_not_reach_the_object(self) -> None:
        patched = _pod_after(
            a_pod({"name": "a"}),
            {"volumes": [{"name": "v", "$retainKeys": ["name", "emptyDir"], "emptyDir": {"$patch": "replace"}}]},
        )

        assert patched["volumes"] == [{"name": "v", "emptyDir": {}}]


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"containers": [{"image": "x"}]}, 'map: {"image":"x"} does not contain declared merge key: name'),
        ({"securityContext": {"$patch": "melt"}}, "unknown patch type found: melt in {}"),
        (
            {"containers": [{"name": "a", "$patch": "melt"}]},
            'unknown patch type found: melt in {"name":"a","$patch":"melt"}',
        ),
        ({"securityContext": {"$retainKeys": ["a"], "runAsUser": 1}}, "invalid patch format of retainKeys"),
        ({"$deleteFromPrimitiveList/x": "a"}, "invalid patch format of primitive list"),
        ({"$setElementOrder/containers": "a"}, "invalid patch format of setElementOrder list"),
    ],
)
def test_a_patch_that_makes_no_sense_is_a_bad_request(patch: dict[str, Any], message: str) -> None:
    with pytest.raises(PatchError) as refused:
        _pod_after(a_pod({"name": "a"}, securityContext={}), patch)
    assert (refused.value.message, refused.value.code) == (message, 400)


def test_elements_in_another_order_than_the_order_list_are_refused() -> None:
    patch = {
        "$setElementOrder/containers": [{"name": "a"}, {"name": "b"}],
        "containers": [{"name": "b", "image": "1"}, {"name": "a", "image": "1"}],
    }
    with pytest.raises(PatchError, match="doesn't match \\$setElementOrder list"):
        _pod_after(a_pod({"name": "a"}, {"name": "b"}), patch)


_envs = st.lists(st.sampled_from("ABC"), unique=True, max_size=3).map(
    lambda names: [{"name": name, "value": name.lower()} for name in names]
)
_containers = st.lists(st.sampled_from("abcd"), unique=True, min_size=1, max_size=4).flatmap(
    lambda names: st.tuples(*(st.builds(lambda env, name=name: {"name": name, "env": env}, _envs) for name in names))
)


@given(_containers, _containers)
def test_applying_twice_is_applying_once(live: tuple[Any, ...], patch: tuple[Any, ...]) -> None:
    once = _pod_after(a_pod(*live), {"containers": list(patch)})

    assert _pod_after(a_pod(*once["containers"]), {"containers": list(patch)}) == once


@given(_containers, _containers)
def test_the_patchs_elements_stand_in_its_order_and_none_is_lost(live: tuple[Any, ...], patch: tuple[Any, ...]) -> None:
    names = [each["name"] for each in _pod_after(a_pod(*live), {"containers": list(patch)})["containers"]]
    wanted = [each["name"] for each in patch]

    assert [name for name in names if name in wanted] == wanted
    assert sorted(names) == sorted({each["name"] for each in (*live, *patch)})


@given(_containers, _containers)
def test_neither_the_document_nor_the_patch_is_touched(live: tuple[Any, ...], patch: tuple[Any, ...]) -> None:
    pod, body = a_pod(*live), {"spec": {"containers": list(patch)}}
    shown = repr(pod), repr(body)

    apply(pod, body, core("Pod"))["spec"]["containers"][0].clear()

    assert (repr(pod), repr(body)) == shown
