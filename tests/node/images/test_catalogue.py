"""Which environment an image stands for."""

import pytest

from windlass.node.images.catalogue import BadRule, Catalogue, Environment, Mappings, Rule, check
from windlass.node.images.mappings import builtin
from windlass.node.images.reference import parse

BUILTIN = Catalogue(Mappings(), builtin())


@pytest.mark.parametrize(
    ("image", "python", "packages"),
    [
        ("python", "3", ()),
        ("python:3-slim", "3", ()),
        ("python:3.11", "3.11", ()),
        ("python:3.12.1-slim-bookworm", "3.12.1", ()),
        ("python:3.9-alpine", "3.9", ()),
        ("python:alpine3.6", "3", ()),
        ("python@sha256:" + "0" * 64, "3", ()),
        ("public.ecr.aws/docker/library/python:3.12", "3.12", ()),
        ("mirror.gcr.io/library/python:3.9", "3.9", ()),
        ("mirror.gcr.io/python:3.9", "3.9", ()),
        ("ghcr.io/containerd/busybox", "", ()),
        ("docker/whalesay:latest", "", ()),
        ("argoproj/argosay:v2", "", ()),
        ("busybox:1.28", "", ()),
        ("alpine:3.10", "", ()),
        ("registry.k8s.io/pause:3.9", "", ()),
        ("tensorflow/tensorflow:2.5.1", "3.9", ("tensorflow-cpu==2.5.1",)),
        ("docker.io/tensorflow/tensorflow:2.9.1", "3.10", ("tensorflow-cpu==2.9.1",)),
        ("tensorflow/tensorflow:2.15.0-gpu", "3.11", ("tensorflow-cpu==2.15.0",)),
        ("pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime", "3.11", ("torch==2.13.0",)),
        ("docker.io/pytorch/pytorch:2.1.2-cuda11.8-cudnn8-runtime", "3.11", ("torch==2.1.2",)),
        ("pytorch/pytorch", "3.11", ("torch",)),
        ("kubeflownotebookswg/jupyter-scipy:v1.8.0", "3.11", ("jupyterlab",)),
        ("ghcr.io/kubeflow/kubeflow/notebook-servers/jupyter-pytorch-full:v1.10.0", "3.11", ("jupyterlab", "torch")),
        ("docker.io/kubeflowkatib/pytorch-mnist:v1beta1-45c5727", "3.11", ("torch",)),
        ("kubeflow/tf-dist-mnist-test:latest", "3.11", ("tensorflow-cpu",)),
        ("volcanosh/dist-mnist-tf-example:0.0.1", "3.11", ("tensorflow-cpu",)),
        ("gcr.io/kubeflow/tf-benchmarks-cpu:v20171202-bdab599-dirty-284af3", "3.11", ("tensorflow-cpu",)),
        ("gcr.io/tf-on-k8s-dogfood/tf_sample:dc944ff", "3.11", ("tensorflow-cpu",)),
        ("kubeflow/pytorch-dist-mnist:latest", "3.11", ("torch",)),
        ("paddlepaddle/paddle:2.6.0", "3.10", ("paddlepaddle==2.6.0",)),
        ("registry.baidubce.com/paddlepaddle/paddle:2.4.0rc0-cpu", "3.10", ("paddlepaddle==2.4.0",)),
        ("paddlepaddle/paddle:3.0.0", "3.11", ("paddlepaddle==3.0.0",)),
        ("tensorflow/tensorflow:2.4.1", "3.9", ("tensorflow-cpu==2.4.1",)),
        ("tensorflow/tensorflow:2.20.0-gpu-jupyter", "3.11", ("tensorflow-cpu==2.20.0",)),
        ("mpioperator/mpi-pi:openmpi", "3.11", ("mpi4py",)),
        ("mxnet/python:1.9.1_cpu_py3", "3.11", ("mxnet",)),
        ("nvcr.io/nvidia/jax:25.10-py3", "3.11", ("jax",)),
        ("ghcr.io/kubeflow/trainer/xgboost-runtime:v2.3.0", "3.11", ("xgboost-cpu",)),
        ("ghcr.io/kubeflow/trainer/deepspeed-runtime:v2.3.0", "3.11", ("torch", "deepspeed", "mpi4py")),
        ("ghcr.io/kubeflow/trainer/mlx-runtime:v2.3.0", "3.11", ("mlx[cpu]", "mpi4py")),
    ],
)
def test_well_known_images_are_in_the_catalogue(image: str, python: str, packages: tuple[str, ...]) -> None:
    found = BUILTIN.find(parse(image))

    assert found is not None
    assert found.environment.python == python
    assert set(packages) <= set(found.environment.packages)
    assert bool(packages) == bool(found.environment.packages)


