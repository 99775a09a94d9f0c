"""The section `tvlab` of a verl configuration: environments, limits, packing, user, rewards.

    tvlab.environments=[folder]   folders of environments, or folders that hold such folders
    tvlab.limits.turn_tokens=1024 ...

The defaults are in `DEFAULTS`; `main_ppo` adds the section to verl's own configuration. Response and prompt tokens are
those of verl: `data.max_response_length` and `data.max_prompt_length`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tvlab.environments.environment import Environment
from tvlab.environments.opening import open_environment
from tvlab.foundation.endpoint import Endpoint, EndpointConfig
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.rollout import Limits
from tvlab.learning.verl.simulated_users import ModelUser, ScriptedUser, SimulatedUser

DEFAULTS: dict[str, Any] = {
    "environments": [],
    "sandbox": "auto",
    "packing": "auto",
    "reward": "coverage",
    "turn_reward": "episode",
    "on_failed_turn": "continue",
    "limits": {"turn_tokens": 1024, "turn_calls": 8, "observation_characters": 6000},
    "user": {
        "kind": "scripted",
        "base_url": None,
        "model": None,
        "key_variable": "OPENAI_API_KEY",
        "temperature": 0.7,
        "timeout": 60.0,
        "concurrency": 32,
        "tools": [],
    },
    "agent": {"path": None, "timeout": 600.0},
}


@dataclass(frozen=True)
class UserSettings:
    """Who speaks for the user: ``scripted`` or ``endpoint``, and where that is; ``tools`` it holds (dual control)."""

    kind: str = "scripted"
    base_url: str | None = None
    model: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    temperature: float = 0.7
    timeout: float = 60.0
    concurrency: int = 32
    tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class AgentSettings:
    """An agent that leads the rollouts in place of our loop (package.module:function), and its seconds for one."""

    path: str | None = None
    timeout: float = 600.0


@dataclass(frozen=True)
class LoopSettings:
    """What an agent loop is told; the fields are those of `DEFAULTS`."""

    environments: tuple[str, ...]
    sandbox: str
    packing: str
    reward: str
    turn_reward: str
    on_failed_turn: str
    limits: Limits
    user: UserSettings
    agent: AgentSettings = AgentSettings()

    @classmethod
    def of(cls, config: Any) -> LoopSettings:
        """Read verl's configuration; what the section leaves out keeps its default.

        Raises:
            UserError: a setting that does not exist, or no environments.
        """
        given = _plain(config.get("tvlab", None) or {})
        section = _merged(DEFAULTS, given, "tvlab")
        if not section["environments"]:
            raise UserError("tvlab.environments is empty: name the folder of the items' environments")
        rollout = config.actor_rollout_ref.rollout
        of_verl = {"response_tokens": rollout.response_length, "prompt_tokens": rollout.prompt_length}
        limits = Limits(**section["limits"], **of_verl)
        roots = section["environments"]
        user = UserSettings(**{**section["user"], "tools": tuple(section["user"]["tools"])})
        rest = {name: section[name] for name in ("sandbox", "packing", "reward", "turn_reward", "on_failed_turn")}
        return cls((roots,) if isinstance(roots, str) else tuple(roots), limits=limits, user=user,
                   agent=AgentSettings(**section["agent"]), **rest)  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping) or hasattr(value, "items"):
        return {key: _plain(inner) for key, inner in value.items()}
    return value if isinstance(value, str) or not isinstance(value, Sequence) else [_plain(inner) for inner in value]


def _merged(default: Mapping[str, Any], given: Mapping[str, Any], where: str) -> dict[str, Any]:
    if unknown := sorted(given.keys() - default.keys()):
        raise UserError(f"{where}.{unknown[0]} is no setting; there are: {', '.join(sorted(default))}")
    return {
        key: _merged(value, given.get(key) or {}, f"{where}.{key}")
        if isinstance(value, dict)
        else given.get(key, value)
        for key, value in default.items()
    }


def environment_of(roots: Sequence[str], name: str, sandbox: str) -> Environment:
    """The environment of that name below one of the roots, or that one of the roots is.

    Raises:
        UserError: there is none.
    """
    return _environment(tuple(roots), name, sandbox)


@lru_cache(maxsize=1024)
def _environment(roots: tuple[str, ...], name: str, sandbox: str) -> Environment:
    for root in map(Path, roots):
        for folder in (root / name, root):
            if folder.name == name and (folder / "tools.json").is_file():
                return open_environment(folder, sandbox)
    raise UserError(f"environment {name!r} is not in tvlab.environments ({', '.join(roots)}): add its folder")


def simulated_user(settings: LoopSettings) -> SimulatedUser:
    """The user that the settings name, for one rollout.

    Raises:
        UserError: an unknown kind, an endpoint without address or model, or tools for a script.
    """
    user = settings.user
    if user.kind == "scripted" and user.tools:
        raise UserError(f"tvlab.user.tools={list(user.tools)}: a script calls no tools; choose user.kind=endpoint")
    if user.kind == "scripted":
        return ScriptedUser()
    if user.kind != "endpoint" or not user.base_url or not user.model:
        raise UserError(f"tvlab.user.kind={user.kind}: choose scripted, or endpoint with user.base_url and user.model")
    return ModelUser(_endpoint(user), _threads(user.concurrency), user.timeout, user.tools)


@lru_cache(maxsize=8)
def _endpoint(user: UserSettings) -> Endpoint:
    assert user.base_url is not None
    assert user.model is not None
    asked = EndpointConfig(
        user.base_url, user.model, user.key_variable, user.temperature, timeout=user.timeout, retries=1
    )
    return Endpoint(asked)


@lru_cache(maxsize=8)
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="user")
