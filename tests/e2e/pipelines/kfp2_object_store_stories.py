"""A story of artifacts in an object store, with the unmodified kfp SDK 2. See kfp2_stories.py."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

import json
import sys

from kfp import dsl
from kfp.dsl import Dataset, Input, Output
from kfp2_stories import IMAGE, Person, artifacts_of, outputs, read


@dsl.component(base_image=IMAGE)
def shout(folder: Input[Dataset], out: Output[Dataset]):
    import os

    names = sorted(os.listdir(folder.path))
    with open(out.path, "w") as file:
        for name in names:
            with open(os.path.join(folder.path, name)) as part:
                file.write(part.read().upper())


@dsl.pipeline(name="stored")
def stored(uri: str) -> str:
    words = dsl.importer(artifact_uri=uri, artifact_class=Dataset, reimport=True)
    loud = shout(folder=words.output)
    return read(data=loud.outputs["out"]).output


def run_stored(person, uri, root):
    run = person.run(stored, {"uri": uri}, pipeline_root=root)
    tasks = person.by_name(run.run_id)
    made = [one["artifacts"][0]["uri"] for one in artifacts_of(tasks.get("shout", {}))]
    return {
        "state": run.state,
        "output": outputs(tasks["root"]).get("Output"),
        "made": made[0] if made else "",
        "errors": [task["status_metadata"]["message"] for task in tasks.values() if task.get("status_metadata")],
    }


if __name__ == "__main__":
    host, token, namespace, uri, root = sys.argv[1:]
    print(json.dumps(run_stored(Person(host, token, namespace), uri, root), default=str))
