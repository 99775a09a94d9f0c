"""The way from a server that the rules have finished with to one with a model's tools in it."""

from __future__ import annotations

from tvlab.environments.assembling import sandboxed
from tvlab.environments.domain.tool_parsing import parse_tools
from tvlab.environments.llm.trials import TrialEnvironment
from tvlab.environments.llm.writer import Desk
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.prepared_servers import PreparedServer
from tvlab.environments.seeding.seeding import seed_state


def write_with_model(server: PreparedServer, kept: list[Meaning], name: str) -> None:
    """Ask the server's model for tools; the server's meanings and drops are then those of both.

    Args:
        server: the server; ``server.model.writer`` asks.
        kept: what the rules have written and verified.
        name: of the environment in which each tool is tried.
    """
    state = seed_state(server.domain, list(server.domain.entities), server.seed, name)

    def assemble(meanings: list[Meaning], sources: dict[str, str]) -> TrialEnvironment:
        return sandboxed(server, meanings, name, sources)[0]

    desk = Desk(server.domain, state, kept, assemble)
    server.meanings, server.drops = server.model.extend(parse_tools(server.refactored.tools), desk, server.drops)