@pytest.mark.parametrize(
    ("image", "program"), [("mpioperator/mpi-pi:mpich", "mpiexec.hydra"), ("mpioperator/mpi-pi:openmpi", "mpirun")]
)
def test_an_mpi_image_stands_for_the_mpi_that_it_is_called_after(image: str, program: str) -> None:
    found = BUILTIN.find(parse(image))

    assert found is not None
    assert found.environment.programs == (program, "sshd")


@pytest.mark.parametrize("what", ["dataset", "model"])
def test_the_initializers_of_a_train_job_have_the_program_that_they_begin_with(what: str) -> None:
    found = BUILTIN.find(parse(f"ghcr.io/kubeflow/trainer/{what}-initializer:v2.3.0"))

    assert found is not None
    assert f"{found.environment.workdir}/pkg/initializers/{what}/__main__.py" in found.environment.files
    assert found.environment.entrypoint == ("python", "-m", f"pkg.initializers.{what}")
    assert not found.warnings


@pytest.mark.parametrize(
    "image",
    [
        "team/python:3.11",
        "example.com/python:3.11",
        "python:2.7",
        "tensorflow/serving:2.6",
        "x",
        "public.ecr.aws/team/python:3.9",
    ],
)
def test_an_image_that_only_looks_like_a_known_one_is_unknown(image: str) -> None:
    assert BUILTIN.find(parse(image)) is None


# What an image runs by itself

INTERPRETERS = ("python3", "bash", "sh", "perl", "node", "irb")
INTERPRETER_IMAGES = {
    "golang", "ruby", "openjdk", "eclipse-temurin", "amazoncorretto", "badouralix/curl-jq", "jetbrainsinfra/jq",
    "quay.io/libpod/alpine",
    "gcr.io/google-containers/alpine*", "buildpack-deps", "bitnami/minideb", "quay.io/fedora/fedora", "oraclelinux",
    "quay.io/centos/centos", "registry.access.redhat.com/ubi*/ubi*", "redhat/ubi*", "opensuse/*",
    "python", "ghcr.io/astral-sh/uv", "busybox", "registry.k8s.io/e2e-test-images/busybox",
    "gcr.io/google-containers/busybox", "k8s.gcr.io/busybox", "ghcr.io/containerd/busybox",
    "quay.io/prometheus/busybox", "alpine", "ubuntu", "debian", "fedora", "rockylinux",
    "almalinux", "centos", "amazonlinux", "bash", "perl", "node", "tensorflow/tensorflow",
    "gcr.io/deeplearning-platform-release/tf*", "pytorch/pytorch", "nvcr.io/nvidia/pytorch",
    "ghcr.io/kubeflow/trainer/jax*", "ghcr.io/nvidia/jax", "nvcr.io/nvidia/jax", "ghcr.io/kubeflow/trainer/xgboost*",
    "ghcr.io/kubeflow/trainer/deepspeed-runtime", "ghcr.io/kubeflow/trainer/mlx-runtime", "paddlepaddle/paddle",
    "registry.baidubce.com/paddlepaddle/paddle", "mxnet/python", "horovod/horovod*", "mpioperator/openmpi",
    "mpioperator/base", "chainer/chainer*", "sklearn", "intel/intel-optimized-ml", "docker.io/bitnami/scikit-learn*",
    "registry.access.redhat.com/ubi*/python-*", "google/cloud-sdk", "gcr.io/google.com/cloudsdktool/*",
}  # fmt: skip
"""Images whose own command is an interpreter or a shell, with any container engine: they are there to be given one."""


