"""Samples of use: bounded, and of the right pods."""

from windlass.gateway.views.measuring.samples import KEPT_SECONDS, MAX_ANSWER_POINTS, MAX_SUBJECTS, Sample, Samples

NOW = 1_700_000_000.0


def test_points_are_of_the_asked_pods_and_time_the_oldest_first() -> None:
    samples = Samples()
    for at in range(0, 600, 5):
        pods = {("ml", "a"): Sample(at, 1.0), ("secret", "b"): Sample(1.0, 1.0)}
        samples.add(NOW - 600 + at, {"vm": Sample(1.0, 2.0)}, pods)
    samples.cores["vm"] = 2.0

    points = list(samples.points("podcpu", 300, NOW, [("ml", "a")]))
    assert {one.label for one in points} == {"ml/a"}
    assert [one.value for one in points] == [float(at) for at in range(300, 600, 5)]
    assert {one.value for one in samples.points("node", 300, NOW)} == {0.5}


def test_of_many_pods_the_answer_has_those_that_use_most_by_name() -> None:
    samples = Samples()
    for at in range(0, 300, 5):
        used = {"idle": 0.1, "steady": 0.5, "spike": 2.0 if at == 295 else 0.0, "busy": 1.5}
        samples.add(NOW - 300 + at, {}, {("ml", name): Sample(cores, 1.0) for name, cores in used.items()})

    points = list(samples.points("podcpu", 300, NOW, samples.pods, 2))
    assert list(dict.fromkeys(one.label for one in points)) == ["ml/busy", "ml/steady"]


def test_a_day_of_samples_stays_small() -> None:
    samples = Samples()
    for at in range(0, 86_400, 5):
        samples.add(NOW + at, {"vm": Sample(1.0, 2.0)}, {})

    ring = samples.nodes["vm"]
    assert len(ring.times) < 1000
    assert ring.times[-1] - ring.times[0] <= KEPT_SECONDS + 3600
    assert len(list(samples.points("node", KEPT_SECONDS, NOW + 86_400))) <= MAX_ANSWER_POINTS


def test_pods_that_are_gone_are_forgotten() -> None:
    samples = Samples()
    for number in range(MAX_SUBJECTS + 10):
        samples.add(NOW + number, {}, {("ml", f"p{number}"): Sample(1.0, 1.0)})

    assert len(samples.pods) == MAX_SUBJECTS
    assert ("ml", "p0") not in samples.pods


def test_an_old_sample_says_nothing_of_now() -> None:
    samples = Samples()
    samples.add(NOW, {}, {("ml", "a"): Sample(0.5, 1024.0)})

    assert samples.usage("ml", "a", NOW + 10, 60).cpu_cores == 0.5
    assert samples.usage("ml", "a", NOW + 100, 60).cpu_cores is None
