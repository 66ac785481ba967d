"""What a JobSet is filled in with, refused for, and may change."""

import time
from copy import deepcopy
from typing import Any

import pytest

from tests.apps.jobset.builders import after, job, jobset, written
from windlass.apis.cause_texts import aggregated
from windlass.apps.jobset.admission import problems, warnings
from windlass.apps.jobset.defaults import with_defaults
from windlass.apps.jobset.patterns import is_found, pattern_problem
from windlass.kube.errors import required
from windlass.kube.json import Object

LONG = "a" * 63
RULE: Object = {"name": "one", "action": "FailJobSet"}


def rules(*changes: Object) -> Object:
    return {"failurePolicy": {"rules": [{**RULE, **change} for change in changes]}}


def test_what_is_left_out_is_filled_in_as_upstream_does_it() -> None:
    bare = written(job(pods=None), failurePolicy={"rules": [{"action": "FailJobSet"}]}, volumeClaimPolicies=[{}])

    spec = with_defaults(bare)["spec"]

    assert spec["successPolicy"] == {"operator": "All"}
    assert spec["startupPolicy"] == {"startupPolicyOrder": "AnyOrder"}
    assert spec["network"] == {"enableDNSHostnames": True, "publishNotReadyAddresses": True}
    assert spec["failurePolicy"]["rules"] == [{"action": "FailJobSet", "name": "failurePolicyRule0"}]
    assert spec["volumeClaimPolicies"] == [{"retentionPolicy": {"whenDeleted": "Delete"}}]
    made = spec["replicatedJobs"][0]["template"]["spec"]
    assert (made["completionMode"], made["template"]["spec"]["restartPolicy"]) == ("Indexed", "OnFailure")


def test_what_is_said_stays_and_the_object_that_was_given_too() -> None:
    said = written(
        job(spec={"completionMode": "NonIndexed"}, pod={"restartPolicy": "Never"}),
        network={"enableDNSHostnames": False, "subdomain": "here"},
        successPolicy={"operator": "Any"},
    )
    before = deepcopy(said)

    spec = with_defaults(said)["spec"]

    assert said == before
    assert spec["network"] == {"enableDNSHostnames": False, "publishNotReadyAddresses": True, "subdomain": "here"}
    assert spec["successPolicy"] == {"operator": "Any"}
    made = spec["replicatedJobs"][0]["template"]["spec"]
    assert (made["completionMode"], made["template"]["spec"]["restartPolicy"]) == ("NonIndexed", "Never")
    assert with_defaults(with_defaults(said)) == with_defaults(said)


MISSHAPEN: list[Object] = [
    {"spec": "x"},
    {"spec": {"replicatedJobs": "x"}},
    {"spec": {"replicatedJobs": ["x", None, {"name": "a"}, {"name": "a", "template": []}]}},
    {"spec": {"replicatedJobs": [{"template": {"spec": {"completionMode": "Indexed", "template": {"spec": 5}}}}]}},
    {"spec": {"network": [1], "successPolicy": {}, "startupPolicy": "x"}},
    {"spec": {"failurePolicy": "x", "volumeClaimPolicies": {}}},
    {"spec": {"failurePolicy": {"rules": ["x"]}, "volumeClaimPolicies": ["x", {"retentionPolicy": 3}]}},
]


@pytest.mark.parametrize("obj", MISSHAPEN)
def test_what_is_not_of_its_type_is_left_for_the_schema_to_refuse(obj: Object) -> None:
    made = with_defaults(obj)

    assert made == obj | {"spec": made["spec"]}
    assert not isinstance(obj["spec"], dict) or made["spec"] == made["spec"] | obj["spec"]


