"""Names that runtimes, jobs and the objects created from them share."""

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
"""Label of a replicated job: its step of the training."""
TRAINER, DATASET, MODEL = "trainer", "dataset-initializer", "model-initializer"
"""The steps; the job and the container of an initializer have the same name."""
NODE, LAUNCHER = "node", "launcher"
"""The training container, and replicated jobs: the training nodes, and the MPI launcher."""
INITIALIZER_VOLUME = "initializer"
STORAGE_URI = "STORAGE_URI"

PORT = 29500
"""The port on which the first node listens for the others."""
INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
"""The field path of the node's index in a pod."""


def endpoint(job: str, subdomain: str, replicated: str, index: int) -> str:
    """The DNS name of a pod; each replicated job of a training is a single Job."""
    return f"{job}-{replicated}-0-{index}.{subdomain}"
