"""A JobSet's life: what starts when, what ends it, what is made anew, and how it rests."""

from typing import Any

import pytest

from tests.apps.jobset.builders import after, job
from tests.apps.jobset.controllers.world import World
from windlass.apis.batch_v1 import Job
from windlass.apps.jobset.controllers.child_events import event_for
from windlass.kube.errors import Forbidden
from windlass.kube.json import dig
from windlass.kube.plan import Outcome, Plan
from windlass.kube.testing import created

FIRST = "(first failed job: {})"


def settled(*jobs: Any, **spec: Any) -> World:
    world = World(*jobs, **spec)
    world.settle()
    return world


# --- starting


def test_all_jobs_are_made_at_once_and_counted() -> None:
    world = settled(job("a"), job("b", 2, pods=2))

    assert sorted(world.jobs) == ["demo-a-0", "demo-b-0", "demo-b-1"]
    assert (world.conditions, world.there.status.restarts) == ([], 0)
    world.run("demo-b-0")
    world.job("demo-b-1", active=2, ready=1)
    world.settle()
    counts = world.counts("b")
    assert (counts.ready, counts.active, counts.succeeded, counts.failed, counts.suspended) == (1, 2, 0, 0, 0)


@pytest.mark.parametrize(("status", "runs", "ends"), [("Ready", True, True), ("Complete", False, True)])
def test_what_depends_on_another_waits_for_it(status: str, runs: bool, ends: bool) -> None:
    world = settled(job("a", 2), job("b", dependsOn=after("a", status)))
    assert sorted(world.jobs) == ["demo-a-0", "demo-a-1"]

    world.run("demo-a-0")
    world.settle()
    assert "demo-b-0" not in world.jobs, "only one of two is ready"
    world.run("demo-a-1")
    world.settle()
    assert ("demo-b-0" in world.jobs) == runs
    world.end("demo-a-0")
    world.end("demo-a-1")
    world.settle()
    assert ("demo-b-0" in world.jobs) == ends


def test_in_order_each_starts_when_the_one_before_is_ready() -> None:
    world = settled(job("a"), job("b"), startupPolicy={"startupPolicyOrder": "InOrder"})
    assert sorted(world.jobs) == ["demo-a-0"]
    assert world.conditions == ["StartupPolicyInProgress"]

    world.run()
    world.settle()
    assert sorted(world.jobs) == ["demo-a-0", "demo-b-0"]
    assert world.conditions == ["StartupPolicyInProgress"]
    world.run()
    world.settle()
    assert world.conditions == ["StartupPolicyInProgress=False", "StartupPolicyCompleted"]
    assert world.with_conditions() == ["InOrderStartupPolicyInProgress", "InOrderStartupPolicyCompleted"]


def test_a_job_that_somebody_deletes_is_made_again() -> None:
    world = settled()
    world.vanish("demo-workers-0")

    world.settle()

    assert [name for name, _, _ in world.made] == ["demo-workers-0"] * 2


def test_anothers_job_of_that_name_is_told_of_and_left_alone() -> None:
    world = World()
    world.put({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "demo-workers-0", "namespace": "team-a"}})

    plan = world.plan()

    assert [one["kind"] for one in created(plan) if isinstance(one, dict)] == ["Service"]
    (note,) = plan.events
    why = 'job "demo-workers-0" creation failed with error: jobs.batch "demo-workers-0" already exists'
    assert (note.reason, note.message, note.warning) == ("JobCreationFailed", why, True)
    assert plan.again_in is not None


@pytest.mark.parametrize(
    ("kind", "reason", "message"),
    [
        ("Job", "JobCreationFailed", 'job "x" creation failed with error: exceeded quota'),
        ("Service", "HeadlessServiceCreationFailed", "exceeded quota"),
        ("PersistentVolumeClaim", "PVCCreationFailed", "exceeded quota"),
    ],
)
def test_what_is_refused_is_told_in_upstreams_words(kind: str, reason: str, message: str) -> None:
    obj = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}}

    note = event_for(World().there, Outcome("create", obj, Forbidden("exceeded quota")))

    assert note is not None
    assert (note.reason, note.message, note.warning) == (reason, message, True)
    assert event_for(World().there, Outcome("create", obj)) is None


