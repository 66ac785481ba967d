"""Pipelines of kfp 2 for features that no scenario has, all run at once. Components check what they are given.

python kfp2_feature_stories.py HOST TOKEN NAMESPACE
"""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportGeneralTypeIssues=false

import json
import sys
from typing import Any, Dict, List, NamedTuple, Optional

from kfp import components, dsl, kubernetes
from kfp.dsl import Artifact, Dataset, Input, Output
from kfp2_stories import IMAGE, Person, increment, outputs, read, say, write

PIPELINES = []


def tried(pipeline):
    PIPELINES.append(pipeline)
    return pipeline


# --- values of every type, and those that are missing


@dsl.component(base_image=IMAGE)
def every_type() -> NamedTuple("All", [("s", str), ("i", int), ("f", float), ("b", bool), ("l", list), ("d", dict)]):
    from collections import namedtuple

    return namedtuple("All", "s i f b l d")('a "b" \n{{x}} $HOME $(id) ü', 7, 0.25, True, [1, "x"], {"k": [1, {}]})


@dsl.component(base_image=IMAGE)
def check_types(s: str, i: int, f: float, b: bool, l: List[Any], d: Dict[str, Any]):  # noqa: E741 - as short as the others
    assert (s, i, f, b) == ('a "b" \n{{x}} $HOME $(id) ü', 7, 0.25, True), (s, i, f, b)
    assert (l, d) == ([1, "x"], {"k": [1, {}]}), (l, d)
    assert (type(i), type(b), type(l[0])) == (int, bool, int)


@dsl.component(base_image=IMAGE)
def optional(
    a: Optional[str] = None, b: Optional[int] = None, data: Optional[Input[Dataset]] = None, c: str = "c"
) -> str:
    return repr((a, b, data, c))


@dsl.pipeline(name="optional-inner")
def optional_inner(a: Optional[str] = None, b: Optional[int] = None, data: Optional[Input[Dataset]] = None) -> str:
    return optional(a=a, b=b, data=data).output


@tried
@dsl.pipeline(name="values")
def values(a: Optional[str] = None, n: int = 5) -> str:
    made = every_type().outputs
    check_types(s=made["s"], i=made["i"], f=made["f"], b=made["b"], l=made["l"], d=made["d"])
    say(text=f"{n} in {dsl.PIPELINE_JOB_RESOURCE_NAME_PLACEHOLDER}")
    return optional_inner(a=a).output


# --- loops over fields of items, and over lists of artifacts


@dsl.component(base_image=IMAGE)
def sum_rows(rows: List[List[int]]) -> int:
    return sum(sum(row) for row in rows)


@dsl.component(base_image=IMAGE)
def join(parts: Input[List[Dataset]], texts: List[str]) -> str:
    return "+".join([open(part.path).read() for part in parts] + texts)


@dsl.pipeline(name="write-all")
def write_all(texts: List[str]) -> List[Dataset]:
    with dsl.ParallelFor(texts) as text:
        written = write(text=text)
    return dsl.Collected(written.outputs["out"])


@tried
@dsl.pipeline(name="lists")
def lists() -> NamedTuple("Lists", [("total", int), ("joined", str)]):
    from collections import namedtuple

    with dsl.ParallelFor([{"word": "p", "numbers": [2, 3]}, {"word": "q", "numbers": [20]}]) as item:
        with dsl.ParallelFor(item.numbers) as number:
            grown = increment(x=number)
        say(text=item.word)
    files = write_all(texts=["a", "b"])
    with dsl.ParallelFor(files.output) as file:
        texts = read(data=file)
    total = sum_rows(rows=dsl.Collected(grown.output))
    joined = join(parts=files.output, texts=dsl.Collected(texts.output))
    return namedtuple("Lists", "total joined")(total.output, joined.output)


# --- artifacts elsewhere, and a root that never existed


class CloudModel(Artifact):
    schema_title = "google.VertexModel"
    schema_version = "0.0.1"


@dsl.component(base_image=IMAGE)
def use_model(model: Input[Artifact], data: Input[Dataset], own: Output[Dataset]) -> Dict[str, Any]:
    return {"uri": model.uri, "model": model.metadata, "data": data.metadata, "root": own.uri.split("/v2/")[0]}


