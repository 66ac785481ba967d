"""The list of sample pipelines: each with the state in which it must end, and with its outputs."""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from dataclasses import dataclass, field
from typing import Any

import kfp

VERSION = tuple(int(part) for part in kfp.__version__.split(".")[:2])
"""Of the SDK that compiles the samples, such as (2, 17)."""


@dataclass
class Sample:
    pipeline: Any
    state: str = "SUCCEEDED"
    outputs: dict[str, Any] | None = None
    """Of the root; None where nothing is said of them."""
    arguments: dict[str, Any] = field(default_factory=dict)


SAMPLES: dict[str, Sample] = {}


def sample(**expected: Any) -> Any:
    """Register a pipeline under its function's name."""

    def register(pipeline: Any) -> Any:
        SAMPLES[pipeline.name] = Sample(pipeline, **expected)
        return pipeline

    return register