LABEL_SHAPE = "a DNS-1035 label must consist of lower case alphanumeric characters or '-'"
REFUSED: list[tuple[Object, str]] = [
    (jobset(job("a", 10001)), "replicas: Invalid value: 10001: must be less than or equal to 10000"),
    (jobset(job(name="A")), f'spec.replicatedJobs[0].name: Invalid value: "demo-A-0": {LABEL_SHAPE}'),
    (jobset(name=LONG), "JobSet name is too long, job names generated for this JobSet will exceed 63 characters"),
    (jobset(name="a" * 50), "JobSet name is too long, pod names generated for this JobSet will exceed 63 characters"),
    (jobset(job(groupName="")), f'spec.replicatedJobs[0].groupName: Invalid value: "": {LABEL_SHAPE}'),
    (jobset(job(groupName=LONG + "a")), ".spec.replicatedJob[].groupName is too long, must be less than 63 characters"),
    (jobset(job(replicas=2**30, pods=3)), "the product of replicas and parallelism must not exceed 2147483647"),
    (jobset(job(replicas=-1)), "spec.replicatedJobs[0].replicas: Invalid value: -1: must be greater than or equal"),
    (jobset(network={"subdomain": LONG + "a"}), ".spec.network.subdomain is too long, must be less than 63 characters"),
    (jobset(network={"subdomain": "a.b"}), f'spec.network.subdomain: Invalid value: "a.b": {LABEL_SHAPE}'),
    (jobset(job("a", dependsOn=after("b"))), "DependsOn can't be set for the first ReplicatedJob"),
    (jobset(job("a"), job("b", dependsOn=after("c"))), "replicatedJob: b cannot depend on replicatedJob: c"),
    (jobset(job("a"), job("b", dependsOn=after("b"))), "replicatedJob: b cannot depend on replicatedJob: b"),
    (
        jobset(successPolicy={"operator": "All", "targetReplicatedJobs": ["x"]}),
        "invalid replicatedJob name 'x' does not appear in .spec.ReplicatedJobs",
    ),
    (
        jobset(**rules({"targetReplicatedJobs": ["x"]})),
        "invalid replicatedJob name 'x' in failure policy does not appear in .spec.ReplicatedJobs",
    ),
    (
        jobset(**rules({"onJobFailureReasons": ["Bored"]})),
        "invalid job failure reason 'Bored' in failure policy is not a recognized job failure reason",
    ),
    (jobset(**rules({"name": "1x"})), "invalid failure policy rule name '1x', a failure policy rule name must start"),
    (jobset(**rules({"name": "a" * 129})), "invalid failure policy rule name of length 129, the rule name must be"),
    (jobset(**rules({}, {})), "rule names are not unique, rules with indices [0 1] all have the same name 'one'"),
    (
        jobset(**rules({"onJobFailureMessagePatterns": ["("]})),
        'spec.failurePolicy.rules[0].onJobFailureMessagePatterns: Invalid value: "(": error parsing regexp',
    ),
    (
        jobset(job(replicas=1025), **rules({"action": "RestartJob"})),
        "replicatedJob 'workers' must not have more than 1024 replicas when a failure policy rule has the action",
    ),
    (
        jobset(failurePolicy={"restartStrategy": "InPlaceRestart"}),
        "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled",
    ),
    (jobset(managedBy="me"), 'spec.managedBy: Invalid value: "me": must be a domain-prefixed path'),
    (jobset(managedBy="a_b/me"), 'spec.managedBy: Invalid value: "a_b": a lowercase RFC 1123 subdomain'),
    (jobset(managedBy="a.b/" + LONG), "spec.managedBy: Too long: may not be more than 63 bytes"),
    (jobset(coordinator={"replicatedJob": "x"}), "coordinator replicatedJob x does not exist"),
    (
        jobset(coordinator={"replicatedJob": "workers", "jobIndex": 1}),
        "coordinator job index 1 is invalid for replicatedJob workers",
    ),
    (
        jobset(coordinator={"replicatedJob": "workers", "podIndex": 1}),
        "coordinator pod index 1 is invalid for replicatedJob workers job index 0",
    ),
    (
        jobset(job(pods=None), coordinator={"replicatedJob": "workers"}),
        "job for coordinator pod must be indexed completion mode, and completions number must be set",
    ),
    (
        jobset(network={"subdomain": LONG}, coordinator={"replicatedJob": "workers"}),
        f'spec will lead to invalid label value "demo-workers-0-0.{LONG}" for coordinator label',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "why"), REFUSED, ids=[why[:60] for _, why in REFUSED])
