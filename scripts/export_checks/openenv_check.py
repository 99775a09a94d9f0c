"""Plays every item of an OpenEnv export through its server and its own client: ``openenv_check.py FOLDER``.

For a Python with openenv, not the project's own. Prints one JSON line: [golden rewards, rewards with the last call
left out] of each item.
"""

import json
import socket
import sys
import threading
import time

sys.path[:0] = [sys.argv[1], sys.path[0]]

import app as exported
import uvicorn
from openenv.core import GenericEnvClient
from scripted import golden_calls


def main() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(exported.app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    rows = []
    for name, item in exported.ITEMS.items():
        environment = exported.ENVIRONMENTS[item.environment]
        rows.append([played(port, name, golden_calls(environment, item, forget)) for forget in (False, True)])
    print(json.dumps(rows))
    server.should_exit = True
    thread.join(10)


def played(port: int, name: str, calls: list) -> list[float]:
    """Play one item and return its turn rewards; the steps' rewards must sum to the same."""
    with GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as client:
        result, paid = client.reset(item=name), 0.0
        assert exported.ITEMS[name].turns[0].user in result.observation["text"]
        assert "reply_to_user" in {tool["name"] for tool in result.observation["tools"]}
        for tool, arguments in calls:
            result = client.step({"name": tool, "arguments": arguments})
            paid += result.reward or 0.0
        assert result.done
        assert paid == sum(result.observation["turn_rewards"])
        return result.observation["turn_rewards"]


if __name__ == "__main__":
    main()
