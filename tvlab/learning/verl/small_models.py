"""Small models for a CPU, as folders that transformers, verl and vLLM read.

    python -m tvlab.learning.verl.small_models from-gguf FILE OUT     a real model out of a GGUF file
    python -m tvlab.learning.verl.small_models tiny FOLDER OUT        random weights with that folder's tokenizer

transformers reads a GGUF file's tokenizer with the wrong end of a message, and without a chat template that knows
tools: both are set here. The template is ours: ChatML, tools in the system message, calls in the Hermes form.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

END, START = "<|im_end|>", "<|im_start|>"
TEMPLATE = """{%- set system = messages[0]['content'] if messages and messages[0]['role'] == 'system' else '' -%}
{%- if system or tools -%}
{{- '<|im_start|>system\\n' + system -}}
{%- if tools -%}
{{- '\\n\\nTools, one JSON object a line:\\n<tools>' -}}
{%- for tool in tools %}{{- '\\n' + (tool | tojson) -}}{%- endfor -%}
{{- '\\n</tools>\\nTo call one, write:\\n<tool_call>\\n{"name": NAME, "arguments": {...}}\\n</tool_call>' -}}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message['role'] == 'system' and loop.first -%}
{%- elif message['role'] == 'tool' -%}
{%- if loop.first or loop.previtem['role'] != 'tool' -%}{{- '<|im_start|>user' -}}{%- endif -%}
{{- '\\n<tool_response>\\n' + message['content'] + '\\n</tool_response>' -}}
{%- if loop.last or loop.nextitem['role'] != 'tool' -%}{{- '<|im_end|>\\n' -}}{%- endif -%}
{%- else -%}
{{- '<|im_start|>' + message['role'] + '\\n' + (message['content'] or '') -}}
{%- for call in message['tool_calls'] or [] -%}
{%- if message['content'] or not loop.first -%}{{- '\\n' -}}{%- endif -%}
{{- '<tool_call>\\n{"name": ' + (call['function']['name'] | tojson) + ', "arguments": ' -}}
{{- (call['function']['arguments'] | tojson) + '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"""


def from_gguf(file: str | Path, out: str | Path) -> Path:
    """Write the model of a GGUF file as a folder, in bfloat16; needs the package gguf."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    file, out = Path(file), Path(out)
    where = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32).to(torch.bfloat16)
    tokenizer = with_template(AutoTokenizer.from_pretrained(**where))
    _save(model, tokenizer, out)
    return out


def tiny(
    folder: str | Path,
    out: str | Path,
    kind: str = "llama",
    tied: bool = True,
    ends: float | None = None,
    seed: int = 0,
) -> Path:
    """Write a model of two layers with random weights and a folder's tokenizer.

    Args:
        folder: whose tokenizer.
        out: where to.
        kind: llama or qwen2.
        tied: whether the output layer is the embedding.
        ends: probability that the next token ends the message, whatever came before; not with ``tied``. Without it a
            random model never ends one.
        seed: of the weights.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    tokenizer = with_template(AutoTokenizer.from_pretrained(folder))
    width = 64
    config = AutoConfig.for_model(
        kind, vocab_size=len(tokenizer), hidden_size=width, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=32, max_position_embeddings=32_768,
        tie_word_embeddings=tied,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config)
    generator = torch.Generator().manual_seed(seed)
    for name, weight in sorted(model.named_parameters()):
        if "norm" not in name:
            weight.data = torch.randn(weight.shape, generator=generator) * 0.02
    if ends is not None:  # one feature is the same everywhere, and the end of a message reads it
        model.get_input_embeddings().weight.data[:, 0] = 1.0
        wanted = math.log(len(tokenizer) * ends / (1 - ends)) / math.sqrt(width)
        model.get_output_embeddings().weight.data[:, 0] = 0.0
        model.get_output_embeddings().weight.data[tokenizer.eos_token_id, 0] = wanted
    _save(model.to(torch.bfloat16), tokenizer, Path(out))
    return Path(out)


def with_template(tokenizer: Any) -> Any:
    """The tokenizer with our chat template and the end of a message as its end."""
    tokenizer.eos_token = tokenizer.pad_token = END
    tokenizer.bos_token = START
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _save(model: Any, tokenizer: Any, out: Path) -> None:
    end, start = tokenizer.eos_token_id, tokenizer.bos_token_id
    for config in (model.config, model.generation_config):
        config.eos_token_id, config.pad_token_id, config.bos_token_id = end, end, start
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def main(words: list[str]) -> int:
    """The command line; see the module."""
    if len(words) != 3 or words[0] not in ("from-gguf", "tiny"):
        print(__doc__)
        return 2
    made = from_gguf(words[1], words[2]) if words[0] == "from-gguf" else tiny(words[1], words[2])
    size = json.loads((made / "config.json").read_text())["vocab_size"]
    print(f"{made}: vocabulary of {size}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