def test_what_cannot_be_is_refused_in_upstreams_words(obj: Object, why: str) -> None:
    assert why in "\n".join(problems(obj))


@pytest.mark.parametrize(
    "obj",
    [
        jobset(),
        jobset(job("a", 3, 4), job("b", dependsOn=after("a", "Ready")), coordinator={"replicatedJob": "a"}),
        jobset(job("a", 0)),
        jobset(managedBy="kueue.x-k8s.io/multikueue", network={"subdomain": "here"}),
        jobset(**rules({"onJobFailureMessagePatterns": ["exit code (137|143)"], "targetReplicatedJobs": ["workers"]})),
    ],
)
def test_what_can_be_is_accepted(obj: Object) -> None:
    assert problems(obj) == []


MOUNTING: Object = {
    "containers": [{"name": "main", "image": "i", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]
}
CLAIM: Object = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}


def claiming(*templates: Object, pod: Object = MOUNTING, **policy: Any) -> Object:
    return jobset(job(pod=pod), volumeClaimPolicies=[{"templates": list(templates or [CLAIM]), **policy}])


CLAIMS: list[tuple[Object, list[str]]] = [
    (claiming(), []),
    (claiming(pod={}), ["don't have a matching volumeMount: data from VolumeClaimPolicies"]),
    (claiming(CLAIM, CLAIM), ["names must be unique for VolumeClaimPolicies template"]),
    (
        claiming(pod={**MOUNTING, "volumes": [{"name": "data"}]}),
        ["volume name conflicts with VolumeClaimPolicy template name: data"],
    ),
    (
        claiming({**CLAIM, "metadata": {"name": "d" * 60}}),
        ["VolumeClaimPolicies template name is too long", "don't have a matching volumeMount"],
    ),
]


@pytest.mark.parametrize(("obj", "whys"), CLAIMS)
def test_claims_must_be_mounted_and_have_names_of_their_own(obj: Object, whys: list[str]) -> None:
    found = problems(obj)

    assert len(found) == len(whys)
    assert all(why in one for why, one in zip(whys, found, strict=True))


def test_a_claim_that_is_there_must_be_alike_and_is_kept() -> None:
    there: Object = {"metadata": {"name": "data-demo"}, "spec": {"accessModes": ["ReadWriteMany"], "volumeName": "v"}}
    asked: list[str] = []

    def claim(name: str) -> Object:
        asked.append(name)
        return there

    other = problems(claiming(), claim=claim)

    assert asked == ["data-demo"]
    assert "spec does not match existing PVC data-demo in namespace team-a" in other[0]
    assert other[1].endswith('whenDeleted: Invalid value: "Delete": retentionPolicy must be retain when PVC exists')
    there["spec"]["accessModes"] = ["ReadWriteOnce"]
    assert problems(claiming(retentionPolicy={"whenDeleted": "Retain"}), claim=claim) == []


def changed(path: str, value: Any, **spec: Any) -> tuple[Object, Object]:
    old = jobset(**spec)
    new = deepcopy(old)
    *steps, last = path.split(".")
    place: Any = new["spec"]
    for step in steps:
        place = place[int(step)] if step.isdigit() else place.setdefault(step, {})
    place[last] = value
    return new, old


