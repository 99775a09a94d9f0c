"""An agent loop of somebody who notes no turns, as verl's own loops note none; under the name "turnless"."""

from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, register

from tvlab.learning.verl import registration  # noqa: F401  # what the setting that names this module names otherwise
from tvlab.learning.verl.agent_loop import GustAgentLoop


@register("turnless")
class TurnlessLoop(GustAgentLoop):
    async def run(self, sampling_params, **row):
        (made,) = await super().run(sampling_params, **row)
        told = {**made.model_dump(), "extra_fields": {"reward_extra_info": made.extra_fields["reward_extra_info"]}}
        return AgentLoopOutput(**told)
