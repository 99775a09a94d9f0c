"""One step of TRL's GRPOTrainer on a TRL export, the model's words scripted: ``trl_check.py FOLDER``.

For a Python with trl, not the project's own. The trainer is TRL's, with its tool loop, its pool of environments and its
rewards; only what the model writes is scripted: of two rollouts the second forgets its last call. The model has random
weights. Prints one JSON line: the turn rewards of both, and the mean reward that the trainer logged.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
sys.path[:0] = [sys.argv[1], sys.path[0]]

import trl
import tvlab_environments as exported
from datasets import Dataset
from scripted import golden_calls
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from tvlab.environments.environment import function_name

TAGS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]


def tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer without merges, with the chat template of Qwen3 that comes with TRL."""
    bytes_alone = {letter: at for at, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    inner = Tokenizer(models.BPE(bytes_alone, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|endoftext|>",
                                   additional_special_tokens=["<|im_start|>"])  # fmt: skip
    made.add_tokens(TAGS)
    made.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    return made


class Script:
    """Stands for generation: each rollout's next call, told apart by the order of the batch."""

    def __init__(self, trainer, words: PreTrainedTokenizerFast) -> None:
        self.trainer, self.words, self.calls = trainer, words, {}

    def __call__(self, prompts, *_, **__):
        used, written = set(), []
        for prompt in prompts:
            text = self.words.decode(prompt)
            place = next(at for at, environment in enumerate(self.trainer.environments)
                         if at not in used and self._item(environment).turns[0].user in text)  # fmt: skip
            used.add(place)
            written.append(self.words.encode(self._next(place, text), add_special_tokens=False))
        return written, None

    def _item(self, environment):
        return environment._rollout.episode.item

    def _next(self, place: int, text: str) -> str:
        item = self._item(self.trainer.environments[place])
        if place not in self.calls:
            self.calls[place] = golden_calls(exported.ENVIRONMENTS[item.environment], item, forget=place == 1)
        made = text.count("<tool_response>")
        if made >= len(self.calls[place]):
            return "Bye.<|im_end|>"
        name, arguments = self.calls[place][made]
        call = json.dumps({"name": function_name(name), "arguments": arguments}, ensure_ascii=False)
        return f"<tool_call>\n{call}\n</tool_call><|im_end|>"


def main() -> None:
    words = tokenizer()
    config = Qwen3Config(
        vocab_size=len(words), hidden_size=32, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, head_dim=16, max_position_embeddings=65536,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        settings = trl.GRPOConfig(
            output_dir=folder, use_cpu=True, bf16=False, per_device_train_batch_size=2, num_generations=2, max_steps=1,
            max_completion_length=30_000, max_tool_calling_iterations=40, report_to=[], save_strategy="no",
            disable_tqdm=True, chat_template_kwargs={"enable_thinking": False},
        )  # fmt: skip
        trainer = trl.GRPOTrainer(
            model=Qwen3ForCausalLM(config), processing_class=words, args=settings,
            train_dataset=Dataset.from_list(exported.ROWS), environment_factory=exported.environment_factory,
        )  # fmt: skip
        trainer._generate_single_turn = Script(trainer, words)
        trainer.train()
        logged = next(row["reward"] for row in trainer.state.log_history if "reward" in row)
        print(json.dumps([exported.turn_rewards(trainer.environments), logged]))


if __name__ == "__main__":
    main()
