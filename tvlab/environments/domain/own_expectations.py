"""What the tools of an environment must do, each read among the tools of its own server.

A name is read beside the names of its server (a prefix that they share carries no meaning), so the tools of a
joined environment are read server by server, under the names that they have there.
"""

from __future__ import annotations

from dataclasses import replace

from tvlab.environments.domain.expectations import Expectation, expect
from tvlab.environments.environment import Environment


def expect_of(environment: Environment) -> dict[str, Expectation]:
    """Return the expectation of each tool."""
    joined = environment.report.get("joined")
    if not joined:
        return expect(list(environment.tools))
    result: dict[str, Expectation] = {}
    for part in joined:
        here = {own: tool for tool, own in part["tools"].items()}
        tools = [{**environment.tool(tool), "name": own} for own, tool in here.items()]
        for own, expectation in expect(tools).items():
            result[here[own]] = replace(expectation, tool=here[own])
    return result
