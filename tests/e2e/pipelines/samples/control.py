"""Samples of loops, conditions and order."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from typing import Dict, List, Optional

from catalogue import VERSION, sample
from kfp import dsl

If = dsl.If if VERSION >= (2, 4) else dsl.Condition


@dsl.component
def say(text: str) -> str:
    print(text)
    return text


@dsl.component
def say_both(text: str, more: Optional[str] = None) -> str:
    return f"{text} {more}"


@dsl.component
def show_struct(struct: Dict[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(struct.items()))


@dsl.component
def rows() -> list:
    return [{"A_a": "1", "B_b": ["2", "20"]}, {"A_a": "10", "B_b": ["22", "222"]}]


@dsl.component
def double(number: int) -> int:
    return number * 2


@dsl.component
def total(numbers: List[int]) -> int:
    return sum(numbers)


@sample(state="SUCCEEDED")
@dsl.pipeline(name="loops")
def loops(loop_parameter: List[str] = ["a", "b"]):
    with dsl.ParallelFor(items=loop_parameter, name="my-loop") as item:
        say(text=item)
    made = rows()
    with dsl.ParallelFor(items=made.output) as item:
        show_struct(struct={"a": "x"})
        say(text=item.A_a)
    with dsl.ParallelFor(items=[{"A_a": "1", "B_b": "2"}, {"A_a": "10", "B_b": "20"}]) as item:
        show_struct(struct=item)
        say(text=item.A_a)
        say(text=item.B_b)


@sample(state="SUCCEEDED")
@dsl.pipeline(name="nested-loops-and-conditions")
def nested_loops_and_conditions(
    text: str = "hello",
    loop_parameter: list = [{"A_a": "heads", "B_b": ["A", "B"]}, {"A_a": "tails", "B_b": ["X", "Y", "Z"]}],
):
    side = say(text="heads")
    outer = rows()
    with If(side.output != "no-such-result"):
        inner = rows()
        with dsl.ParallelFor(outer.output) as item:
            say(text=text)
            with If(item.A_a == "heads"):
                say(text=item.B_b)
            with If(side.output == "heads"):
                say(text=item.B_b)
            with If(item.A_a == "10"):
                with dsl.ParallelFor([{"a": "-1"}, {"a": "-2"}]) as inner_item:
                    show_struct(struct=inner_item)
            with dsl.ParallelFor(item.B_b) as b:
                say(text=b)
            with dsl.ParallelFor(loop_parameter) as pipeline_item:
                say(text=pipeline_item)
                with dsl.ParallelFor(inner.output) as inner_item:
                    say_both(text=pipeline_item, more=inner_item.A_a)
            with dsl.ParallelFor(["1", "2"]) as fixed:
                with If(fixed == "1"):
                    say(text="1")
    with dsl.ParallelFor(loop_parameter) as item:
        with If(item.A_a == "heads"):
            with dsl.ParallelFor(item.B_b) as b:
                say(text=b)


@sample(state="SUCCEEDED")
@dsl.pipeline(name="parallelism")
def parallelism(items: List[str] = ["a", "b", "c"]):
    with dsl.ParallelFor(items, parallelism=2) as item:
        say(text=item)
    with dsl.ParallelFor([1, 2, 3], parallelism=1) as number:
        with dsl.ParallelFor([10, 20], parallelism=2) as other:
            double(number=number)
            double(number=other)


@sample(state="SUCCEEDED")
@dsl.pipeline(name="order")
def order():
    first = say(text="1")
    with dsl.ParallelFor(["a", "b"]) as item:
        second = say(text=item).after(first)
        say(text="x").after(second)
    with If(first.output == "1"):
        say(text="3").after(first)


if VERSION >= (2, 9):

    @sample(state="SUCCEEDED")
    @dsl.pipeline(name="order-across-loops")
    def order_across_loops():
        with dsl.ParallelFor(["a", "b"]) as item:
            first = say(text=item)
        second = say(text="2").after(first)
        with dsl.ParallelFor(["c", "d"]) as item:
            say(text="4").after(first, second)


@sample(state="SUCCEEDED")
@dsl.pipeline(name="conditions")
def conditions(text: str = "yes", number: int = 3, rate: float = 0.5, flag: bool = True):
    said = say(text=text)
    twice = double(number=number)
    with If(said.output == "yes", name="said yes"):
        say(text="a")
        with If(twice.output > 5):
            say(text=said.output)
    with If(twice.output <= number):
        say(text="never").after(said)
    with If(rate >= 0.5):
        say(text="c")
    with If(flag == True):  # noqa: E712 - the condition is compiled
        say(text="d")


@dsl.pipeline(name="inner-of-nested")
def inner_of_nested(text: str) -> str:
    task = say(text=text)
    with If(task.output == "Hello"):
        say(text="world")
    with If(task.output != "Hello"):
        say(text="Bye!")
    return task.output


@sample(outputs={"Output": "Hello"})
@dsl.pipeline(name="pipelines-in-pipelines", display_name="Pipelines in pipelines")
def pipelines_in_pipelines(text: str = "Hello") -> str:
    with dsl.ParallelFor(["Hello", "world!"]) as item:
        inner_of_nested(text=item)
    with If(say(text=text).output == "Hello"):
        inner_of_nested(text="in a condition")
    return inner_of_nested(text=text).output


if VERSION >= (2, 4):

    @sample(outputs={"Output": "it is tails!"})
    @dsl.pipeline(name="one-of")
    def one_of(side: str = "tails") -> str:
        flip = say(text=side)
        with dsl.If(flip.output == "heads"):
            heads = say(text="it is heads!")
        with dsl.Elif(flip.output == "tails"):
            tails = say(text="it is tails!")
        with dsl.Else():
            edge = say(text="it is on edge!")
        shown = say(text=dsl.OneOf(heads.output, tails.output, edge.output))
        return shown.output

    @sample(outputs={"Output": 24})
    @dsl.pipeline(name="lucky-numbers")
    def lucky_numbers(trials: List[int] = [1, 4, 7], again: bool = True) -> int:
        with dsl.ParallelFor(trials) as trial:
            number = double(number=trial)
            with dsl.If(again == True):  # noqa: E712 - the condition is compiled
                with dsl.If(trial == 7):
                    say(text="drumroll")
            with dsl.If(number.output < 5):
                say(text="low")
            with dsl.Elif(number.output > 10):
                with dsl.If(number.output == 14):
                    high = say(text="fourteen")
                with dsl.Else():
                    other = say(text="other")
                say(text=dsl.OneOf(high.output, other.output))
            with dsl.Else():
                say(text="middle")
                with dsl.If(again == True):  # noqa: E712 - the condition is compiled
                    with dsl.ParallelFor([1, 2]) as _:
                        say(text="middle again")
        return total(numbers=dsl.Collected(number.output)).output


@dsl.component
def add_two(a: int, b: int) -> int:
    return a + b


@dsl.pipeline(name="add-lists")
def add_lists(left: List[int], right: List[int]) -> int:
    return add_two(a=total(numbers=left).output, b=total(numbers=right).output).output


@sample(outputs={"Output": 22})
@dsl.pipeline(name="collected")
def collected(threshold: int = 2) -> int:
    with dsl.ParallelFor([1, 2, 3]) as x:
        one = double(number=x)
        with If(x >= threshold):
            two = double(number=x)
    return add_lists(left=dsl.Collected(one.output), right=dsl.Collected(two.output)).output


@dsl.component
def total_of_rows(rows: List[List[int]]) -> int:
    return sum(sum(row) for row in rows)


@dsl.component
def join(texts: List[str]) -> str:
    return "+".join(texts)


@dsl.pipeline(name="collect-inside")
def collect_inside(texts: List[str], threshold: int = 2) -> List[str]:
    with dsl.ParallelFor(texts) as text:
        said = say(text=text)
        with dsl.ParallelFor([1, 2, 3]) as number:
            with If(number >= threshold):
                grown = double(number=number)
        total(numbers=dsl.Collected(grown.output))
    return dsl.Collected(said.output)


@sample(outputs={"Output": 126})
@dsl.pipeline(name="collected-rows")
def collected_rows() -> int:
    with dsl.ParallelFor([1, 2, 3]) as x:
        with dsl.ParallelFor([4, 5, 6]) as y:
            product = add_two(a=double(number=x).output, b=double(number=y).output)
    return total_of_rows(rows=dsl.Collected(product.output)).output


@sample(outputs={"Output": "a+b"})
@dsl.pipeline(name="collected-in-pipelines")
def collected_in_pipelines() -> str:
    return join(texts=collect_inside(texts=["a", "b"]).output).output