def script_of(rule: Rule) -> str:
    """The path of the Python file that a rule runs; empty where it runs something else."""
    argv = (*rule.entrypoint, *rule.command)
    module = next((argv[at + 1] for at, word in enumerate(argv[:-1]) if word == "-m"), "")
    scripts = [word for word in argv if word.endswith(".py")]
    if scripts:
        return scripts[0] if scripts[0].startswith("/") else f"{rule.workdir}/{scripts[0]}"
    return f"{rule.workdir}/{module.replace('.', '/')}" if module else ""


@pytest.mark.parametrize("rule", builtin().images, ids=lambda rule: f"{rule.patterns[0]}:{rule.tag}")
def test_every_image_has_its_program_or_says_that_it_is_not_here(rule: Rule) -> None:
    argv, script = (*rule.entrypoint, *rule.command), script_of(rule)
    if not argv:
        assert "not here" in rule.note or "not the programs inside it" in rule.note
    elif script:
        assert {script, f"{script}.py", f"{script}/__main__.py"} & rule.files.keys(), "there is no such file"
    elif argv in [(name,) for name in INTERPRETERS]:
        assert set(rule.patterns) <= INTERPRETER_IMAGES, "a bare interpreter ends at once, and looks like success"
    else:
        assert argv[0] in (*rule.programs, *rule.brings, *rule.files, "sh", "sleep")


@pytest.mark.parametrize(
    "image",
    [
        "gcr.io/kubeflow-ci/pytorch-dist-sendrecv-test:1.0", "kubeflow/pytorch-dist-sendrecv-test:latest",
        "docker.io/merlintang/xgboost-dist-rabit-test:1.2", "kubeflow/xgboost-dist-rabit-test:latest",
        "kubeflow/lightgbm-dist-py-test:1.0", "kubeflow/pytorch-deepspeed-demo:latest", "kubeflow/tf-operator-test:1",
        "kubeflow/jaxjob-other:latest", "kubeflowkatib/enas-cnn-cifar10-cpu:latest", "kubeflowkatib/mxnet-mnist:latest",
        "kubeflow/paddle-example:1", "mxjob/other:1", "gcr.io/ml-pipeline/api-server:2.0", "kserve/sklearnserver:v0.11",
    ],
)  # fmt: skip
def test_an_image_whose_own_program_is_not_here_needs_a_command(image: str) -> None:
    found = BUILTIN.find(parse(image))

    assert found is not None
    assert (found.environment.entrypoint, found.environment.command) == ((), ())
    assert found.environment.needs_command
    assert "not the programs inside it" in found.warnings[0]


@pytest.mark.parametrize("image", ["mpioperator/mpi-pi:openmpi", "mpioperator/mpi-pi:mpich", "volcanosh/example-mpi:1"])
def test_an_image_without_an_entrypoint_takes_args_for_a_command(image: str) -> None:
    found = BUILTIN.find(parse(image))

    assert found is not None
    assert (found.environment.entrypoint, found.environment.command) == ((), ())
    assert not found.environment.needs_command


