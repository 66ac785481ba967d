# pyright: reportMissingImports=false
"""Replaces the image trainer-huggingface: fine-tunes a model with an adapter (LoRA) on all workers of a PyTorchJob.

torchrun starts it in every pod. Model and dataset are those that the storage initializer fetched; the Trainer of
transformers gives each process its share of the rows, and rank 0 saves checkpoints to the `output_dir` of the training
parameters. The parameters come from the user's versions of transformers and peft, which may differ from those installed
here.
"""

import argparse
import json
import os
import sys
from dataclasses import MISSING, fields
from typing import Any
from urllib.parse import urlsplit

Values = dict[str, Any]
RENAMED = {"evaluation_strategy": "eval_strategy", "no_cuda": "use_cpu", "warmup_ratio": "warmup_steps"}
"""Current names of training parameters that older clients send."""
MASKED = {"AutoModelForCausalLM": False, "AutoModelForMaskedLM": True}
"""Model types that learn from the text alone: from the next token, or from masked ones."""


def read(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="trainer-huggingface", allow_abbrev=False)
    for name in ("--model_uri", "--transformer_type", "--model_dir", "--dataset_dir"):
        parser.add_argument(name, required=True)
    parser.add_argument("--num_labels", type=lambda text: None if text == "None" else int(text))
    for name in ("--lora_config", "--training_parameters"):
        parser.add_argument(name, type=mapping, required=True)
    return parser.parse_args(argv)


def mapping(text: str) -> Values:
    try:
        values = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise argparse.ArgumentTypeError("this is not an object")
    return values


def defaults_of(kind: type[Any]) -> Values:
    return {each.name: None if each.default is MISSING else each.default for each in fields(kind) if each.init}


def converted(value: Any, default: Any) -> Any:
    """Convert text to the type of its default: a tuner that fills in parameters leaves all of them as text."""
    if not isinstance(value, str) or not isinstance(default, bool | int | float):
        return value
    if isinstance(default, bool):
        return {"true": True, "false": False}.get(value.lower(), value)
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if isinstance(default, int) and number.is_integer() else number


def understood(given: Values, defaults: Values) -> tuple[Values, list[str]]:
    """Return the parameters that this version knows, and the names of others that were set."""
    set_by_user = {name: value for name, value in given.items() if value != f"<{name.upper()}>"}  # a token, blacked out
    for old, new in RENAMED.items():
        if old not in defaults and set_by_user.get(old) and set_by_user.get(new) in (None, defaults.get(new)):
            set_by_user[new] = set_by_user.pop(old)
    known = {name: converted(value, defaults[name]) for name, value in set_by_user.items() if name in defaults}
    return known, sorted(name for name, value in set_by_user.items() if value and name not in defaults)


def training_arguments(given: Values) -> Any:
    import torch
    from transformers import TrainingArguments, __version__
    from transformers.integrations import get_available_reporting_integrations

    known, unknown = understood(given, defaults_of(TrainingArguments))
    known.pop("local_rank", None)  # the client's, which is no worker
    known["use_cpu"] = known.get("use_cpu") or not torch.accelerator.is_available()  # else each would train alone
    reports = known.pop("report_to", None) or []  # to all that the client has; it may not be here
    reports = {reports} if isinstance(reports, str) else set(reports)
    here = reports & {*get_available_reporting_integrations(), "all", "none"}
    if left_out := [*unknown, *sorted(reports - here)]:
        sys.stderr.write(f"warning: transformers {__version__} has no {', '.join(left_out)} here: ignored\n")
    return TrainingArguments(report_to=sorted(here) or "none", **known)


def load_model(args: argparse.Namespace) -> tuple[Any, Any]:
    """Load the model, and the tokenizer of a text model."""
    import transformers

    parts = urlsplit(args.model_uri)
    name, where = f"{parts.netloc}{parts.path}".strip("/"), {"cache_dir": args.model_dir, "local_files_only": True}
    head = {} if args.num_labels is None else {"num_labels": args.num_labels}
    if (kind := getattr(transformers, args.transformer_type, None)) is None:
        sys.exit(f"error: --transformer_type: transformers has no {args.transformer_type}")
    model = kind.from_pretrained(name, trust_remote_code=True, dtype="float32", **head, **where)
    if args.transformer_type == "AutoModelForImageClassification":
        return model, None
    tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=True, **where)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    if getattr(model.config, "pad_token_id", None) is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    return model, tokenizer


def load_rows(folder: str, tokenizer: Any, longest: int) -> tuple[Any, Any]:
    """Load the rows to train on and, if any, to evaluate with; column `text` is tokenized."""
    from datasets import DatasetDict, disable_caching, load_from_disk

    disable_caching()  # it would be on the volume, which workers share and may not be able to write to
    dataset = load_from_disk(folder)
    splits = dataset if isinstance(dataset, DatasetDict) else {"train": dataset}
    if "train" not in splits:
        sys.exit(f"error: the dataset has no split `train`, but {', '.join(splits)}: choose one with `split`")
    rows, evaluated = splits["train"], splits.get("eval")
    if tokenizer is None or "input_ids" in rows.column_names:
        return rows, evaluated
    if "text" not in rows.column_names:
        sys.exit(f"error: the dataset has no column `text`, but {', '.join(rows.column_names)}")

    def tokens(batch: Values) -> Any:
        return tokenizer(batch["text"], truncation=True, max_length=longest)

    return rows.map(tokens, batched=True), evaluated and evaluated.map(tokens, batched=True)


def collator(transformer_type: str, tokenizer: Any) -> Any:
    """Return the function that makes a batch of rows; texts are padded to the longest."""
    import transformers

    if tokenizer is None:
        return transformers.default_data_collator
    if transformer_type == "AutoModelForTokenClassification":
        return transformers.DataCollatorForTokenClassification(tokenizer, pad_to_multiple_of=8)
    if transformer_type in MASKED:
        masked = MASKED[transformer_type]
        return transformers.DataCollatorForLanguageModeling(tokenizer, pad_to_multiple_of=8, mlm=masked)
    return transformers.DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)


def main(argv: list[str]) -> None:
    args = read(argv)
    if not args.training_parameters.get("push_to_hub"):
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # all is on the volume
    from peft import LoraConfig, get_peft_model
    from transformers import Trainer

    settings = training_arguments(args.training_parameters)
    model, tokenizer = load_model(args)
    limits = (getattr(tokenizer, "model_max_length", 0), getattr(model.config, "max_position_embeddings", 0))
    rows, evaluated = load_rows(args.dataset_dir, tokenizer, min(filter(None, (*limits, sys.maxsize))))
    defaults = defaults_of(LoraConfig)
    adapter = LoraConfig.from_peft_type(**{k: converted(v, defaults.get(k)) for k, v in args.lora_config.items()})
    model.enable_input_require_grads()
    batches = collator(args.transformer_type, tokenizer)
    trainer = Trainer(get_peft_model(model, adapter), settings, batches, rows, evaluated, processing_class=tokenizer)
    sys.stderr.write(f"process {settings.process_index} of {settings.world_size}: {len(rows)} rows to train on\n")
    trainer.train(resume_from_checkpoint=settings.resume_from_checkpoint)
    sys.stderr.write("training is complete\n")


if __name__ == "__main__":
    main(sys.argv[1:])
