"""Images of an installation are named in one module, and come from a mirror if one is given."""

from pathlib import Path

import pytest
import yaml

from windlass.apis import images
from windlass.apis.images import in_registry
from windlass.cli.manifests import as_yaml, gateway_options, parts, windlass_image
from windlass.deploy.istio_rules import MeshRules

SOURCE = Path(images.__file__).parents[1]
NAMED = [
    images.TENSORBOARD,
    images.PYTORCH_INIT_CONTAINER,
    images.MPI_KUBECTL_DELIVERY,
    images.TRAINER_REPOSITORY,
    images.TORCH,
    images.JAX,
    *(choice.rpartition(":")[0] for choices in images.NOTEBOOKS.values() for choice in choices),
]


@pytest.mark.parametrize(
    ("image", "mirrored"),
    [
        ("alpine:3.10", "m.example:5000/k/alpine:3.10"),
        ("tensorflow/tensorflow:2.5.1", "m.example:5000/k/tensorflow/tensorflow:2.5.1"),
        ("ghcr.io/kubeflow/trainer/x:1", "m.example:5000/k/kubeflow/trainer/x:1"),
        ("localhost/a:1", "m.example:5000/k/a:1"),
        ("localhost:5000/a", "m.example:5000/k/a"),
    ],
)
def test_an_image_of_a_mirror_has_the_same_path_below_it(image: str, mirrored: str) -> None:
    assert in_registry(image, "m.example:5000/k/") == mirrored
    assert in_registry(image, "") == image


@pytest.mark.parametrize("image", NAMED)
def test_an_image_is_named_in_one_module(image: str) -> None:
    named_in = [path.name for path in SOURCE.rglob("*.py") if f'"{image}' in path.read_text()]

    assert len(named_in) <= 1


def test_all_printed_images_come_from_the_mirror() -> None:
    gateway = gateway_options("", "", "", "m.example/k", has_istio=False, mesh=MeshRules())
    printed = parts("all", "n", windlass_image("", "m.example/k"), options=["platform", "volcano"], gateway=gateway)
    containers = [
        container
        for obj in printed
        if obj["kind"] == "Deployment"
        for container in obj["spec"]["template"]["spec"]["containers"]
    ]
    variables = [one["value"] for container in containers for one in container["env"] if one["name"].endswith("_IMAGE")]
    flags = [word.partition("=")[2] for container in containers for word in container["args"] if "-image=" in word]
    (form,) = [obj["data"]["spawner_ui_config.yaml"] for obj in printed if obj["kind"] == "ConfigMap"]
    choices = [one for entry in yaml.safe_load(form)["spawnerFormDefaults"].values() for one in entry["options"]]
    named = [*(container["image"] for container in containers), *variables, *flags, *choices]

    assert len(named) == 3 + 2 + 2 + 5
    assert [image for image in named if not image.startswith("m.example/k/")] == []
    assert as_yaml(printed)
