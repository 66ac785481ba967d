"""The frameworks of the demo: TensorFlow, else PyTorch, else NumPy. All train the same network."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from windlass.cli.failure import Failure
from windlass.supervisor.datadir import DataDir

SCRIPTS = Path(__file__).parent / "demo_training"


@dataclass(frozen=True)
class Backend:
    name: str
    title: str
    framework: str
    """The name of the framework in `windlass run --framework`."""
    packages: tuple[str, ...]

    @property
    def script(self) -> str:
        return f"train_{self.name}.py"

    @property
    def image(self) -> str:
        return f"windlass.dev/demo-{self.name}:latest"


BACKENDS = (
    Backend("tensorflow", "TensorFlow", "tensorflow", ("tensorflow-cpu", "scikit-learn")),
    Backend("pytorch", "PyTorch", "pytorch", ("torch", "numpy", "scikit-learn")),
    Backend("numpy", "NumPy", "python", ("numpy", "scikit-learn")),
)


def candidates(first: str | None) -> Sequence[Backend]:
    """Backends in the order in which they are tried; only `first` if it is given."""
    return [one for one in BACKENDS if first in (None, one.name)]


def build_first(
    data: DataDir,
    wanted: Sequence[Backend],
    images_dir: Path | None,
    begin: Callable[[Backend], None],
    progress: Callable[[str], None],
    give_up: Callable[[Backend, str], None],
) -> Backend:
    """Build the first environment that can be built here; `give_up` is called with the error of each other one."""
    for backend in wanted:
        begin(backend)
        problem = build(data, backend, images_dir, progress)
        if not problem:
            return backend
        give_up(backend, problem)
    names = ", ".join(one.title for one in wanted)
    raise Failure(f"no framework can be installed here: tried {names}. Is the package index reachable?")


def build(data: DataDir, backend: Backend, images_dir: Path | None, progress: Callable[[str], None]) -> str:
    """Map the demo's image and build its environment, as a pod would; return the error, or an empty string."""
    from windlass.node.images import mappings
    from windlass.node.images.catalogue import Rule
    from windlass.node.images.image import PullFailed
    from windlass.node.images.images import Images

    # This very Python is there for certain; another might have to be downloaded first.
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    rule = Rule(image=backend.image, python=python, packages=backend.packages, command=("python3",))
    mappings.add(data.root / "images.yaml", rule)
    try:
        asyncio.run(Images(data.root, root=images_dir).pull(backend.image, progress))
    except PullFailed as error:
        return str(error)
    return ""
