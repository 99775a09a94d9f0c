"""A tiny model that needs no download: a tokenizer made of one's own texts, and random weights.

    python -m tvlab.learning.verl.own_model TEXTS OUT      TEXTS is a file; about two seconds

It can do nothing; it ends a message with a fixed probability a token, so that runs of the trainer have turns that end.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tvlab.learning.verl.small_models import END, START, tiny

WORDS, ENDS = 2000, 0.08


def own_model(texts: str | Path, out: str | Path, seed: int = 0) -> Path:
    """Write the model's folder.

    Args:
        texts: a file whose text the tokenizer is made of.
        out: the folder.
        seed: of the weights.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = [START, END]
    trainer = trainers.BpeTrainer(
        vocab_size=WORDS, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train([str(texts)], trainer)
    out = Path(out)
    whole = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=START, eos_token=END, pad_token=END)
    whole.save_pretrained(out)
    return tiny(out, out, tied=False, ends=ENDS, seed=seed)


if __name__ == "__main__":
    print(own_model(sys.argv[1], sys.argv[2]))
