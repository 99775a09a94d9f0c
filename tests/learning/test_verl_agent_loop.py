"""verl's agent loop, dataset and rollout engine, each by itself, with a real tokenizer. Run in .venv-verl."""

import asyncio
import importlib
import json
import os
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from lab_worlds import bookstore, bookstore_items
from verl_models import need_verl, real_model

from tvlab.foundation.errors import UserError
from tvlab.learning.verl.chat_tokens import is_append_only, packing_for, tool_for_chat
from tvlab.learning.verl.golden_policy import GoldenPolicy
from tvlab.learning.verl.rollout import Limits
from tvlab.learning.verl.simulated_users import ScriptedUser
from tvlab.learning.verl.token_rollout import TokenRollout
from tvlab.tasks.dataset_export import verl_row, write_verl_parquet
from tvlab.tasks.episode import Episode

MANY = Limits(prompt_tokens=16_000, response_tokens=60_000, turn_tokens=4000)


def load(name):
    """A module that imports verl when it is imported."""
    need_verl()
    os.environ.setdefault("VERL_PLATFORM", "cpu")
    os.environ.setdefault("VERL_USE_EXTERNAL_MODULES", "tvlab.learning.verl.plugin")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # verl's own imports warn; nothing of ours does
        importlib.import_module("tvlab.learning.verl.cpu_platform")  # another test may have imported verl without it
        return importlib.import_module(name)


@pytest.fixture(scope="module")
def agent_loop():
    return load("tvlab.learning.verl.agent_loop")


@pytest.fixture(scope="module")
def tokenizer(agent_loop):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(real_model())


@pytest.fixture
def chat_of(agent_loop, tokenizer):
    """A chat with the tokenizer, by the builder that verl takes for a family of models."""

    def made(kind="llama", template=None):
        import copy

        own = copy.deepcopy(tokenizer)
        own.chat_template = template or own.chat_template
        wiring = importlib.import_module("verl.utils.tokenizer.continuous_token_wiring")
        return agent_loop.VerlChat(own, wiring.create_continuous_token_builder(own, hf_model_type=kind), "hermes")

    return made


def forgetful(template):
    """The template, but earlier messages lose their reasoning, as Qwen3's does it."""
    plain = "(message['content'] or '')"
    dropped = (
        "(((message['content'] or '').split('</think>')[-1] | trim) if message['role'] == 'assistant' and "
        "loop.index0 < ns.last else (message['content'] or ''))"
    )
    last = (
        "{%- set ns = namespace(last=-1) -%}{%- for m in messages -%}{%- if m['role'] == 'user' -%}"
        "{%- set ns.last = loop.index0 -%}{%- endif -%}{%- endfor -%}"
    )
    assert plain in template
    return last + template.replace(plain, dropped)


def golden(chat, item, packing):
    episode = Episode(bookstore(), item)
    encode = lambda text: [*chat.tokenizer.encode(text, add_special_tokens=False), chat.end_id]  # noqa: E731
    rollout = TokenRollout(episode, GoldenPolicy(episode, encode), chat, ScriptedUser(), "Be brief.", MANY, packing)
    return asyncio.run(rollout.play())


@pytest.mark.parametrize("kind", ["llama", "qwen2"])
def test_a_rollout_has_the_tokens_of_the_chat_template(chat_of, kind):
    chat = chat_of(kind)
    for item in bookstore_items()["bookstore"][:5]:
        rollout = golden(chat, item, "sequence")
        assert set(rollout.episode.rewards) == {1.0}
        (segment,) = rollout.segments
        tools = [tool_for_chat(tool) for tool in bookstore().tools]
        whole = chat.tokenizer.apply_chat_template(rollout.messages, tools=tools, tokenize=False)
        found = chat.tokenizer.decode(segment.prompt_ids + segment.response_ids)
        assert found + "\n" == whole


@pytest.mark.parametrize("kind", ["llama", "qwen2"])
def test_one_sequence_and_one_a_turn_train_on_the_same_tokens_of_the_same_turns(chat_of, kind):
    chat = chat_of(kind)
    for item in bookstore_items()["bookstore"][:5]:
        made = {packing: golden(chat, item, packing) for packing in ("sequence", "turns")}
        trained = {
            packing: [
                (turn, token)
                for segment in rollout.segments
                for turn, token in zip(segment.turn_ids, segment.response_ids, strict=True)
                if turn >= 0
            ]
            for packing, rollout in made.items()
        }
        assert trained["sequence"] == trained["turns"]
        assert len(made["turns"].segments) == len(item.turns)
        last = made["turns"].segments[-1]
        assert last.prompt_ids + last.response_ids == (
            made["sequence"].segments[0].prompt_ids + made["sequence"].segments[0].response_ids
        )


