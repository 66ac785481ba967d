"""Pass values, files and metrics from one component to the next: the first tutorial among the shared pipelines.

pip install kfp
python data_passing.py data_passing.yaml
"""

import sys
from typing import NamedTuple

from kfp import compiler, dsl  # pyright: ignore[reportMissingImports, reportAttributeAccessIssue]


@dsl.component(base_image="python:3.11")
def make_points(count: int, slope: float, points: dsl.Output[dsl.Dataset]) -> None:
    """Write points of a line: `points.path` is a file that the next component reads."""
    import csv
    from pathlib import Path

    with Path(points.path).open("w", newline="") as file:
        csv.writer(file).writerows((x, slope * x + 1) for x in range(count))
    points.metadata["rows"] = count


@dsl.component(base_image="python:3.11")
def fit_line(points: dsl.Input[dsl.Dataset], metrics: dsl.Output[dsl.Metrics]) -> NamedTuple(
    "Line", [("slope", float), ("intercept", float)]
):
    """Fit a line by least squares, and return two values under names of their own."""
    import csv
    from collections import namedtuple
    from pathlib import Path

    with Path(points.path).open() as file:
        pairs = [(float(x), float(y)) for x, y in csv.reader(file)]
    mean_x = sum(x for x, _ in pairs) / len(pairs)
    mean_y = sum(y for _, y in pairs) / len(pairs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in pairs) / sum((x - mean_x) ** 2 for x, _ in pairs)
    intercept = mean_y - slope * mean_x
    metrics.log_metric("slope", slope)
    metrics.log_metric("intercept", intercept)
    return namedtuple("Line", ["slope", "intercept"])(slope, intercept)


@dsl.component(base_image="python:3.11")
def report(slope: float, intercept: float, page: dsl.Output[dsl.Markdown]) -> str:
    """Write a page that the dashboard shows, and return a sentence."""
    from pathlib import Path

    sentence = f"y = {slope:g} x + {intercept:g}"
    Path(page.path).write_text(f"# The line\n\n`{sentence}`\n")
    print(sentence)
    return sentence


@dsl.pipeline(name="tutorial-data-passing", description="Passes values, a file and metrics between components.")
def data_passing(count: int = 50, slope: float = 3.0) -> str:
    points = make_points(count=count, slope=slope)
    line = fit_line(points=points.outputs["points"])
    return report(slope=line.outputs["slope"], intercept=line.outputs["intercept"]).outputs["Output"]


if __name__ == "__main__":
    compiler.Compiler().compile(data_passing, sys.argv[1])