@tried
@dsl.pipeline(name="elsewhere", pipeline_root="dummy_root")
def elsewhere(key: str = "k") -> Dict[str, Any]:
    uri = "https://example.com/models/1"
    model = dsl.importer(artifact_uri=uri, artifact_class=CloudModel, metadata={"resourceName": "models/1"})
    metadata = {key: [key, f"{key}!"], "fixed": {"in": key}}
    data = dsl.importer(artifact_uri="minio://mlpipeline/d", artifact_class=Dataset, reimport=True, metadata=metadata)
    return use_model(model=model.output, data=data.output).outputs["Output"]


# --- what the platform document gives a pod


@dsl.component(base_image=IMAGE)
def leave(path: str):
    import os

    assert os.access("/own", os.W_OK)
    with open(f"{path}/note", "w") as file:
        file.write("left")


@dsl.component(base_image=IMAGE)
def find(path: str) -> str:
    with open(f"{path}/note") as file:
        return file.read()


SHARED = dsl.KubernetesWorkspaceConfig(pvcSpecPatch={"accessModes": ["ReadWriteOnce"]})
WORKSPACE = dsl.PipelineConfig(workspace=dsl.WorkspaceConfig(size="1Gi", kubernetes=SHARED))


@tried
@dsl.pipeline(name="furnished", pipeline_config=WORKSPACE)
def furnished(secret: Optional[str] = None, tolerations: Optional[List[Dict[str, str]]] = None) -> str:
    first = leave(path=dsl.WORKSPACE_PATH_PLACEHOLDER)
    kubernetes.add_ephemeral_volume(
        first, volume_name="own", mount_path="/own", access_modes=["ReadWriteOnce"], size="1Mi"
    )
    preferred = [{"weight": 1, "preference": {"matchExpressions": [{"key": "z", "operator": "Exists"}]}}]
    kubernetes.add_node_affinity_json(first, {"preferredDuringSchedulingIgnoredDuringExecution": preferred})
    kubernetes.use_secret_as_volume(first, secret_name=secret, mount_path="/absent")
    kubernetes.add_toleration_json(first, tolerations)
    return find(path=dsl.WORKSPACE_PATH_PLACEHOLDER).after(first).output


# --- a component of kfp 1 in a pipeline of kfp 2

OLD = components.load_component_from_text(f"""
name: Old
inputs:
- {{name: text, type: String}}
- {{name: number, type: Integer, default: '3', optional: true}}
- {{name: table, type: JsonObject, default: '{{"a": 1}}'}}
- {{name: extra, type: String, optional: true}}
outputs: [{{name: joined, type: String}}]
implementation:
  container:
    image: {IMAGE}
    command: [python3, -c, 'import sys; open(sys.argv[1], "w").write("|".join(sys.argv[2:]))', {{outputPath: joined}}]
    args:
    - {{inputValue: number}}
    - {{inputValue: table}}
    - concat: ['<', {{inputValue: text}}, '>']
    - if: {{cond: {{isPresent: extra}}, then: [--extra, {{inputValue: extra}}], else: [--none]}}
""")


@tried
@dsl.pipeline(name="old-component")
def old_component() -> str:
    return OLD(text="t", number=4).outputs["joined"]


if __name__ == "__main__":
    person = Person(*sys.argv[1:4])
    runs = {pipeline.name: person.start(pipeline) for pipeline in PIPELINES}
    found = {}
    for name, run_id in runs.items():
        run = person.wait(run_id)
        tasks = person.tasks(run_id)
        types = {
            f"{task['name']}.{given.get('parameter_key') or given.get('artifact_key')}": given.get("type")
            for task in tasks
            for given in [*task.get("inputs", {}).get("parameters", []), *task.get("inputs", {}).get("artifacts", [])]
        }
        found[name] = {
            "run_id": run_id,
            "state": run.state,
            "outputs": outputs(next(task for task in tasks if task["name"] == "root")),
            "types": types,
            "failed": {task["name"]: task.get("status_metadata") for task in tasks if task["state"] == "FAILED"},
        }
    print(json.dumps(found, default=str))