def test_a_set_that_another_looks_after_or_that_goes_is_left_alone() -> None:
    assert World(managedBy="kueue.x-k8s.io/multikueue").plan() == Plan()
    world = World(managedBy="jobset.sigs.k8s.io/jobset-controller")
    assert world.plan() != Plan()
    world.edit({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    assert world.plan() == Plan()


# --- ending


SUCCESS: list[tuple[Any, list[str], bool]] = [
    # the policy, which Jobs have succeeded, whether the set has
    (None, ["demo-a-0", "demo-b-0"], False),
    (None, ["demo-a-0", "demo-b-0", "demo-b-1"], True),
    ({"operator": "Any"}, ["demo-b-1"], True),
    ({"operator": "All", "targetReplicatedJobs": ["a"]}, ["demo-b-0", "demo-b-1"], False),
    ({"operator": "All", "targetReplicatedJobs": ["a"]}, ["demo-a-0"], True),
    ({"operator": "Any", "targetReplicatedJobs": ["b"]}, ["demo-a-0"], False),
    ({"operator": "All", "targetReplicatedJobs": ["b"]}, ["demo-b-0"], False),
]


@pytest.mark.parametrize(("policy", "succeeded", "done"), SUCCESS)
def test_a_set_has_succeeded_when_its_policy_says_so(policy: Any, succeeded: list[str], done: bool) -> None:
    world = settled(job("a"), job("b", 2), **({"successPolicy": policy} if policy else {}))
    for name in succeeded:
        world.end(name)

    world.settle()

    assert world.conditions == (["Completed"] if done else [])
    assert world.there.status.terminal_state == ("Completed" if done else "")
    assert sorted(world.jobs) == (sorted(succeeded) if done else ["demo-a-0", "demo-b-0", "demo-b-1"])
    if done:
        assert world.condition("Completed") == ("AllJobsCompleted", "jobset completed successfully")
        assert world.with_conditions() == ["AllJobsCompleted"]


def test_a_failed_job_fails_the_set_and_the_others_go() -> None:
    world = settled(job("a"), job("b", 2))
    world.run()
    world.fail("demo-b-1")
    world.wait(5)
    world.fail("demo-b-0")

    world.settle()

    why = "jobset failed due to one or more job failures " + FIRST.format("demo-b-1")
    assert world.condition("Failed") == ("FailedJobs", why)
    assert world.there.status.terminal_state == "Failed"
    assert sorted(world.jobs) == ["demo-b-0", "demo-b-1"]
    (note,) = world.events
    assert (note.reason, note.message, note.warning) == ("FailedJobs", why, True)


def test_a_set_that_is_over_goes_when_its_time_has_come() -> None:
    world = settled(ttlSecondsAfterFinished=10)
    world.end("demo-workers-0")
    world.settle()
    assert world.again_in is not None
    assert world.again_in.total_seconds() == 10

    world.wait(10)
    world.settle()

    assert world.jobset is None


# --- restarting


def rule(action: str, **more: Any) -> Any:
    return {"name": f"r{len(more)}", "action": action, **more}


def failing(*rules: Any, most: int = 1, **policy: Any) -> World:
    policy = {"maxRestarts": most, "rules": list(rules), **policy}
    world = settled(job("a"), job("b", 2), failurePolicy=policy)
    world.run()
    return world


def test_a_failure_makes_all_jobs_anew_until_there_were_enough_restarts() -> None:
    world = failing()
    world.fail("demo-b-0")
    world.settle()

    status = world.there.status
    assert (status.restarts, status.restarts_count_towards_max, world.conditions) == (1, 1, [])
    assert {(name, attempt) for name, attempt, _ in world.made[3:]} == {
        ("demo-a-0", 1), ("demo-b-0", 1), ("demo-b-1", 1),
    }  # fmt: skip
    (note,) = world.events
    why = "applying RestartJobSet failure policy action " + FIRST.format("demo-b-0")
    assert (note.reason, note.message, note.warning) == ("RestartJobSetFailurePolicyAction", why, True)

    world.fail("demo-a-0")
    world.settle()
    why = "jobset failed due to reaching max number of restarts " + FIRST.format("demo-a-0")
    assert world.condition("Failed") == ("ReachedMaxRestarts", why)


RULES: list[tuple[list[Any], str, str]] = [
    # the rules, the message of demo-b-0's failure, what is done about it
    ([], "", "RestartJobSet"),
    ([rule("FailJobSet")], "", "FailJobSet"),
    ([rule("FailJobSet", targetReplicatedJobs=["a"])], "", "RestartJobSet"),
    ([rule("FailJobSet", targetReplicatedJobs=["b"])], "", "FailJobSet"),
    ([rule("FailJobSet", onJobFailureReasons=["DeadlineExceeded"])], "", "RestartJobSet"),
    ([rule("FailJobSet", onJobFailureReasons=["BackoffLimitExceeded"])], "", "FailJobSet"),
    ([rule("FailJobSet", onJobFailureMessagePatterns=["x", "code 1[0-9]"])], "exit code 17", "FailJobSet"),
    ([rule("FailJobSet", onJobFailureMessagePatterns=["code 1$"])], "exit code 17", "RestartJobSet"),
    ([rule("RestartJobSetAndIgnoreMaxRestarts"), rule("FailJobSet")], "", "RestartJobSetAndIgnoreMaxRestarts"),
]


@pytest.mark.parametrize(("rules", "message", "action"), RULES)
def test_the_first_rule_that_matches_says_what_is_done(rules: list[Any], message: str, action: str) -> None:
    world = failing(*rules)
    world.fail("demo-b-0", message=message)

    world.settle()

    assert world.with_conditions() == [f"{action}FailurePolicyAction"]
    counted = world.there.status.restarts_count_towards_max
    assert (world.there.status.restarts, counted) == {
        "RestartJobSet": (1, 1), "FailJobSet": (0, 0), "RestartJobSetAndIgnoreMaxRestarts": (1, 0),
    }[action]  # fmt: skip
    if action == "FailJobSet":
        why = "applying FailJobSet failure policy action " + FIRST.format("demo-b-0")
        assert world.condition("Failed") == ("FailJobSetFailurePolicyAction", why)


def test_a_restart_that_is_not_counted_has_no_end() -> None:
    world = failing(rule("RestartJobSetAndIgnoreMaxRestarts"), most=0)
    for _ in range(3):
        world.fail("demo-a-0")
        world.settle()

    assert (world.there.status.restarts, world.conditions) == (3, [])


def test_one_job_is_made_anew_and_the_others_go_on() -> None:
    world = failing(rule("RestartJob", targetReplicatedJobs=["b"]), most=2)
    world.fail("demo-b-0")
    world.fail("demo-b-1")
    world.settle()

    assert world.made[3:] == [("demo-b-0", 0, 1), ("demo-b-1", 0, 1)]
    counts = world.counts("b")
    assert (counts.job_restarts, counts.job_restarts_count_towards_max) == ([1, 1], [1, 1])
    assert (world.there.status.restarts, world.counts("a").job_restarts) == (0, [])
    world.fail("demo-a-0")
    world.settle()
    assert world.condition("Failed")[0] == "ReachedMaxRestarts", "restarts of single Jobs count too"


def test_one_job_is_made_anew_without_end_where_that_is_not_counted() -> None:
    world = failing(rule("RestartJobAndIgnoreMaxRestarts"), most=0)
    for _ in range(3):
        world.fail("demo-b-1")
        world.settle()

    counts = world.counts("b")
    assert (counts.job_restarts, counts.job_restarts_count_towards_max) == ([0, 3], [0, 0])
    assert world.jobs["demo-b-1"].metadata.labels["jobset.sigs.k8s.io/job-restart-attempt"] == "3"


@pytest.mark.parametrize(("strategy", "early"), [("Recreate", ["demo-a-0"]), ("BlockingRecreate", [])])
def test_a_job_is_made_anew_when_it_or_when_all_have_gone(strategy: str, early: list[str]) -> None:
    world = failing(restartStrategy=strategy)
    world.lingering = True
    world.fail("demo-a-0")
    world.settle()
    assert all(one.metadata.deletion_timestamp for one in world.jobs.values())

    world.vanish("demo-a-0")
    world.settle()
    assert [name for name, attempt, _ in world.made if attempt == 1] == early
    world.vanish("demo-b-0")
    world.vanish("demo-b-1")
    world.settle()
    assert sorted(name for name, attempt, _ in world.made if attempt == 1) == ["demo-a-0", "demo-b-0", "demo-b-1"]


# --- resting


def test_a_set_may_rest_from_the_start() -> None:
    world = settled(job("a"), job("b", dependsOn=after("a", "Ready")), suspend=True)

    assert {name: one.spec.suspend for name, one in world.jobs.items()} == {"demo-a-0": True}
    assert world.conditions == ["Suspended"]
    assert world.condition("Suspended") == ("SuspendedJobs", "jobset is suspended")
    assert world.counts("a").suspended == 1
    world.edit({"spec": {"suspend": False}})
    world.settle()
    assert not world.jobs["demo-a-0"].spec.suspend
    assert world.conditions == ["Suspended=False"]
    assert world.condition("Suspended") == ("ResumeJobs", "jobset is resumed")
    assert world.with_conditions() == ["SuspendedJobs", "ResumeJobs"]


def test_jobs_rest_with_their_set_and_go_on_in_their_order() -> None:
    world = settled(job("a"), job("b", dependsOn=after("a", "Ready")))
    world.run()
    world.settle()
    assert "demo-b-0" in world.jobs

    world.edit({"spec": {"suspend": True}})
    world.settle()
    assert all(one.spec.suspend for one in world.jobs.values())
    for name in world.jobs:
        world.job(name, start_time="2026-01-01T00:00:00Z")
    world.edit({"spec": {"suspend": False}})
    world.settle()
    assert {name: one.spec.suspend for name, one in world.jobs.items()} == {"demo-a-0": False, "demo-b-0": True}
    world.run("demo-a-0")
    world.settle()
    assert not world.jobs["demo-b-0"].spec.suspend


def directed(world: World, **pod: Any) -> None:
    """Whoever admits the set says where its pods go, and lets it go on."""
    (replicated,) = [*world.there.spec.replicated_jobs]
    pods: Any = dig(replicated.template, "spec", "template")
    metadata = {"labels": {"flavour": "spot"}, "annotations": {"by": "kueue"}}
    template = {**pods, "metadata": metadata, "spec": {**pods["spec"], **pod}}
    changed = {
        "name": "workers",
        "groupName": "default",
        "replicas": 1,
        "template": {"spec": {**replicated.template["spec"], "template": template}},
    }
    world.edit({"spec": {"suspend": False, "replicatedJobs": [changed]}})


@pytest.mark.parametrize("started", [False, True])
def test_what_was_said_of_places_meanwhile_reaches_the_jobs(started: bool) -> None:
    world = settled(job(pod={"tolerations": [{"key": "old"}]}), suspend=True)
    if started:
        world.job("demo-workers-0", start_time="2026-01-01T00:00:00Z")
    gates = [{"name": "wait"}]
    tolerations = [{"key": "old"}, {"key": "spot"}]
    directed(world, nodeSelector={"pool": "spot"}, tolerations=tolerations, schedulingGates=gates)

    world.settle()

    found: Job = world.jobs["demo-workers-0"]
    pods: Any = found.spec.template
    assert not found.spec.suspend
    assert found.status.start_time is None, "one that has started would take no change"
    spec = pods["spec"]
    assert (spec["nodeSelector"], spec["schedulingGates"]) == ({"pool": "spot"}, gates)
    assert spec["tolerations"] == tolerations
    assert pods["metadata"]["labels"]["flavour"] == "spot"
    assert pods["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"] == "demo", "labels of others stay"
    assert pods["metadata"]["annotations"]["by"] == "kueue"


def test_in_order_a_set_has_resumed_when_all_have_started() -> None:
    world = settled(job("a"), job("b"), startupPolicy={"startupPolicyOrder": "InOrder"}, suspend=True)
    assert sorted(world.jobs) == ["demo-a-0", "demo-b-0"]

    world.edit({"spec": {"suspend": False}})
    world.settle()
    assert {name: one.spec.suspend for name, one in world.jobs.items()} == {"demo-a-0": False, "demo-b-0": True}
    assert world.conditions == ["Suspended", "StartupPolicyInProgress"]
    for _ in range(2):
        world.run()
        world.settle()
    assert world.conditions == ["Suspended=False", "StartupPolicyInProgress=False", "StartupPolicyCompleted"]