POD = "replicatedJobs.0.template.spec.template"
CHANGES: list[tuple[str, Any, bool, bool]] = [
    # what changes, to what, whether a running set may, whether a suspended one may
    ("suspend", False, True, True),
    ("ttlSecondsAfterFinished", 5, True, True),
    (f"{POD}.spec.nodeSelector", {"a": "b"}, False, True),
    (f"{POD}.spec.tolerations", [{"key": "x"}], False, True),
    (f"{POD}.spec.schedulingGates", [{"name": "x"}], False, True),
    (f"{POD}.metadata.labels", {"a": "b"}, False, True),
    (f"{POD}.metadata.annotations", {"a": "b"}, False, True),
    (f"{POD}.spec.priorityClassName", "high", False, False),
    ("replicatedJobs.0.replicas", 5, False, False),
    ("replicatedJobs", [], False, False),
    ("managedBy", "a.b/c", False, False),
]


@pytest.mark.parametrize("suspended", [False, True])
@pytest.mark.parametrize(("path", "value", "running", "resting"), CHANGES, ids=[change[0] for change in CHANGES])
def test_only_where_pods_go_may_change_and_only_while_they_rest(
    path: str, value: Any, running: bool, resting: bool, suspended: bool
) -> None:
    new, old = changed(path, value, suspend=suspended)

    found = problems(new, old)

    assert (not found) == (resting if suspended else running)
    assert all(one.endswith("field is immutable") for one in found)


def test_several_problems_of_an_update_are_one_text() -> None:
    new, old = changed("managedBy", "a.b/c")
    new["spec"]["replicatedJobs"] = []

    text = aggregated(problems(new, old))

    both = ("spec.replicatedJobs: Invalid value: []", 'spec.managedBy: Invalid value: "a.b/c"')
    assert text == f"[{', '.join(f'{one}: field is immutable' for one in both)}]"


def test_a_template_is_checked_by_whoever_knows_jobs() -> None:
    found = problems(jobset(), template=lambda where, template: [required(f"{where}.spec.x")])

    assert found == ["spec.replicatedJobs[0].template.spec.x: Required value"]


def test_what_has_no_effect_is_warned_of_by_name() -> None:
    (told,) = warnings(jobset(job("a"), job("b", spec={"suspend": True})))

    assert told.startswith("spec.replicatedJobs[1].template.spec.suspend: has no effect")
    assert warnings(jobset()) == []


PATTERNS: list[tuple[str, bool]] = [
    ("exit code 137", True),
    (".*exit code (137|143).*", True),
    ("^Container .+ failed$", True),
    (r"[*+]{2}\*\+\.", True),
    ("(?i)FAILED", True),
    ("(", False),
    ("a{2,1}", False),
    ("(a+)+$", True),
    ("((a|b)c)*", True),
    ("(x(a+))+", True),
    ("a*a*a*a*b", True),
    ("(?=x)", False),
    (r"(a)\1", False),
    (r"\pL", True),
    ("[[:alpha:]]", True),
]


@pytest.mark.parametrize(("pattern", "works"), PATTERNS)
def test_a_pattern_is_one_of_go(pattern: str, works: bool) -> None:
    assert (not pattern_problem(pattern)) == works


@pytest.mark.parametrize("pattern", ["(.|.){40}!!", "(.|.)" * 20 + "!!", ".?" * 60 + "a" * 60 + "!", "(a+)+$"])
def test_no_pattern_holds_the_controller_up(pattern: str) -> None:
    begin = time.process_time()
    assert pattern_problem(pattern) == ""
    assert not is_found(pattern, "a" * 1000 + "b")
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("patterns", [[".{0,1000}a.{1000}"], ["a"] * 200, [f"(?i){n}" for n in range(100_000)]])
def test_the_patterns_of_a_jobset_are_bounded_together(patterns: list[str]) -> None:
    begin = time.process_time()
    found = problems(with_defaults(jobset(**rules({"onJobFailureMessagePatterns": patterns}))))
    assert any("onJobFailureMessagePatterns must not have more than 100 patterns" in each for each in found)
    assert time.process_time() - begin < 5


def test_a_pattern_is_looked_for_anywhere_in_the_message() -> None:
    assert is_found("code 1(37|43)", "failed with exit code 137 matching a rule")
    assert not is_found("^exit", "failed with exit code 137")
