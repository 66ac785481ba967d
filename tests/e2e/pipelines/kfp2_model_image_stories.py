"""A story of a model in an image, with the unmodified kfp SDK 2. See kfp2_stories.py."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

import json
import sys

from kfp import dsl, kubernetes
from kfp.dsl import Input, Model
from kfp2_stories import IMAGE, Person, outputs


@dsl.component(base_image=IMAGE)
def predict(model: Input[Model]) -> str:
    import os

    with open(os.path.join(model.path, "weights")) as file:
        return model.path + " " + file.read()


@dsl.pipeline(name="model-image")
def model_image(uri: str) -> str:
    model = dsl.importer(artifact_uri=uri, artifact_class=Model, reimport=True)
    task = predict(model=model.output)
    kubernetes.set_image_pull_secrets(task, ["registry"])
    return task.output


def run_model_image(person, uri):
    run = person.run(model_image, {"uri": uri})
    tasks = person.by_name(run.run_id)
    return {
        "state": run.state,
        "seconds": (run.finished_at - run.created_at).total_seconds(),
        "output": outputs(tasks["root"]).get("Output"),
        "errors": [task["status_metadata"]["message"] for task in tasks.values() if task.get("status_metadata")],
    }


if __name__ == "__main__":
    host, token, namespace, *uris = sys.argv[1:]
    person = Person(host, token, namespace)
    print(json.dumps({uri: run_model_image(person, uri) for uri in uris}, default=str))
