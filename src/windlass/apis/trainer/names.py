"""Names that runtimes, jobs and what is made of them agree on."""

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
"""Label of a replicated job: which step of the training it is."""
TRAINER, DATASET, MODEL = "trainer", "dataset-initializer", "model-initializer"
"""The steps; an initializer's job and container have the same name."""
NODE, LAUNCHER = "node", "launcher"
"""The container that trains, and replicated jobs: those that train, and the one that starts MPI."""
INITIALIZER_VOLUME = "initializer"
STORAGE_URI = "STORAGE_URI"

PORT = 29500
"""Where the first node listens for the others."""
INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
"""Where a pod finds the number of its node."""


def endpoint(job: str, subdomain: str, replicated: str, index: int) -> str:
    """The name of one pod; each replicated job of a training is a single Job."""
    return f"{job}-{replicated}-0-{index}.{subdomain}"
