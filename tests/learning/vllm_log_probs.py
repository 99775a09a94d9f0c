"""Log-probabilities that vLLM gives a prompt: of a model as it is, or after weights were put into the running engine.

    python vllm_log_probs.py MODEL OUT [WEIGHTS]     OUT gets {"before": [...], "after": [...]}
"""

import json
import sys
from pathlib import Path

PROMPT = [1, 520, 28, 198, 33, 1200, 305, 77, 9, 400, 2, 198, 1, 4093, 198]


def main(model, out, weights=None):
    from safetensors.torch import load_file
    from vllm import LLM, SamplingParams

    from tvlab.learning.verl.vllm_on_cpu import put_in_place

    engine = LLM(model=model, dtype="float32", max_model_len=256, enforce_eager=True, max_num_seqs=2)
    asked = SamplingParams(max_tokens=1, temperature=0, prompt_logprobs=0)

    def log_probs():
        (found,) = engine.generate([{"prompt_token_ids": PROMPT}], asked, use_tqdm=False)
        return [next(iter(one.values())).logprob for one in found.prompt_logprobs[1:]]

    result = {"before": log_probs()}
    if weights:
        worker = engine.llm_engine.model_executor.driver_worker
        put_in_place(getattr(worker, "worker", worker).model_runner, list(load_file(weights).items()))
        engine.reset_prefix_cache()
        result["after"] = log_probs()
    Path(out).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