def test_a_template_that_drops_reasoning_is_found_out(chat_of):
    template = chat_of().tokenizer.chat_template
    assert is_append_only(chat_of())
    assert not is_append_only(chat_of(template=forgetful(template)))
    assert packing_for("auto", chat_of("qwen2", forgetful(template))) == "turns"


def test_no_nested_field_of_a_schema_is_lost_in_the_prompt(chat_of):
    chat = chat_of()
    schema = {"type": "object", "properties": {"a": {"type": "array", "minItems": 1, "items": {"anyOf": [
        {"type": "object", "properties": {"b": {"type": "string", "format": "date", "default": "2026-01-01"}}},
        {"type": "integer", "minimum": 3}]}}}}  # fmt: skip
    tool = tool_for_chat({"name": "deep", "description": "d", "inputSchema": schema})
    text = chat.tokenizer.decode(chat.start([{"role": "user", "content": "u"}], [tool]))
    line = next(line for line in text.splitlines() if '"deep"' in line)
    assert json.loads(line) == tool


def test_the_loop_plays_the_row_of_the_parquet_file(agent_loop, tokenizer, tmp_path):
    """The very row that verl's dataset makes of the exported file, with a server that writes one message."""
    dataset = load("tvlab.learning.verl.dataset")
    from omegaconf import OmegaConf

    items = bookstore_items()["bookstore"][:3]
    (path,) = write_verl_parquet({"train": items}, tmp_path)
    folder = str(bookstore().path)
    data = OmegaConf.create({"prompt_key": "prompt", "max_prompt_length": 4096, "filter_overlong_prompts": True,
                             "environments": [folder], "sandbox": "off", "cache_dir": str(tmp_path)})  # fmt: skip
    rows = dataset.GustDataset(data_files=str(path), tokenizer=tokenizer, config=data)
    assert len(rows) == 3
    data.max_prompt_length = 900
    with pytest.raises(UserError, match=r"the shortest first prompt has \d+ tokens"):
        dataset.GustDataset(data_files=str(path), tokenizer=tokenizer, config=data)
    row = rows[0]
    assert row["agent_name"] == "tvlab"

    class Server:
        async def generate(self, request_id, *, prompt_ids, sampling_params):
            ids = [*tokenizer.encode("I cannot.", add_special_tokens=False), tokenizer.eos_token_id]
            extra = {"min_global_steps": 4, "max_global_steps": 4}
            return SimpleNamespace(token_ids=ids, log_probs=[-1.0] * len(ids), extra_fields=extra)

    config = OmegaConf.create({
        "tvlab": {"environments": [folder], "sandbox": "off", "packing": "turns"},
        "algorithm": {"adv_estimator": "tvlab_salt"},
        "data": {},
        "actor_rollout_ref": {
            "model": {"path": str(real_model())},
            "rollout": {"prompt_length": 4096, "response_length": 512, "multi_turn": {"format": "hermes"}},
        },
    })  # fmt: skip
    wrap = importlib.import_module("verl.experimental.agent_loop.agent_loop").DictConfigWrap

    async def play():  # verl's class takes the running event loop when it is made
        loop = agent_loop.GustAgentLoop(wrap(config), Server(), tokenizer, None, None, wrap(config.data), "llama")
        return await loop.run({"temperature": 1.0}, raw_prompt=row["raw_prompt"], extra_info=row["extra_info"])

    outputs = asyncio.run(play())
    assert len(outputs) == len(items[0].turns)
    notes = outputs[0].as_dict()["extra_fields"]
    assert notes["turns"] == notes["rows"] == len(items[0].turns)
    assert len(notes["signals"]["transitions"]) == notes["turns"]
    assert notes["min_global_steps"] == 4
    assert notes["reward_extra_info"]["turns_reached"] == notes["turns"]


def test_every_row_of_the_export_has_what_verl_reads(agent_loop):
    row = verl_row(bookstore_items()["bookstore"][0], "train", 0)
    assert {"prompt", "data_source", "reward_model", "extra_info", "agent_name"} <= set(row)
    assert row["reward_model"]["ground_truth"]
    agents = importlib.import_module("verl.experimental.agent_loop.agent_loop")._agent_loop_registry
    assert agents[row["agent_name"]]["_target_"].endswith("agent_loop.GustAgentLoop")


