"""Tool environments behind Gymnasium's ``Env``: text in, text out.

    env = gymnasium.make("tvlab.environments.gym_environment:tvlab/Tools-v0", environment="path/to/one")

* An **action** is what the agent writes.  Text that starts with ``{`` is a tool call in any spelling of
  ``ToolCall.parse``; any other text is a message to the user, which ends the user's
  turn.  ``action_space.sample()`` draws a call that fits a tool's schema, with keys that exist: a random
  policy that does something.
* An **observation** is what the agent reads: the user's words after ``reset`` and after a message, the
  result as JSON after a call, and both on two lines where a call ended the turn by itself (step
  cap).  ``info["role"]`` says which.
* The **reward** of a step is what the episode paid in it.  An episode is anything with ``Turns``' names, so
  GUST items plug in: ``episodes=[partial(Episode, environment, item) for item in items]``.  Without episodes
  the environment is open-ended: no user, no reward, and a message ends it.

The environment itself is deterministic; the seed of ``reset`` draws which episode is played (or say so by
``options={"episode": 3}``).  Limits on steps are ``gymnasium.wrappers.TimeLimit``'s business.

Characters outside ``observation_space``'s set are written as JSON escapes, so that it holds every
observation.  In vector environments pass ``shared_memory=False``; Gymnasium's shared buffers pad text (here
with spaces).
"""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import gymnasium
from gymnasium import spaces

from tvlab.environments.checks.random_calls import known_values
from tvlab.environments.environment import CallResult, Environment, Session
from tvlab.environments.state_difference import difference
from tvlab.environments.tool_call_space import MAX_TEXT, ToolCallSpace
from tvlab.environments.tool_calls import MalformedCallError, ToolCall, observation_text
from tvlab.environments.tool_environment import loaded, nouns
from tvlab.foundation.errors import UserError


class Turns(Protocol):
    """What is played in one episode; ``tvlab.tasks.episode.Episode`` is one."""

    session: Session
    turn: int
    done: bool

    @property
    def words(self) -> str:
        """What the user says in the current turn."""

    @property
    def rewards(self) -> Sequence[float]:
        """What the turns have paid so far."""

    def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Make one call in the current turn."""

    def end_turn(self, message: str = "") -> float:
        """End the current turn by a message and return its reward."""


class OneTurn:
    """An episode of a single turn.

    Args:
        environment: where it is played.
        words: what the user asks.
        score: pays the turn when the agent ends it, from the state reached; no reward if None.
    """

    def __init__(
        self, environment: Environment, words: str = "", score: Callable[[Session], float] | None = None
    ) -> None:
        self.session = environment.session()
        self.words = words
        self.turn = 0
        self.done = False
        self.rewards: list[float] = []
        self._score = score

    def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Make one call."""
        return self.session.call(tool, arguments)

    def end_turn(self, message: str = "") -> float:
        """End the episode and return its reward."""
        self.turn, self.done = 1, True
        self.rewards.append(float(self._score(self.session)) if self._score else 0.0)
        return self.rewards[-1]


class GymEnvironment(gymnasium.Env[str, str]):
    """A tool environment as a Gymnasium ``Env``.

    Args:
        environment: a loaded environment or its folder.
        episodes: what ``reset`` chooses from; each call of one makes a fresh episode.
        max_text: longest action and observation, in characters; a longer observation is cut and
            ``info["cut"]`` set.
        characters: that observations hold unescaped, besides printable ASCII and those of the environment's
            files.
        render_mode: None or ``ansi`` (the last exchange, and what changed since ``reset``, in words).
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's own declaration

    def __init__(
        self,
        environment: Environment | str | Path,
        episodes: Sequence[Callable[[], Turns]] = (),
        max_text: int = MAX_TEXT,
        characters: str = "",
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UserError(f"render_mode {render_mode!r}: choose ansi or None")
        self.environment = loaded(environment)
        self.episodes = tuple(episodes) or (lambda: OneTurn(self.environment),)
        self.render_mode = render_mode
        state = self.environment.state
        known = {name: known_values(self.environment, name, state) for name in self.environment.tool_names}
        self.action_space = ToolCallSpace(self.environment.tools, known, max_text)
        # the first character is what Gymnasium pads shared buffers with
        charset = " " + string.printable + characters + _text(self.environment)
        self.observation_space = spaces.Text(max_text, min_length=0, charset=charset)
        self._charset = frozenset(charset)
        self._max_text = max_text
        self._episode: Turns | None = None
        self._exchange = ("", "")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode and return the user's first words.

        Args:
            seed: draws the episode, here and in later resets without a seed.
            options: ``{"episode": index}`` names it instead.
        """
        super().reset(seed=seed)
        index = (options or {}).get("episode")
        if index is None:
            index = int(self.np_random.integers(len(self.episodes)))
        elif not 0 <= index < len(self.episodes):
            raise UserError(f"there is no episode {index}: this environment has {len(self.episodes)}")
        self._episode, self._exchange = self.episodes[index](), ("", "")
        return self._observe("", self._episode.words, {"role": "user", "episode": index})

    def step(self, action: str | Mapping[str, Any]) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Make a tool call or end the user's turn by a message.

        Raises:
            RuntimeError: the episode is over, or there was no ``reset``.
        """
        episode = self._episode
        if episode is None or episode.done:
            raise RuntimeError("the episode is over: call reset first")
        paid, turn = sum(episode.rewards), episode.turn
        if isinstance(action, str) and not action.lstrip().startswith("{"):
            episode.end_turn(action)
            reply, info = "", {"role": "user", "ok": True}
        else:
            reply, info = self._call(episode, action)
        words = "" if episode.done or episode.turn == turn else episode.words
        observation, info = self._observe(reply, words, info)
        self._exchange = (str(action), observation)
        return observation, float(sum(episode.rewards) - paid), episode.done, False, info

    def render(self) -> str | None:
        """Return the last exchange and what changed since ``reset``; None without a render mode."""
        if self.render_mode is None or self._episode is None:
            return None
        action, observation = self._exchange
        changes = difference(self.environment.state, self._episode.session.state)
        return f"> {action}\n{observation}\n{changes.words(nouns(self.environment))}"

    def _call(self, episode: Turns, action: Any) -> tuple[str, dict[str, Any]]:
        try:
            call = ToolCall.parse(action)
        except MalformedCallError as error:
            # counted as a call, so that a step cap ends a turn of nothing but malformed ones
            episode.call("", {})
            result, tool = CallResult(False, None, f"invalid_arguments: {error}"), None
        else:
            result, tool = episode.call(call.name, call.arguments), call.name
        return observation_text(result), {"role": "tool", "ok": result.ok, "tool": tool}

    def _observe(self, reply: str, words: str, info: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        text = "\n".join(part for part in (reply, words) if part)
        if not self._charset.issuperset(text):
            text = "".join(c if c in self._charset else json.dumps(c)[1:-1] for c in text)
        return text[: self._max_text], {**info, "cut": len(text) > self._max_text}


def _text(environment: Environment) -> str:
    return json.dumps([environment.tools, environment.state], ensure_ascii=False)


gymnasium.register(id="tvlab/Tools-v0", entry_point=f"{__name__}:GymEnvironment")
