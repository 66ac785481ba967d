"""Metrics in lines of logs."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.training.web.learning.log_metrics import MAX_POINTS, MAX_SERIES, LogMetrics, LogSeries, parse_line

CASES = [
    ("loss=0.42 step=10", {"loss": 0.42}, 10, None),
    ("step: 3, accuracy: 0.9", {"accuracy": 0.9}, 3, None),
    ("epoch 1/15 loss 1.71", {"loss": 1.71}, None, 1),
    ("Train Epoch: 3 [640/60000 (1%)]\tLoss: 0.123", {"Loss": 0.123}, None, 3),
    ("10/10 [=====] - 1s 5ms/step - loss: 0.5000 - accuracy: 0.8", {"loss": 0.5, "accuracy": 0.8}, None, None),
    ("{'loss': 0.3, 'learning_rate': 5e-05, 'epoch': 0.5}", {"loss": 0.3, "learning_rate": 5e-05}, None, 0.5),
    ('{"loss": 0.5, "step": 3}', {"loss": 0.5}, 3, None),
    ("iter 5: train loss 2.3, val loss 2.4", {"train_loss": 2.3, "val_loss": 2.4}, 5, None),
    ("step 100 | loss 2.1e-3 | lr 1e-4", {"loss": 0.0021, "lr": 0.0001}, 100, None),
    ("validation/f1=.5 epoch=2", {"validation/f1": 0.5}, None, 2),
    ("speed=12.5 step=1", {"speed": 12.5}, 1, None),
    ("accuracy 0.9719 on unseen digits, with 2 worker(s)", {"accuracy": 0.9719}, None, None),
    ("old\rloss=0.9\rloss=0.1", {"loss": 0.1}, None, None),
    ("Epoch 1/5", {}, None, 1),
    ("[step 20] loss=nan", {}, 20, None),
    ("INFO 2024-01-01T12:30:45 rank=0 world_size=2 port=29500", {}, None, None),
    ("listening on 127.0.0.1:80", {}, None, None),
    ("MASTER_PORT=1234 PID=7", {}, None, None),
    ("loss of connection to 10.0.0.1", {}, None, None),
    ("", {}, None, None),
]


@pytest.mark.parametrize(("line", "values", "step", "epoch"), CASES)
def test_a_line_is_read(line: str, values: dict[str, float], step: float | None, epoch: float | None) -> None:
    found = parse_line(line)

    assert (dict(found.values), found.step, found.epoch) == (values, step, epoch)


@pytest.mark.parametrize(
    "line",
    [
        f"epoch {' ' * 4000}1x",
        f"loss={'1' * 4000}x",
        f"train{' ' * 4000}1",
        "step    " * 500 + "1",
        f"loss = {'1.' * 2000}x",
        "a=1e" * 1000,
    ],
)
def test_no_line_takes_long(line: str) -> None:
    """The gateway reads logs that anyone writes, on its event loop."""
    began = time.process_time()

    for _ in range(10):
        parse_line(line)

    assert time.process_time() - began < 1.0


@given(st.lists(st.text(max_size=200), max_size=20))
def test_any_text_gives_finite_numbers_and_no_error(lines: list[str]) -> None:
    log = LogMetrics()
    for line in lines:
        log.feed(line)

    assert len(log.series) <= MAX_SERIES
    assert all(math.isfinite(value) for series in log.series.values() for value in series.values)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 10**9))
def test_what_was_printed_is_what_is_read(value: float, step: int) -> None:
    assert parse_line(f"loss={value!r} step={step}").values == (("loss", value),)


def test_a_headline_is_the_epoch_of_the_lines_after_it() -> None:
    log = LogMetrics()
    for line in ("Epoch 1/2", "loss: 0.5", "Epoch 2/2", "loss: 0.25"):
        log.feed(line)

    assert log.series["loss", "epoch"].axis == ("epoch", [1.0, 2.0])


def test_a_counter_that_starts_again_is_drawn_over_lines() -> None:
    log = LogMetrics()
    for epoch in (1, 2):
        for batch in (0, 10, 20):
            log.feed(f"epoch={epoch} batch={batch} loss={1 / (epoch + batch)}")

    assert log.series["loss", "step"].axis == ("line", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def test_points_are_bounded_and_keep_both_ends() -> None:
    series = LogSeries("loss", "step")
    for step in range(MAX_POINTS * 2):
        series.add(float(step), step, 1.0, 0.0)

    assert len(series.steps) <= MAX_POINTS
    assert (series.steps[0], series.steps[-1], series.total) == (0.0, MAX_POINTS * 2 - 1, MAX_POINTS * 2)
