"""Node selectors, tolerations and affinities of the platform spec."""

import json
from typing import Any

import pytest

from tests.apps.pipelines.executor.builders import a_context, constant
from windlass.apps.pipelines.executor.platform.placement import affinity, node_selector, tolerations

IN = {"key": "zone", "operator": "In", "values": ["a"]}
TERM = {"matchExpressions": [IN]}
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def platform(**fields: Any) -> Any:
    return a_context(platform=fields)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"labels": {"a": "b"}}, {"a": "b"}),
        ({"nodeSelectorJson": constant({"a": "b", "n": 1.0, "t": True})}, {"a": "b", "n": "1", "t": "true"}),
        ({"nodeSelectorJson": constant('{"a": "b"}')}, {"a": "b"}),
        ({"nodeSelectorJson": constant(None)}, {}),
        (None, {}),
    ],
)
def test_a_node_selector_is_given_or_resolved(selector: Any, expected: dict[str, str]) -> None:
    assert node_selector(platform(nodeSelector=selector)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute", "tolerationSeconds": "10"}],
            [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute", "tolerationSeconds": 10}],
        ),
        ([{"key": "k", "operator": "Exists"}], [{"key": "k", "operator": "Exists"}]),
        ([{"tolerationJson": constant({"key": "k", "operator": "Exists"})}], [{"key": "k", "operator": "Exists"}]),
        ([{"tolerationJson": constant([{"key": "a"}, {"key": "b"}])}], [{"key": "a"}, {"key": "b"}]),
        ([{"tolerationJson": constant(json.dumps([{"key": "a"}]))}], [{"key": "a"}]),
        ([{"tolerationJson": constant(None)}], []),
        ([{"tolerationJson": constant([])}], []),
    ],
)
def test_tolerations_are_given_or_resolved(given: Any, expected: Any) -> None:
    assert tolerations(platform(tolerations=given)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([TERM], {REQUIRED: {"nodeSelectorTerms": [TERM]}}),
        ([{"matchFields": [IN]}, TERM], {REQUIRED: {"nodeSelectorTerms": [{"matchFields": [IN]}, TERM]}}),
        ([{**TERM, "weight": 5}], {PREFERRED: [{"weight": 5, "preference": TERM}]}),
        (
            [
                TERM,
                {
                    "nodeAffinityJson": constant(
                        {
                            REQUIRED: {"nodeSelectorTerms": [{"matchFields": [IN]}]},
                            PREFERRED: [{"weight": 1, "preference": TERM}],
                        }
                    )
                },
            ],
            {
                REQUIRED: {"nodeSelectorTerms": [TERM, {"matchFields": [IN]}]},
                PREFERRED: [{"weight": 1, "preference": TERM}],
            },
        ),
    ],
)
def test_node_affinities_are_required_or_preferred(given: Any, expected: Any) -> None:
    assert affinity(platform(nodeAffinity=given)) == {"nodeAffinity": expected}


def test_an_empty_affinity_is_left_out() -> None:
    assert affinity(platform(nodeAffinity=[{"nodeAffinityJson": constant(None)}, {}])) == {}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"topologyKey": "host", "matchPodLabels": {"a": "b"}},
            {"podAffinity": {REQUIRED: [{"topologyKey": "host", "labelSelector": {"matchLabels": {"a": "b"}}}]}},
        ),
        (
            {"topologyKey": "host", "matchPodExpressions": [IN], "namespaces": ["x"], "anti": True, "weight": 3},
            {
                "podAntiAffinity": {
                    PREFERRED: [
                        {
                            "weight": 3,
                            "podAffinityTerm": {
                                "topologyKey": "host",
                                "labelSelector": {"matchExpressions": [IN]},
                                "namespaces": ["x"],
                            },
                        }
                    ]
                }
            },
        ),
        (
            {"topologyKey": "host", "matchNamespaceLabels": {"a": "b"}, "matchNamespaceExpressions": [IN]},
            {
                "podAffinity": {
                    REQUIRED: [
                        {
                            "topologyKey": "host",
                            "namespaceSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [IN]},
                        }
                    ]
                }
            },
        ),
    ],
)
def test_pod_affinities_are_applied(given: Any, expected: Any) -> None:
    assert affinity(platform(podAffinity=[given])) == expected


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"tolerations": [{"colour": "red"}]}, r"tolerations\[0\].colour is not a field"),
        ({"tolerations": [{"tolerationJson": constant("{")}]}, r"tolerations\[0\].tolerationJson is not JSON"),
        ({"tolerations": [{"tolerationJson": constant('{"a":' * 300 + "1" + "}" * 300)}]}, "nested deeper than 200"),
        ({"tolerations": [{"tolerationJson": constant(["x"])}]}, r"tolerationJson is not an object"),
        ({"tolerations": [{"key": "k", "tolerationSeconds": "x"}]}, "tolerationSeconds is not an integer"),
        ({"nodeSelector": {"nodeSelectorJson": constant([1])}}, "nodeSelectorJson is not an object"),
        (
            {"nodeAffinity": [{"nodeAffinityJson": constant([1])}]},
            r"nodeAffinity\[0\].nodeAffinityJson is not an object",
        ),
        ({"nodeAffinity": [{"nodeAffinityJson": constant({PREFERRED: "x"})}]}, f"{PREFERRED} is not a list"),
        ({"podAffinity": [{}]}, r"podAffinity\[0\].topologyKey is required"),
    ],
)
def test_a_wrong_placement_is_refused_by_field(fields: Any, reason: str) -> None:
    context = platform(**fields)
    with pytest.raises(ValueError, match=reason):
        _ = node_selector(context), tolerations(context), affinity(context)
