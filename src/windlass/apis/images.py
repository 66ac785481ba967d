"""Every image that an installation uses: named here once, and taken from another registry with `in_registry`."""

from collections.abc import Mapping

from windlass import __version__

WINDLASS = f"windlass:{__version__}"
"""Manager, scheduler, gateway and, on a cluster, the file browser of volumes."""
FILE_BROWSER = "windlass/file-browser:latest"
"""The file browser on the embedded node, which has its program."""
TENSORBOARD = "tensorflow/tensorflow:2.5.1"
EMBEDDED_TENSORBOARD = "windlass/tensorboard:latest"
"""TensorBoard without TensorFlow: its environment is a tenth of the size."""
FALLBACK_TENSORBOARD = "windlass/scalar-viewer:latest"
"""Shows scalars where the embedded image cannot be had; it needs nothing but the Python of the node."""
PYTORCH_INIT_CONTAINER = "alpine:3.10"
MPI_KUBECTL_DELIVERY = "kubeflow/kubectl-delivery:latest"

_NOTEBOOKS, _NOTEBOOKS_TAG = "kubeflownotebookswg", "v1.10.0"
NOTEBOOKS: Mapping[str, tuple[str, ...]] = {
    "image": tuple(
        f"{_NOTEBOOKS}/{name}:{_NOTEBOOKS_TAG}"
        for name in ("jupyter-scipy", "jupyter-pytorch-full", "jupyter-tensorflow-full")
    ),
    "imageGroupOne": (f"{_NOTEBOOKS}/codeserver-python:{_NOTEBOOKS_TAG}",),
    "imageGroupTwo": (f"{_NOTEBOOKS}/rstudio-tidyverse:{_NOTEBOOKS_TAG}",),
}
"""Choices of the notebook form, by the key of its configuration; the first is the default."""

TRAINER_REPOSITORY = "ghcr.io/kubeflow/trainer"
TORCH = "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"
JAX = "nvcr.io/nvidia/jax:25.10-py3"

IMAGE_PROGRAM = "$(windlass.dev/image-program)"
"""A word of a container's command in whose place the node puts what the image runs, with the container's args."""


def in_registry(image: str, registry: str) -> str:
    """The image as a mirror `registry` holds it: below it, without the host that it came from."""
    if not registry:
        return image
    host, slash, rest = image.partition("/")
    is_host = bool(slash) and ("." in host or ":" in host or host == "localhost")
    return f"{registry.rstrip('/')}/{rest if is_host else image}"
