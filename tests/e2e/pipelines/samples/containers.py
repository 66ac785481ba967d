"""Samples of container components, of components as YAML, and of images that samples name."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from typing import List, Optional

from catalogue import sample
from kfp import components, dsl
from kfp.dsl import Artifact, Dataset, Input, Output

WRITE_OUTPUTS = """
import json, os, sys
given, file = json.loads(sys.argv[1]), sys.argv[2]
data = given["outputs"]["artifacts"]["data"]["artifacts"][0]
outputs = {"artifacts": {"data": {"artifacts": [{**data, "metadata": {"rows": 3}}]}}, "parameterValues": {"number": 5}}
os.makedirs(os.path.dirname(file), exist_ok=True)
json.dump(outputs, open(file, "w"))
"""
EXECUTOR_INPUT, EXECUTOR_OUTPUT = "{{$}}", "{{$.outputs.output_file}}"
"""Placeholders for which newer versions have names."""
DIGEST = "sha256:" + "0123456789abcdef" * 4


@dsl.container_component
def no_inputs():
    return dsl.ContainerSpec(image="ghcr.io/containerd/busybox", command=["echo", "hello world"], args=[])


@dsl.container_component
def write_text(text: str, out: dsl.OutputPath(str), data: Output[Dataset]):
    return dsl.ContainerSpec(
        image=f"alpine@{DIGEST}",
        command=["sh", "-c", 'mkdir -p "$(dirname "$1")" "$(dirname "$2")" && echo "$0" | tee "$2" > "$1"'],
        args=[text, out, data.path],
    )


@dsl.container_component
def concat(prefix: str, text: str, out: dsl.OutputPath(str)):
    return dsl.ContainerSpec(
        image="google/cloud-sdk:slim",
        command=["sh", "-c", 'mkdir -p "$(dirname "$1")" && printf %s "$0" > "$1"'],
        args=[dsl.ConcatPlaceholder(["<", prefix, "|", text, ">"]), out],
    )


@dsl.container_component
def if_present(
    text: str, out: dsl.OutputPath(str), extra: Optional[str] = None, data: Optional[Input[Artifact]] = None
):
    return dsl.ContainerSpec(
        image="busybox",
        command=["sh", "-c", 'mkdir -p "$(dirname "$0")"; out=$0; printf %s "$*" > "$out"'],
        args=[
            out,
            "--text",
            text,
            dsl.IfPresentPlaceholder(input_name="extra", then=["--extra", extra], else_=["--extra", "default"]),
            dsl.IfPresentPlaceholder(input_name="data", then=["--data"]),
        ],
    )


YAML = components.load_component_from_text(f"""
name: Write Lines
description: Writes a text a number of times.
inputs:
- {{name: Text, type: String, description: 'what to write'}}
- {{name: Times, type: Integer, default: '2'}}
- {{name: Rate, type: Float, default: '0.5'}}
- {{name: Flag, type: Boolean, default: 'False'}}
- {{name: Extra, type: String, optional: true}}
outputs:
- {{name: Lines, type: Dataset}}
- {{name: Count, type: Integer}}
implementation:
  container:
    image: docker.io/library/alpine:3.20@{DIGEST}
    command:
    - sh
    - -ec
    - |
      mkdir -p "$(dirname "$4")" "$(dirname "$5")"
      i=0; while [ $i -lt "$1" ]; do echo "$0 $2 $3 $6" >> "$4"; i=$((i+1)); done
      printf %s "$i" > "$5"
    args:
    - {{inputValue: Text}}
    - {{inputValue: Times}}
    - {{inputValue: Rate}}
    - {{inputValue: Flag}}
    - {{outputPath: Lines}}
    - {{outputPath: Count}}
    - if:
        cond: {{isPresent: Extra}}
        then: [{{concat: ['-', {{inputValue: Extra}}]}}]
        else: [none]