def test_token_rewards_are_marks_where_the_row_has_all_turns_and_plain_where_not(agent_loop):
    whole = agent_loop.token_rewards([1.0, 0.0], [0, -1, 1, 1], 2)
    assert whole.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert np.signbit(whole).tolist() == [False, True, True, False]
    assert agent_loop.token_rewards([1.0, 0.5], [-1, 1, 1], 2).tolist() == [0.0, 0.0, 0.5]
    assert agent_loop.token_rewards([1.0], [0, 0], 2).tolist() == [0.0, 1.0]


def test_the_engine_writes_what_the_model_would_and_its_log_probabilities(agent_loop, tmp_path):
    from transformers import AutoModelForCausalLM

    from tvlab.learning.verl.batch_generation import Request, write
    from tvlab.learning.verl.small_models import tiny

    folder = tiny(real_model(), tmp_path / "tiny")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    prompts = [[5, 6, 7, 8, 9], [40, 41], [100]]
    requests = [Request(prompts[0], 6, 0.0), Request(prompts[1], 4, 1.0), Request(prompts[2], 5, 0.7)]
    replies = write(model, requests, {2}, torch.Generator().manual_seed(0))
    again = write(model, requests, {2}, torch.Generator().manual_seed(0))
    assert [reply.ids for reply in replies] == [reply.ids for reply in again]
    for request, reply in zip(requests, replies, strict=True):
        assert len(reply.ids) == request.most
        ids = torch.tensor([request.prompt_ids + reply.ids])
        with torch.no_grad():
            logits = model(input_ids=ids).logits[0, len(request.prompt_ids) - 1 : -1].float()
        expected = (logits / (request.temperature or 1.0)).log_softmax(-1)
        if request.temperature == 0:
            assert logits.argmax(-1).tolist() == reply.ids
        found = expected.gather(-1, torch.tensor(reply.ids)[:, None]).squeeze(-1)
        np.testing.assert_allclose(reply.log_probs, found.numpy(), atol=1e-4)


def test_what_was_read_before_changes_nothing_but_the_work(agent_loop, tmp_path):
    from transformers import AutoModelForCausalLM

    from tvlab.learning.verl.batch_generation import Request, write
    from tvlab.learning.verl.prefix_store import PrefixStore
    from tvlab.learning.verl.small_models import tiny

    model = AutoModelForCausalLM.from_pretrained(tiny(real_model(), tmp_path / "tiny"), dtype=torch.float32).eval()
    read, forward = [], model.forward
    model.forward = lambda **given: read.append(given["input_ids"].shape[1]) or forward(**given)
    store, draw = PrefixStore(), torch.Generator().manual_seed(0)
    first = [Request([5, 6, 7, 8, 9], 3), Request([5, 6, 7, 40, 41, 42], 2)]
    said = write(model, first, {2}, draw, store)
    assert read[:2] == [5, 3]  # the second prompt begins as the first one does
    read.clear()
    longer = [Request(r.prompt_ids + s.ids + [60, 61], 4, 0.0) for r, s in zip(first, said, strict=True)]
    known = write(model, longer, {2}, draw, store)
    assert read[:2] == [3, 3]  # the last token written was not read, and the two that are new
    anew = write(model, longer, {2}, draw)
    assert [reply.ids for reply in known] == [reply.ids for reply in anew]
    for one, other in zip(known, anew, strict=True):
        np.testing.assert_allclose(one.log_probs, other.log_probs, atol=1e-4)
    assert len(store) == 2
    small = PrefixStore(most=1)
    write(model, first, {2}, draw, small)
    assert len(small) == 1
    store.clear()
    assert store.longest([5, 6, 7]) == (0, [])


def test_the_engine_stops_at_a_stop_id_and_keeps_it(agent_loop, tmp_path):
    from transformers import AutoModelForCausalLM

    from tvlab.learning.verl.batch_generation import Request, write
    from tvlab.learning.verl.small_models import tiny

    model = AutoModelForCausalLM.from_pretrained(tiny(real_model(), tmp_path / "tiny", tied=False, ends=0.5))
    stop = model.config.eos_token_id
    replies = write(model, [Request([5, 6], 40) for _ in range(32)], {stop}, torch.Generator().manual_seed(0))
    lengths = [len(reply.ids) for reply in replies]
    assert {reply.ids[-1] for reply in replies} == {stop}
    assert 1.3 < np.mean(lengths) < 3.0  # geometric with 1/2


