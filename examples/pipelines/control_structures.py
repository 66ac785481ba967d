"""Conditions, loops and an exit handler: the second tutorial among the shared pipelines.

pip install kfp
python control_structures.py control_structures.yaml
"""

import sys

from kfp import compiler, dsl  # pyright: ignore[reportMissingImports, reportAttributeAccessIssue]


@dsl.component(base_image="python:3.11")
def flip_coin() -> str:
    import random

    side = random.choice(["heads", "tails"])
    print(side)
    return side


@dsl.component(base_image="python:3.11")
def draw(low: int, high: int) -> int:
    import random

    return random.randint(low, high)


@dsl.component(base_image="python:3.11")
def say(message: str) -> None:
    print(message)


@dsl.component(base_image="python:3.11")
def square(number: int) -> int:
    return number * number


@dsl.component(base_image="python:3.11")
def total(numbers: list) -> int:
    print(f"The squares add up to {sum(numbers)}.")
    return sum(numbers)


@dsl.component(base_image="python:3.11")
def summarize(status: dsl.PipelineTaskFinalStatus) -> None:
    """Run at the end, whether the tasks of the exit handler succeeded or not."""
    print(f"{status.pipeline_job_resource_name}: {status.state}")


@dsl.pipeline(name="tutorial-control-structures", description="Shows conditions, a parallel loop and an exit handler.")
def control_structures(numbers: list = [1, 2, 3, 4]) -> None:  # noqa: B006 - the kfp compiler reads the default
    with dsl.ExitHandler(summarize(), name="play"):
        coin = flip_coin()
        with dsl.If(coin.output == "heads", name="heads"):
            number = draw(low=0, high=9)
            with dsl.If(number.output > 5, name="high"):
                say(message="heads, and a high number")
            with dsl.Else(name="low"):
                say(message="heads, and a low number")
        with dsl.Else(name="tails"):
            say(message="tails")
        with dsl.ParallelFor(numbers, parallelism=2, name="squares") as item:
            squared = square(number=item)
        total(numbers=dsl.Collected(squared.output))


if __name__ == "__main__":
    compiler.Compiler().compile(control_structures, sys.argv[1])