@pytest.mark.parametrize(
    ("image", "program"),
    [
        ("kubeflow/tf-dist-mnist-test:latest", "/var/tf_dist_mnist/dist_mnist.py"),
        ("registry.example.com/somebody/tf-dist-mnist-test:1.0", "/var/tf_dist_mnist/dist_mnist.py"),
        ("volcanosh/dist-mnist-tf-example:0.0.1", "/var/tf_dist_mnist/dist_mnist.py"),
        ("gcr.io/tf-on-k8s-dogfood/tf_sample:dc944ff", "/var/tf_dist_mnist/dist_mnist.py"),
        (
            "gcr.io/kubeflow/tf-benchmarks-cpu:v20171202-bdab599-dirty-284af3",
            "/opt/tf-benchmarks/scripts/tf_cnn_benchmarks/tf_cnn_benchmarks.py",
        ),
        ("kubeflow/pytorch-dist-mnist:latest", "/opt/mnist/src/mnist.py"),
        ("docker.io/kubeflowkatib/pytorch-mnist:v1beta1-45c5727", "/opt/pytorch-mnist/mnist.py"),
        ("kubeflow/xgboost-dist-iris:latest", "/opt/mlkube/main.py"),
        ("kubeflow/jaxjob-simple:latest", "/app/train.py"),
        ("docker.io/sandipanify/jaxjob-spmd-mnist:latest", "/app/spmd_mnist_classifier_fromscratch.py"),
        ("docker.io/kubeflowkatib/tf-mnist-with-summaries:latest", "/opt/tf-mnist-with-summaries/mnist.py"),
        ("kubeflow/tf-mnist-with-summaries:latest", "/var/tf_mnist/mnist_with_summaries.py"),
        ("volcanosh/example-tf-cpu:0.0.1", "/opt/tf-benchmarks/scripts/tf_cnn_benchmarks/tf_cnn_benchmarks.py"),
        ("gcr.io/kubeflow-examples/distributed_worker:v20181031-513e107c", "/multi_worker_strategy-with-keras.py"),
        ("kubeflow/pytorch-elastic-example-echo:1.0.0", "/workspace/echo.py"),
        ("quay.io/johnugeorge/pytorch-elastic-example-imagenet:0.1", "/workspace/examples/imagenet.py"),
        ("mxjob/mxnet:gpu", "/incubator-mxnet/example/image-classification/train_mnist.py"),
        ("sivanzcw/mxnet-train-mnist:cpu", "/incubator-mxnet/example/image-classification/train_mnist.py"),
        ("horovod/horovod:0.20.0-tf2.3.0-torch1.6.0-mxnet1.5.0-py3.7-cpu", "/examples/tensorflow2_mnist.py"),
        ("volcanosh/horovod-tf-mnist:0.5", "/tensorflow_mnist_lm.py"),
        ("everpeace/chainer:4.1.0", "/train_mnist.py"),
        ("everpeace/chainermn:1.3.0", "/train_mnist.py"),
        ("mpioperator/mpi-pi:openmpi", "/home/mpiuser/pi"),
    ],
)
def test_well_known_examples_have_a_program_where_theirs_was_and_say_so(image: str, program: str) -> None:
    found = BUILTIN.find(parse(image))

    assert found is not None
    assert program in found.environment.files
    assert found.warnings


def test_the_users_rules_come_first_and_in_their_order() -> None:
    own = Mappings(images=(Rule(image="python:3.1*", python="3.12"), Rule(image="python", python="3.13")))
    catalogue = Catalogue(own, builtin())

    found = [catalogue.find(parse(image)) for image in ("python:3.11", "python:3.9", "busybox")]

    assert [one and one.environment.python for one in found] == ["3.12", "3.13", ""]


def test_named_groups_of_the_tag_fill_in_packages() -> None:
    rule = Rule(image="team/*", tag=r"(?P<version>\d+)-.*", python="3.11", packages=("app=={version}",))
    catalogue = Catalogue(Mappings(images=(rule,)), Mappings())

    found = catalogue.find(parse("team/app:7-slim"))

    assert found is not None
    assert found.environment.packages == ("app==7",)
    assert catalogue.find(parse("team/app:x")) is None


def test_a_lenient_catalogue_runs_the_unknown_in_its_default_environment_and_warns() -> None:
    catalogue = Catalogue(Mappings(lenient=True, default=Environment(python="3.12")), builtin())

    found = catalogue.find(parse("nobody/knows"))

    assert found is not None
    assert found.environment.python == "3.12"
    assert "nobody/knows" in found.warnings[0]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Rule(), "names no image"),
        (Rule(image="a", tag="("), "regular expression"),
        (Rule(image="a", packages=("b=={version}",)), "not a named group"),
        (Rule(image="a", path="/x", python="3.11"), "existing environment"),
        (Rule(image="a", packages=("--index-url=x",)), "not a package"),
        (Rule(image="a", python="three"), "not a version"),
        (Rule(image="a", workdir="here"), "not an absolute path"),
        (Rule(image="a", needs_command=True, command=("python3",)), "sets what to run"),
    ],
)
def test_a_rule_that_cannot_work_is_refused_by_name(rule: Rule, said: str) -> None:
    with pytest.raises(BadRule, match=said):
        check(rule)