def test_rows_of_a_rollout_stay_together_in_a_batch(agent_loop):
    order = load("tvlab.learning.verl.turn_trainer").episodic_order
    keys = ["u_1_1", "v_0_0", "u_0_0", "u_1_0", "v_0_1"]
    assert [keys[at] for at in order(keys)] == ["u_0_0", "u_1_0", "u_1_1", "v_0_0", "v_0_1"]


def test_all_estimators_and_the_platform_are_registered(agent_loop):
    load("tvlab.learning.verl.registration")
    registry = importlib.import_module("verl.trainer.ppo.core_algos").ADV_ESTIMATOR_REGISTRY
    from tvlab.learning.advantages import ADVANTAGES

    assert {f"tvlab_{name}" for name in ADVANTAGES} <= set(registry)
    platform = importlib.import_module("verl.plugin.platform").get_platform()
    assert platform.device_name == "cpu"
    assert platform.communication_backend_name() == "gloo"


def test_the_rows_of_fine_tuning_are_the_tokens_of_a_rollout(agent_loop, chat_of, tmp_path):
    from tvlab.learning.verl.golden_tokens import GoldenDataset, write_golden

    chat, items = chat_of(), bookstore_items()["bookstore"][:4]
    encode = lambda text: chat.tokenizer.encode(text, add_special_tokens=False)  # noqa: E731
    assert write_golden(tmp_path / "golden.parquet", {"bookstore": bookstore()}, items, chat, encode, MANY) == 4
    row = GoldenDataset(str(tmp_path / "golden.parquet"))[0]
    ids, mask = row["input_ids"].tolist(), row["loss_mask"].tolist()
    assert len(ids) == len(mask) == len(row["position_ids"])
    imitated = chat.tokenizer.decode([i for i, one in zip(ids, mask, strict=True) if one])
    assert imitated.count("<tool_call>") == sum(len(turn.calls) for turn in items[0].turns)
    assert "<tool_response>" not in imitated
    assert write_golden(tmp_path / "none.parquet", {"bookstore": bookstore()}, items, chat, encode,
                        Limits(turn_tokens=8, prompt_tokens=16_000)) == 0  # fmt: skip


def test_metrics_of_turns_reach_tensorboard_through_verls_logger(agent_loop, tmp_path, monkeypatch):
    tracking = load("verl.utils.tracking")
    accumulator = importlib.import_module("tensorboard.backend.event_processing.event_accumulator")
    monkeypatch.setenv("TENSORBOARD_DIR", str(tmp_path))
    logger = tracking.Tracking("tvlab", "tara", ["tensorboard"], {})
    logger.log({"tvlab/turn_1/reward": 0.25}, step=3)
    logger.finish()
    (file,) = tmp_path.rglob("events.out.tfevents*")
    events = accumulator.EventAccumulator(str(file.parent))
    events.Reload()
    (event,) = events.Scalars("tvlab/turn_1/reward")
    assert (event.step, event.value) == (3, 0.25)


@pytest.mark.parametrize("name", ["tvlab_ppo", "tvlab_cpu", "tvlab_cpu_vllm"])
def test_our_configurations_compose_on_verls_and_wrong_settings_are_told_before_anything_starts(agent_loop, name):
    from tvlab.learning.verl.main_ppo import check, store_configs

    hydra = importlib.import_module("hydra")
    store_configs()
    with hydra.initialize_config_module("verl.trainer.config", version_base=None):
        words = ["tvlab.environments=[a]", "tvlab.limits.turn_calls=3", "+algorithm.tvlab.lam=0.3"]
        config = hydra.compose(name, words)
        assert config.algorithm.adv_estimator == "tvlab_tara"
        assert config.tvlab.limits.turn_calls == 3
        assert config.data.environments == ["a"]
        check(config)
        wrong = {
            "algorithm.use_kl_in_reward=True": "no turn reward",
            "trainer.v1.trainer_mode=colocate_async": "of mode sync",
            "algorithm.filter_groups.enable=True": "verl's own buffer",
            "+tvlab.limit=3": "is no setting",
            "tvlab.environments=[]": "is empty",
        }
        for word, told in wrong.items():
            words = ["tvlab.environments=[a]", word] if "environments" not in word else [word]
            with pytest.raises(UserError, match=told):
                check(hydra.compose(name, words))
