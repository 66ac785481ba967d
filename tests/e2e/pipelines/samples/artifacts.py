"""Samples of artifacts: files, folders, lists, imports, metrics and code that travels in a component."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

import json
import tempfile
from pathlib import Path
from typing import List, NamedTuple, Optional

from catalogue import VERSION, sample
from kfp import dsl
from kfp.dsl import HTML, Artifact, ClassificationMetrics, Dataset, Input, Markdown, Metrics, Model, Output


@dsl.component
def write(text: str, out: Output[Dataset]):
    """Writes a text.

    Args:
        text: What to write.
    """
    with open(out.path, "w") as file:
        file.write(text)
    out.metadata["length"] = len(text)


@dsl.component
def read(data: Input[Dataset]) -> str:
    with open(data.path) as file:
        return f"{file.read()} {data.metadata.get('length')}"


@dsl.component
def write_folder(out: Output[Artifact]):
    import os

    os.makedirs(os.path.join(out.path, "deep", "er"))
    for name in ("a", "deep/b", "deep/er/c"):
        with open(os.path.join(out.path, name), "w") as file:
            file.write(name)


@dsl.component
def list_folder(data: Input[Artifact]) -> str:
    import os

    return ",".join(sorted(name for _, _, names in os.walk(data.path) for name in names))


@sample(outputs={"files": "a,b,c", "text": "hello 5"})
@dsl.pipeline(name="upload-and-download")
def upload_and_download() -> NamedTuple("Outputs", files=str, text=str):
    outputs = NamedTuple("Outputs", files=str, text=str)
    files = list_folder(data=write_folder().output)
    return outputs(files=files.output, text=read(data=write(text="hello").output).output)


@dsl.component
def optional_artifact(data: Optional[Input[Artifact]] = None) -> str:
    return "none" if data is None else "some"


@dsl.pipeline(name="inner-of-optional-artifact")
def inner_of_optional_artifact(data: Optional[Input[Dataset]] = None) -> str:
    return optional_artifact(data=data).output


@sample(outputs={"Output": "none"})
@dsl.pipeline(name="optional-artifacts")
def optional_artifacts(data: Optional[Input[Dataset]] = None) -> str:
    inner_of_optional_artifact(data=write(text="x").output)
    optional_artifact(data=data)
    return inner_of_optional_artifact().output


@dsl.component
def measure(
    scalars: Output[Metrics],
    classes: Output[ClassificationMetrics],
    page: Output[HTML],
    notes: Output[Markdown],
    model: Output[Model],
):
    scalars.log_metric("accuracy", 0.9)
    scalars.log_metric("loss", 1)
    classes.log_roc_curve([0.0, 0.1], [0.0, 1.0], [0.9, 0.1])
    classes.log_confusion_matrix(["a", "b"], [[1, 2], [3, 4]])
    for artifact, text in ((page, "<b>page</b>"), (notes, "# Notes")):
        with open(artifact.path, "w") as file:
            file.write(text)
    model.framework = "none"


@sample(state="SUCCEEDED")
@dsl.pipeline(name="metrics")
def metrics() -> NamedTuple("Outputs", scalars=Metrics, classes=ClassificationMetrics):
    outputs = NamedTuple("Outputs", scalars=Metrics, classes=ClassificationMetrics)
    made = measure().outputs
    with dsl.ParallelFor([1, 2]) as _:
        measure()
    return outputs(scalars=made["scalars"], classes=made["classes"])


class VertexModel(Artifact):
    schema_title = "google.VertexModel"
    schema_version = "0.0.0"


@dsl.component
def uri_of(data: Input[Artifact]) -> str:
    return f"{data.uri} {sorted(data.metadata)}"


@dsl.component
def name_it(name: str) -> str:
    return name


@sample(outputs={"Output": "https://example.com/model ['containerSpec', 'list', 'name', 'the name']"})
@dsl.pipeline(name="importers", pipeline_root="dummy_root")
def importers(name: str = "n", uri: str = "gs://a-bucket-of-nobody/data.txt") -> str:
    dsl.importer(artifact_uri=uri, artifact_class=Dataset, reimport=False, metadata={"key": name})
    dsl.importer(artifact_uri="gs://a-bucket-of-nobody/m", artifact_class=VertexModel, reimport=True)
    named = name_it(name="the name")
    metadata = {"name": name, "list": [named.output, name], named.output: named.output, "containerSpec": {"image": uri}}
    model = dsl.importer(artifact_uri="https://example.com/model", artifact_class=VertexModel, metadata=metadata)
    return uri_of(data=model.output).output


@dsl.component
def join(parts: Input[List[Dataset]]) -> str:
    return "+".join(open(part.path).read() for part in parts)


@dsl.pipeline(name="write-many")
def write_many(texts: List[str]) -> List[Dataset]:
    with dsl.ParallelFor(texts) as text:
        one = write(text=text)
    return dsl.Collected(one.outputs["out"])


@sample(outputs={"Output": "a+b+c"})
@dsl.pipeline(name="lists-of-artifacts")
def lists_of_artifacts() -> str:
    return join(parts=write_many(texts=["a", "b", "c"]).output).output


if VERSION >= (2, 4):

    @sample(outputs={"Output": "tails 5"})
    @dsl.pipeline(name="one-of-artifacts")
    def one_of_artifacts(side: str = "tails") -> str:
        with dsl.If(name_it(name=side).output == "heads"):
            heads = write(text="heads")
        with dsl.Else():
            tails = write(text="tails")
        return read(data=dsl.OneOf(heads.outputs["out"], tails.outputs["out"])).output


if VERSION >= (2, 7):

    @dsl.component
    def make(text: str) -> Dataset:
        data = Dataset(uri=dsl.get_uri(), metadata={"length": len(text)})
        with open(data.path, "w") as file:
            file.write(text)
        return data

    @dsl.component
    def make_two(data: Dataset) -> NamedTuple("Outputs", model=Model, again=Dataset, length=int):
        outputs = NamedTuple("Outputs", model=Model, again=Dataset, length=int)
        made = [Model(uri=dsl.get_uri("model")), Dataset(uri=dsl.get_uri("data"))]
        for one in made:
            with open(one.path, "w") as file, open(data.path) as source:
                file.write(source.read())
        return outputs(*made, length=data.metadata["length"])

    @dsl.component
    def join_all(parts: List[Dataset]) -> Dataset:
        data = Dataset(uri=dsl.get_uri(suffix="joined"))
        with open(data.path, "w") as file:
            file.write("".join(open(part.path).read() for part in parts))
        return data

    @dsl.component
    def read_it(data: Dataset) -> str:
        with open(data.path) as file:
            return file.read()

    @sample(outputs={"Output": "Hello, world!"})
    @dsl.pipeline(name="pythonic-artifacts")
    def pythonic_artifacts(texts: List[str] = ["Hello", ", ", "world!"]) -> str:
        with dsl.ParallelFor(texts) as text:
            parts = make_two(data=make(text=text).output)
        joined = join_all(parts=dsl.Collected(parts.outputs["again"]))
        return read_it(data=joined.output).output


if VERSION >= (2, 9):

    @dsl.pipeline(name="write-in-a-pipeline")
    def write_in_a_pipeline(text: str) -> Dataset:
        return write(text=text).outputs["out"]

    @dsl.component
    def write_both(first: str, second: str, out: Output[Dataset]):
        with open(out.path, "w") as file:
            file.write(first + second)

    @dsl.pipeline(name="write-rows")
    def write_rows(ids: List[str], letters: List[str]) -> List[Dataset]:
        with dsl.ParallelFor(ids) as text:
            with dsl.ParallelFor(letters) as letter:
                one = write_in_a_pipeline(text=letter)
                two = write_both(first=text, second=letter)
            join(parts=dsl.Collected(one.output))
        return dsl.Collected(two.outputs["out"])

    @sample(outputs={"Output": "1x+1y+2x+2y"})
    @dsl.pipeline(name="collected-rows-of-artifacts")
    def collected_rows_of_artifacts() -> str:
        return join(parts=write_rows(ids=["1", "2"], letters=["x", "y"]).output).output

    @sample(state="SUCCEEDED")
    @dsl.pipeline(name="loop-over-artifacts")
    def loop_over_artifacts():
        with dsl.ParallelFor(write_many(texts=["a", "b"]).output) as part:
            read(data=part)


if VERSION >= (2, 15):
    FOLDER = Path(tempfile.mkdtemp())
    (FOLDER / "package").mkdir()
    (FOLDER / "package" / "module.py").write_text("WORD = 'embedded'\n")
    CODE = {"cell_type": "code", "execution_count": None, "outputs": []}
    CELLS = [
        {**CODE, "metadata": {"tags": ["parameters"]}, "source": "text = 'none'"},
        {**CODE, "metadata": {}, "source": "open('/tmp/note', 'w').write(text)"},
    ]
    KERNEL = {"name": "python3", "display_name": "Python", "language": "python"}
    NOTEBOOK = {"cells": CELLS, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
    (FOLDER / "note.ipynb").write_text(json.dumps(NOTEBOOK))

    @dsl.component(embedded_artifact_path=str(FOLDER / "package"))
    def use_embedded(config: dsl.EmbeddedInput[Dataset]) -> str:
        import os

        from module import WORD

        return f"{WORD} {sorted(name for name in os.listdir(config.path) if name.endswith('.py'))}"

    @dsl.notebook_component(notebook_path=str(FOLDER / "note.ipynb"))
    def run_note(text: str) -> str:
        dsl.run_notebook(text=text)
        with open("/tmp/note") as file:
            return file.read()

    @sample(outputs={"Output": "embedded ['module.py']"})
    @dsl.pipeline(name="embedded-code")
    def embedded_code() -> str:
        return use_embedded().output

    @sample(outputs={"Output": "hello"})
    @dsl.pipeline(name="notebook-component")
    def notebook_component() -> str:
        return run_note(text="hello").output