""")

READ = components.load_component_from_text("""
name: read-lines
inputs:
- {name: lines, type: Dataset}
outputs:
- {name: text, type: String}
implementation:
  container:
    image: bash:5
    command: [bash, -c, 'mkdir -p "${1%/*}" && cat "$0" > "$1"']
    args: [{inputPath: lines}, {outputPath: text}]
""")


@sample(outputs={"Output": "hi\n"})
@dsl.pipeline(name="containers-io")
def containers_io() -> str:
    no_inputs()
    return write_text(text="hi").outputs["out"]


@sample(outputs={"Output": "<a|b>"})
@dsl.pipeline(name="containers-concat")
def containers_concat() -> str:
    return concat(prefix="a", text="b").output


@sample(outputs={"Output": "--text t --extra default"})
@dsl.pipeline(name="containers-if")
def containers_if(extra: Optional[str] = None) -> str:
    if_present(text="t", extra="x")
    if_present(text="t", data=write_text(text="x").outputs["data"])
    return if_present(text="t", extra=extra).output


@sample(outputs={"Output": "a b 0.25 false -e\n" * 3})
@dsl.pipeline(name="components-of-yaml")
def components_of_yaml(times: int = 3) -> str:
    YAML(text="plain")
    lines = YAML(text="a b", times=times, rate=0.25, extra="e")
    return READ(lines=lines.outputs["lines"]).outputs["text"]


@dsl.component(base_image="registry.access.redhat.com/ubi9/python-311:latest")
def of_red_hat() -> str:
    return "ubi"


@dsl.component(base_image="python:3.9", packages_to_install=["six>=1.15", "toolz"])
def with_packages() -> str:
    import six
    import toolz

    return f"{six.text_type('s')}{toolz.identity('t')}"


@dsl.component(base_image="python:3.10-alpine", packages_to_install=["six"], pip_index_urls=["https://pypi.org/simple"])
def with_index() -> List[str]:
    import six

    return [six.text_type("i")]


@sample(outputs={"Output": "st"})
@dsl.pipeline(name="images-and-packages")
def images_and_packages() -> str:
    of_red_hat()
    with_index()
    return with_packages().output


@dsl.container_component
def write_outputs(executor_input: str, file: str, data: Output[Dataset], number: dsl.OutputPath(int)):
    return dsl.ContainerSpec(
        image="python:3.11",
        command=["python3", "-c", WRITE_OUTPUTS],
        args=[executor_input, file],
    )


@dsl.component
def show_outputs(data: Input[Dataset], number: int) -> str:
    return f"{data.metadata['rows']} {number}"


@sample(outputs={"Output": "3 5"})
@dsl.pipeline(name="outputs-by-placeholders")
def outputs_by_placeholders() -> str:
    written = write_outputs(executor_input=EXECUTOR_INPUT, file=EXECUTOR_OUTPUT)
    return show_outputs(data=written.outputs["data"], number=written.outputs["number"]).output


@dsl.container_component
def nested_placeholders(out: dsl.OutputPath(str), a: str, b: Optional[str] = None, c: Optional[int] = None):
    return dsl.ContainerSpec(
        image="python:3.11",
        command=["sh", "-c", 'mkdir -p "$(dirname "$0")"; out=$0; printf %s "$*" > "$out"'],
        args=[
            out,
            dsl.ConcatPlaceholder(["--a=", a, dsl.IfPresentPlaceholder("b", then=b, else_="none")]),
            dsl.IfPresentPlaceholder("c", then=["--c", dsl.ConcatPlaceholder(["<", c, ">"])], else_=["--no-c"]),
        ],
    )


@sample(outputs={"Output": "--a=xy --c <7>"})
@dsl.pipeline(name="containers-nested-placeholders")
def containers_nested_placeholders() -> str:
    nested_placeholders(a="x")
    return nested_placeholders(a="x", b="y", c=7).outputs["out"]
