"""What stands for the image trainer-huggingface: how it reads parameters, also of older clients."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from windlass.node.images.programs.huggingface.llm_trainer import converted, defaults_of, read, understood

ARGV = {
    "--model_uri": "hf://org/name",
    "--transformer_type": "AutoModelForCausalLM",
    "--num_labels": "None",
    "--model_dir": "/workspace/model",
    "--dataset_dir": "/workspace/dataset",
    "--lora_config": '{"r": 8}',
    "--training_parameters": '{"output_dir": "out"}',
}
DEFAULTS = {"eval_strategy": "no", "use_cpu": False, "learning_rate": 5e-5, "hub_token": None, "max_steps": -1}
DEFAULTS |= {"warmup_steps": 0}


def argv(**other: str) -> list[str]:
    return [word for pair in {**ARGV, **{f"--{name}": value for name, value in other.items()}}.items() for word in pair]


def test_arguments_are_those_of_the_client() -> None:
    given = read(argv())

    assert (given.lora_config, given.training_parameters, given.num_labels) == ({"r": 8}, {"output_dir": "out"}, None)
    assert read(argv(num_labels="5")).num_labels == 5


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("lora_config", "{", "argument --lora_config: this is not JSON"),
        ("training_parameters", "[]", "argument --training_parameters: this is not an object"),
        ("num_labels", "many", "argument --num_labels: invalid"),
    ],
)
def test_a_bad_argument_is_named(name: str, value: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read(argv(**{name: value}))

    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "default", "becomes"),
    [
        ("0.001", 5e-5, 0.001),
        ("1e-4", 5e-5, 1e-4),
        ("8", 3, 8),
        ("0.1", 0, 0.1),
        ("3", 3.0, 3.0),
        ("False", True, False),
        ("gaussian", True, "gaussian"),
        ("none", "all", "none"),
        ("auto", 1, "auto"),
        (4, 3.0, 4),
        (None, 3, None),
    ],
)
def test_text_becomes_what_its_default_is(value: Any, default: Any, becomes: Any) -> None:
    found = converted(value, default)

    assert (found, type(found)) == (becomes, type(becomes))


@pytest.mark.parametrize(
    ("given", "known", "unknown"),
    [
        ({"evaluation_strategy": "epoch"}, {"eval_strategy": "epoch"}, []),
        ({"no_cuda": True, "use_cpu": False}, {"use_cpu": True}, []),
        ({"warmup_ratio": 0.1, "warmup_steps": 0}, {"warmup_steps": 0.1}, []),
        ({"warmup_ratio": 0.1, "warmup_steps": 20}, {"warmup_steps": 20}, ["warmup_ratio"]),
        ({"hub_token": "<HUB_TOKEN>", "push_to_hub_token": "<PUSH_TO_HUB_TOKEN>"}, {}, []),
        ({"logging_dir": "runs", "tpu_metrics_debug": False}, {}, ["logging_dir"]),
        ({"learning_rate": "0.01", "max_steps": 5}, {"learning_rate": 0.01, "max_steps": 5}, []),
    ],
)
def test_old_names_count_and_what_is_set_but_unknown_is_reported(
    given: dict[str, Any], known: dict[str, Any], unknown: list[str]
) -> None:
    assert understood(given, DEFAULTS) == (known, unknown)


def test_defaults_are_those_of_the_fields_that_can_be_set() -> None:
    @dataclass
    class Settings:
        name: str
        steps: int = 3
        more: list[str] = field(default_factory=list[str])
        found: str = field(default="", init=False)

    assert defaults_of(Settings) == {"name": None, "steps": 3, "more": None}
