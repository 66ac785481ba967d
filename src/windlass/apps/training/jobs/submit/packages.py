"""The packages that a script needs: those that it declares, else one for each imported module. Pure."""

import re
import tomllib
from collections.abc import Collection, Iterable, Sequence

from windlass.kube.json import dig, is_list

PACKAGE_NAMES = {
    "Bio": "biopython",
    "Crypto": "pycryptodome",
    "MySQLdb": "mysqlclient",
    "OpenSSL": "pyopenssl",
    "PIL": "pillow",
    "absl": "absl-py",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "faiss": "faiss-cpu",
    "git": "gitpython",
    "google.auth": "google-auth",
    "google.cloud.bigquery": "google-cloud-bigquery",
    "google.cloud.storage": "google-cloud-storage",
    "google.protobuf": "protobuf",
    "googleapiclient": "google-api-python-client",
    "grpc": "grpcio",
    "hydra": "hydra-core",
    "igraph": "python-igraph",
    "jose": "python-jose",
    "jwt": "pyjwt",
    "magic": "python-magic",
    "mpl_toolkits": "matplotlib",
    "osgeo": "gdal",
    "paddle": "paddlepaddle",
    "pkg_resources": "setuptools",
    "psycopg2": "psycopg2-binary",
    "ruamel": "ruamel.yaml",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "skopt": "scikit-optimize",
    "slugify": "python-slugify",
    "socks": "pysocks",
    "umap": "umap-learn",
    "usb": "pyusb",
    "win32api": "pywin32",
    "wx": "wxpython",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
"""Packages whose names differ from those of their modules. Each part of `google` is a package of its own."""
REQUIREMENT = re.compile(r"[A-Za-z0-9]")  # no option of pip
PYPROJECT, REQUIREMENTS = "pyproject.toml", "requirements.txt"
BLOCK_START, BLOCK_END = "# /// script", "# ///"
Packages = tuple[tuple[str, str], ...]
"""Modules, and the package to install for each if it is absent."""


class BadMetadata(ValueError):
    """Dependencies are declared in a form that cannot be read; the message says where."""


def packages_for(modules: Iterable[str], preinstalled: Collection[str] = ()) -> Packages:
    """The packages to install for modules, without preinstalled ones."""
    wanted = {package_of(module) for module in modules if module.partition(".")[0] not in preinstalled}
    return tuple(sorted(wanted, key=lambda pair: (pair[0].lower(), pair)))


def package_of(module: str) -> tuple[str, str]:
    """The module that a package provides, and the package: `cv2.aruco` is cv2, of opencv-python-headless."""
    words = module.split(".")
    for end in range(len(words), 0, -1):
        name = ".".join(words[:end])
        if name in PACKAGE_NAMES:
            return name, PACKAGE_NAMES[name]
    return words[0], words[0]


def of_script(text: str) -> tuple[str, ...] | None:
    """The dependencies in a script's inline metadata (PEP 723); None if it has none. Raises BadMetadata."""
    lines = text.splitlines()
    if BLOCK_START not in lines:
        return None
    start = lines.index(BLOCK_START) + 1
    block: list[str] = []
    for line in lines[start:]:
        if line == BLOCK_END:
            return _listed("\n".join(block), "the script's metadata")
        if not line.startswith("#"):
            break
        block.append(line.removeprefix("#").removeprefix(" "))
    raise BadMetadata(f"the script's metadata starts with {BLOCK_START!r}, and no line {BLOCK_END!r} ends it")


def of_pyproject(text: str) -> tuple[str, ...] | None:
    """The dependencies of a project; None if it does not list them. Raises BadMetadata."""
    return _listed(text, PYPROJECT, "project")


def join_names(names: Sequence[str]) -> str:
    """Join names as prose: `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _listed(text: str, where: str, *table: str) -> tuple[str, ...] | None:
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadMetadata(f"{where} cannot be read: {error}") from error
    listed = dig(settings, *table, "dependencies")
    if listed is None:
        return None
    if not is_list(listed) or not all(isinstance(package, str) and REQUIREMENT.match(package) for package in listed):
        raise BadMetadata(f'{where}: dependencies is not a list of packages such as "numpy>=2"')
    return tuple(listed)
