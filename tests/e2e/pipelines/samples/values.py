"""Samples about values: types, defaults, missing inputs, and text with placeholders."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from typing import Any, Dict, List, NamedTuple, Optional

from catalogue import sample
from kfp import dsl
from kfp.dsl import Dataset, Input, InputPath, Model, Output, OutputPath


@dsl.component
def add(a: float, b: float) -> float:
    return a + b


@dsl.component(base_image="python:3.9-slim")
def nested_lists() -> List[Dict[str, str]]:
    return [{"a": "1", "b": "2"}, {"a": "10", "b": "20"}]


@dsl.component(base_image="python:3.10")
def describe(table: Dict[str, Any], items: List[Any], flag: bool = True) -> str:
    return f"{sorted(table.items())} {items} {flag}"


@sample(outputs={"Output": "[('k', [1, 2.5]), ('n', {'x': True})] [[1], {'a': '1'}] False"})
@dsl.pipeline(name="typed-values")
def typed_values(table: dict = {"k": [1, 2.5], "n": {"x": True}}, items: list = [[1], {"a": "1"}]) -> str:
    return describe(table=table, items=items, flag=False).output


@sample(outputs={"total": 5.5, "rows": [{"a": "1", "b": "2"}, {"a": "10", "b": "20"}]})
@dsl.pipeline(name="several-outputs", description="Numbers that are added, and rows.")
def several_outputs(a: float = 2, b: float = 3.5) -> NamedTuple("Outputs", total=float, rows=List[Dict[str, str]]):
    outputs = NamedTuple("Outputs", total=float, rows=List[Dict[str, str]])
    return outputs(total=add(a=a, b=b).output, rows=nested_lists().output)


@dsl.component(base_image="python:3.11-slim")
def preprocess(
    message: str,
    input_dict: Dict[str, int],
    dataset_one: Output[Dataset],
    dataset_two_path: OutputPath("Dataset"),
    text_path: OutputPath(str),
    flag_path: OutputPath(bool),
    numbers_path: OutputPath(List[int]),
    table_path: OutputPath(Dict[str, int]),
):
    import json

    dataset_one.metadata["rows"] = 2
    for path, text in (
        (dataset_one.path, message),
        (dataset_two_path, message * 2),
        (text_path, message),
        (flag_path, "True"),
        (numbers_path, "[1, 2]"),
        (table_path, json.dumps(input_dict)),
    ):
        with open(path, "w") as file:
            file.write(text)


@dsl.component(base_image="python:3.11-slim-bookworm")
def train(
    dataset_one_path: InputPath("Dataset"),
    dataset_two: Input[Dataset],
    message: str,
    flag: bool,
    numbers: List[int],
    table: Dict[str, int],
    model: Output[Model],
    steps: int = 3,
) -> str:
    with open(dataset_one_path) as one, open(dataset_two.path) as two:
        texts = [one.read(), two.read()]
    with open(model.path, "w") as file:
        file.write("\n".join(texts))
    model.metadata["accuracy"] = 0.9
    return f"{texts} {message} {flag} {numbers} {table} {steps}"


@sample(outputs={"Output": "['m', 'mm'] m True [1, 2] {'A': 1} 3"})
@dsl.pipeline(name="paths-and-artifacts", pipeline_root="dummy_root")
def paths_and_artifacts(message: str = "m") -> str:
    made = preprocess(message=message, input_dict={"A": 1}).outputs
    return train(
        dataset_one_path=made["dataset_one"],
        dataset_two=made["dataset_two_path"],
        message=made["text_path"],
        flag=made["flag_path"],
        numbers=made["numbers_path"],
        table=made["table_path"],
    ).outputs["Output"]


@dsl.component
def show(text: str, extra: Optional[str] = None, number: int = 7, nothing: Optional[dict] = None) -> str:
    return f"{text}|{extra}|{number}|{nothing}"


@dsl.pipeline(name="inner-of-optional")
def inner_of_optional(extra: Optional[str] = None, number: int = 4, other: str = "inner") -> str:
    return show(text=other, extra=extra, number=number).output


@sample(outputs={"Output": "inner|None|4|None"})
@dsl.pipeline(name="optional-inputs")
def optional_inputs(extra: Optional[str] = None, text: str = "t") -> str:
    show(text=text, extra=extra)
    inner_of_optional(extra="given", number=1)
    return inner_of_optional(extra=extra).output


@sample(outputs={"Output": "Hello {world} pre-1-post, 100% {{x}}|None|7|None"})
@dsl.pipeline(name="format-strings")
def format_strings(name: str = "{world}", number: int = 1) -> str:
    shown = show(text=f"Hello {name} pre-{number}-post, 100% {{{{x}}}}")
    with dsl.ParallelFor(["a", "b"]) as item:
        show(text=f"{item}, again {shown.output} {name}")
    return shown.output


@dsl.component
def check_names(name: str, resource: str, uid: str, task: str, task_uid: str) -> str:
    assert resource.startswith("reserved-names-"), resource
    assert name.startswith("run of "), name
    assert len(uid) == 36 and task_uid, (uid, task_uid)
    return task


@sample(outputs={"Output": "check-names"})
@dsl.pipeline(name="reserved-names")
def reserved_names() -> str:
    return check_names(
        name=dsl.PIPELINE_JOB_NAME_PLACEHOLDER,
        resource=dsl.PIPELINE_JOB_RESOURCE_NAME_PLACEHOLDER,
        uid=dsl.PIPELINE_JOB_ID_PLACEHOLDER,
        task=dsl.PIPELINE_TASK_NAME_PLACEHOLDER,
        task_uid=dsl.PIPELINE_TASK_ID_PLACEHOLDER,
    ).output
