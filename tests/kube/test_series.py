"""What was found out about one object of a series holds for its likes, and for nothing else."""

from windlass.kube.series import Series


def test_an_answer_is_given_again_for_the_same_bytes_alone() -> None:
    series: Series[str] = Series()
    series.put(b"one", "known")
    assert (series.get(b"one"), series.get(b"One")) == ("known", None)


def test_a_series_never_grows_without_bound() -> None:
    series: Series[int] = Series()
    for number in range(5000):
        series.put(b"%d" % number, number)
    kept = sum(series.get(b"%d" % number) is not None for number in range(5000))
    assert 0 < kept <= 512
    assert series.get(b"4999") == 4999


def test_what_is_too_large_to_keep_is_asked_again() -> None:
    series: Series[int] = Series()
    series.put(b"x" * 20_000, 1)
    assert series.get(b"x" * 20_000) is None
