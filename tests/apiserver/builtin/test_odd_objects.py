"""Whatever passes the schema check may be sent: no kind may fail on it in another way than by refusing it."""

from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apiserver.builtin.kinds_builders import EXAMPLES, a_container, a_pod, a_workload, strategy_of
from windlass.kube.errors import ApiError
from windlass.kube.json import Object

_PROBE = {"httpGet": {"port": 80, "httpHeaders": [{"name": "A", "value": "b"}]}, "periodSeconds": 1}
_RICH_SPEC: Object = {
    "volumes": [
        {"name": "a", "secret": {"secretName": "s", "items": [{"key": "k", "path": "p"}]}},
        {"name": "b", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}, {"configMap": {"name": "c"}}]}},
        {"name": "c", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
    ],
    "initContainers": [a_container(name="i", restartPolicy="Always", startupProbe=_PROBE)],
    "ephemeralContainers": [a_container(name="e", targetContainerName="main")],
    "tolerations": [{"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute", "tolerationSeconds": 1}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]
            }
        },
        "podAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": {"topologyKey": "z", "labelSelector": {"matchLabels": {"a": "b"}}}}
            ]
        },
    },
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}],
    "securityContext": {"runAsUser": 1, "sysctls": [{"name": "a", "value": "b"}]},
    "dnsConfig": {"nameservers": ["10.0.0.1"], "searches": ["a.b"], "options": [{"name": "x"}]},
    "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a"]}],
    "schedulingGates": [{"name": "a.b/c"}],
}
_RICH_CONTAINER = a_container(
    ports=[{"containerPort": 80, "name": "http", "hostPort": 80}],
    env=[
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "C", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
    ],
    envFrom=[{"configMapRef": {"name": "c"}}],
    resources={"limits": {"cpu": "1", "nvidia.com/gpu": 1}, "requests": {"memory": "1Gi"}},
    volumeMounts=[{"name": "a", "mountPath": "/a", "subPath": "x"}],
    livenessProbe=_PROBE,
    lifecycle={"preStop": {"exec": {"command": ["x"]}}},
    securityContext={"capabilities": {"add": ["X"]}, "seccompProfile": {"type": "RuntimeDefault"}},
)
_STARTS = [*EXAMPLES, a_pod(_RICH_CONTAINER, **_RICH_SPEC), a_workload("StatefulSet", template={"spec": _RICH_SPEC})]


@st.composite
def odd_objects(draw: st.DrawFn) -> Object:
    """A good object with some of its parts emptied, zeroed, doubled or taken away; every type stays what it was."""
    obj = deepcopy(draw(st.sampled_from(_STARTS)))
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(obj))
        if places:
            holder, key = draw(st.sampled_from(places))
            _spoil(holder, key, draw)
    return obj


def _places(value: Any) -> Any:
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ("apiVersion", "kind", "metadata"):
                yield value, key
                yield from _places(item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield value, index
            yield from _places(item)


def _spoil(holder: Any, key: Any, draw: st.DrawFn) -> None:
    value = holder[key]
    if draw(st.booleans()):
        del holder[key]
    elif isinstance(value, dict):
        holder[key] = {}
    elif isinstance(value, list):
        holder[key] = draw(st.sampled_from([[], value + deepcopy(value)]))
    elif isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = draw(st.sampled_from([-1, 0, 2**31]))
    else:
        holder[key] = draw(st.sampled_from(["", "A b", "..", "-1", "é" * 300, "None", "OnDelete", "Local"]))


def _written(obj: Object) -> Object:
    strategy = strategy_of(obj)
    strategy.default(obj)
    strategy.prepare_create(obj)
    strategy.validate(obj)
    strategy.warnings(obj)
    return obj


@settings(max_examples=400, deadline=None)
@given(odd_objects())
def test_an_odd_object_is_accepted_or_refused_and_nothing_else(obj: Object) -> None:
    strategy = strategy_of(obj)
    original = deepcopy(obj)
    try:
        new = _written(obj)
        assert all(isinstance(value, str) for value in strategy.selectable_fields(new).values())
        old = _written(deepcopy(next(good for good in _STARTS if good["kind"] == original["kind"])))
        strategy.prepare_update(new, old)
        strategy.validate_update(new, old)
    except ApiError:
        pass  # refused in words that a client can read
