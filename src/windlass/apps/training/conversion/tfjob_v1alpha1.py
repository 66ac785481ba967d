"""TFJob v1alpha1: a list of replicas, each with its type, its port and its pods' own restart policy.

replicaSpecs: [{tfReplicaType: PS, tfPort: 2222, replicas: 2, template: ...}]
"""

from windlass.apps.training.conversion.round_trip import without
from windlass.apps.training.conversion.status_v1alpha1 import lowered_status, raised_status
from windlass.apps.training.conversion.versions import Version
from windlass.apps.training.frameworks import tensorflow
from windlass.apps.training.frameworks.tensorflow import TFJobSpec
from windlass.apps.training.kinds.common import ReplicaSpec
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_list, is_object

TYPES = {"MASTER": "Master", "WORKER": "Worker", "PS": "PS", "CHIEF": "Chief", "EVALUATOR": "Evaluator"}
"""Replica types: v1alpha1 defined the first three; the others represent those of v1."""
_SPELLED = {v1: old for old, v1 in TYPES.items()}
_OTHERWISE = ("tfReplicaSpecs", "runPolicy", "cleanPodPolicy", "schedulerName")
_PASSED = frozenset(TFJobSpec.__struct_encode_fields__).difference(_OTHERWISE)
"""Fields of v1 that v1alpha1 shows under the same name."""
_REPLICA_FIELDS = frozenset(ReplicaSpec.__struct_encode_fields__)
CONTAINER, PORT_NAME = tensorflow.FRAMEWORK.container, tensorflow.FRAMEWORK.port_name


def type_of(replica: Json) -> str:
    """The v1 name of a replica's type. Other spellings stay, since v1 accepts any."""
    written = str(dig(replica, "tfReplicaType") or "MASTER")
    return TYPES.get(written, written)


def keyed(spec: Object) -> Object:
    replicas = spec.get("replicaSpecs")
    if not is_list(replicas):
        return spec
    return {**spec, "replicaSpecs": {type_of(replica): replica for replica in replicas}}


def listed(spec: Object) -> Object:
    replicas = spec.get("replicaSpecs")
    return {**spec, "replicaSpecs": list(replicas.values())} if is_object(replicas) else spec


def raised(spec: Object) -> Object:
    replicas = {type_of(replica): _raised_replica(replica) for replica in dig_list(spec, "replicaSpecs")}
    scheduler = spec.get("schedulerName")
    if scheduler:
        replicas = {name: _in_pod(replica, "schedulerName", scheduler) for name, replica in replicas.items()}
    policy = {**dig_object(spec, "runPolicy")}
    written = policy.get("cleanPodPolicy") or spec.get("cleanupPodPolicy") or spec.get("cleanPodPolicy")
    policy["cleanPodPolicy"] = written or "All"
    passed = {name: value for name, value in spec.items() if name in _PASSED}
    return {**passed, "runPolicy": policy, "tfReplicaSpecs": replicas}


def _raised_replica(replica: Json) -> Object:
    made = {name: value for name, value in replica.items() if name in _REPLICA_FIELDS}
    if not made.get("restartPolicy"):
        made["restartPolicy"] = dig(replica, "template", "spec", "restartPolicy") or "Always"
        made = _in_pod(made, "restartPolicy", None)
    port = dig(replica, "tfPort")
    return made if port is None else _with_port(made, port)


def _in_pod(replica: Object, name: str, value: Json) -> Object:
    """Return the replica with one field of its pod spec set, or removed if None."""
    template = dig_object(replica, "template")
    pod = dig_object(template, "spec")
    if value is None and name not in pod:
        return replica
    changed = without(pod, name) if value is None else {**pod, name: value}
    return {**replica, "template": {**template, "spec": changed}}


def _main(replica: Object) -> int | None:
    containers = dig_list(replica, "template", "spec", "containers")
    return next((i for i, each in enumerate(containers) if dig(each, "name") == CONTAINER), None)


def _with_ports(replica: Object, container: int, ports: list[Json]) -> Object:
    containers = [*dig_list(replica, "template", "spec", "containers")]
    bare = without(containers[container], "ports")
    containers[container] = {**bare, "ports": ports} if ports else bare
    return _in_pod(replica, "containers", containers)


def _with_port(replica: Object, number: Json) -> Object:
    main = _main(replica)
    if main is None:
        return replica
    ports = dig_list(replica["template"]["spec"]["containers"][main], "ports")
    others = [port for port in ports if dig(port, "name") != PORT_NAME]
    return _with_ports(replica, main, [*others, {"name": PORT_NAME, "containerPort": number}])


def lowered(spec: Object) -> Object:
    replicas = dig_object(spec, "tfReplicaSpecs")
    shown: Object = {name: value for name, value in spec.items() if name in _PASSED}
    made = {name: _lowered_replica(name, dig_object(replicas, name)) for name in replicas}
    shown |= _scheduled(spec, made)
    shown["replicaSpecs"] = list(made.values())
    policy = dig_object(spec, "runPolicy")
    clean = policy.get("cleanPodPolicy") or spec.get("cleanPodPolicy") or "None"
    if clean != "All":
        shown["cleanupPodPolicy"] = clean
    if without(policy, "cleanPodPolicy"):
        shown["runPolicy"] = without(policy, "cleanPodPolicy")
    chief = _chief(replicas)
    if chief != "MASTER":
        shown["terminationPolicy"] = {"chief": {"replicaName": chief, "replicaIndex": 0}}
    return shown


def _chief(replicas: Object) -> str:
    """The type that decides when the job is done, as in v1."""
    names = {name.lower() for name in replicas}
    return "MASTER" if "master" in names else "CHIEF" if "chief" in names else "WORKER"


def _scheduled(spec: Object, replicas: dict[str, Object]) -> Object:
    """The `schedulerName` that all pods share, removed from `replicas` in place."""
    wanted = spec.get("schedulerName")
    names = {str(dig(each, "template", "spec", "schedulerName") or wanted or "") for each in replicas.values()}
    if len(names) != 1 or names == {""}:
        return {"schedulerName": wanted} if wanted else {}
    for name in replicas:
        replicas[name] = _in_pod(replicas[name], "schedulerName", None)
    return {"schedulerName": names.pop()}


def _lowered_replica(name: str, replica: Object) -> Object:
    made = without(replica, "restartPolicy")
    policy = replica.get("restartPolicy") or "Never"
    if policy == "ExitCode":
        made["restartPolicy"] = policy
    else:
        made = _in_pod(made, "restartPolicy", None if policy == "Always" else policy)
    made["tfReplicaType"] = _SPELLED.get(name, name)
    return _without_port(made)


def _without_port(replica: Object) -> Object:
    """Return `tfPort` for the port of TensorFlow's container, if the port has no other fields."""
    main = _main(replica)
    ports = dig_list(dig_list(replica, "template", "spec", "containers")[main], "ports") if main is not None else []
    ours = [port for port in ports if dig(port, "name") == PORT_NAME]
    if main is None or len(ours) != 1 or set(ours[0]) != {"name", "containerPort"}:
        return replica
    others = [port for port in ports if port is not ours[0]]
    return {**_with_ports(replica, main, others), "tfPort": ours[0]["containerPort"]}


def _shape(spec: Object) -> str:
    return "v1alpha2" if is_object(spec.get("tfReplicaSpecs")) and not spec.get("replicaSpecs") else ""


VERSION = Version(
    name="v1alpha1",
    raised=raised,
    lowered=lowered,
    raised_status=raised_status,
    lowered_status=lowered_status,
    keyed=keyed,
    listed=listed,
    shape_of=_shape,
)
