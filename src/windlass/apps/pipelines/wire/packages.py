"""Packages as the API stores and shows them: IR with its platform document, or a v1 pipeline's Workflow."""

import asyncio

from windlass.apps.pipelines.ir.admitted import checked
from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.package import Package, inline_package, read_package
from windlass.apps.pipelines.wire.archives import pipeline_text
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.kube.json import Object

MAX_VALUES = 500_000
"""Of a document: each takes some hundred bytes of memory, however short its text is."""


async def package_of_file(content: bytes, file_name: str = "") -> Package:
    """The package in an uploaded or downloaded file. Raises InvalidArgument."""
    return await asyncio.to_thread(lambda: package_of_text(pipeline_text(content, file_name)))


def package_of_text(text: bytes) -> Package:
    check_size(text)
    try:
        return checked(read_package(text))
    except InvalidPipeline as error:
        raise InvalidArgument(f"the pipeline is invalid: {error}") from error


def check_size(text: bytes) -> None:
    """Raise InvalidArgument for a document with too many values, before it is parsed."""
    if sum(text.count(mark) for mark in (b"\n", b",", b"[", b"{")) > MAX_VALUES:
        raise InvalidArgument(f"the document has more than {MAX_VALUES} values")


async def package_of_request(spec: Object) -> Package:
    try:
        return await asyncio.to_thread(lambda: checked(inline_package(spec)))
    except InvalidPipeline as error:
        raise InvalidArgument(f"pipeline_spec: {error}") from error


def spec_of(package: Package) -> Object:
    """What is stored as `spec`: IR, or the whole Workflow."""
    return package.workflow if package.workflow is not None else package.pipeline_spec


def is_workflow(spec: Object) -> bool:
    return str(spec.get("apiVersion", "")).startswith("argoproj.io/")


def package_of_stored(spec: Object, platform_spec: Object) -> Package:
    """A stored package, which was checked when it was uploaded."""
    if is_workflow(spec):
        return Package(workflow=spec)
    return Package(pipeline_spec=spec, platform_spec=platform_spec)


def shown_spec(spec: Object, platform_spec: Object) -> Object:
    """`pipeline_spec` in answers."""
    if not platform_spec:
        return spec
    return {"pipeline_spec": spec, "platform_spec": platform_spec}
