"""Pull tool lists into a dump: of known packages, collections, a client's servers, a running server.

``pull`` adds servers to a JSON Lines dump that ``tvlab build --from`` reads, with provenance and licence in
``source``.  What is there already stays, so a pull that was stopped goes on where it was.  The text of a tool
list belongs to its author: a licence that nobody recorded is ``unspecified``; the user answers for its use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tvlab.environments.sources.client_configurations import Unusable, read_client_configuration
from tvlab.environments.sources.corpus_dumps import CorpusDump, open_dump
from tvlab.environments.sources.http_servers import HttpServer, ask_http_server
from tvlab.environments.sources.live import LIST_SECONDS, LiveFailure, ask_servers
from tvlab.environments.sources.registry_layouts import LeftOut, is_wanted, registry_entries
from tvlab.environments.sources.repository_files import ARCHIVES, open_repository
from tvlab.environments.sources.server_installs import LiveServer, choose_servers
from tvlab.environments.tool_lists import ToolList
from tvlab.foundation.atomic_files import read_json
from tvlab.foundation.errors import UserError

_CODE_HOSTS = ("github.com", "gitlab.com", "codeberg.org", "bitbucket.org")
_CHOICES = (
    "live, a folder or archive (.zip, .tar.gz) in the layout of docker/mcp-registry or Toucan, an mcp.json, "
    "or the http address of a server"
)


@dataclass
class Pulled:
    """What a pull brought, by server.

    Attributes:
        out: the dump.
        servers: how many servers it holds now.
        added, replaced, kept, twins: new ones, ones whose tools or version changed, ones that were there,
            and ones whose tools are there from elsewhere.
        failures: one line for each server that gave nothing.
    """

    out: Path
    servers: int = 0
    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    twins: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def found(self) -> int:
        """Servers that were read, whatever became of them."""
        return len(self.added) + len(self.replaced) + len(self.kept) + len(self.twins)

    def take(self, tool_list: ToolList, dump: CorpusDump) -> bool:
        """Put a server into the dump and its account; True if the dump changed."""
        try:
            outcome = dump.add(tool_list)
        except ValueError as error:  # infinities and NaN, which Python reads but JSON cannot hold
            self.failures.append(f"server {tool_list.server}: not JSON ({error})")
            return False
        {"added": self.added, "replaced": self.replaced, "kept": self.kept, "twin": self.twins}[
            outcome
        ].append(tool_list.server)
        return outcome in ("added", "replaced")

    def __str__(self) -> str:
        return (
            f"{len(self.added)} servers added, {len(self.replaced)} replaced, "
            f"{len(self.kept)} there already, "
            f"{len(self.twins)} twins, {len(self.failures)} gave nothing; {self.servers} in {self.out}"
        )


def pull(
    source: str | Path,
    out: str | Path,
    names: list[str] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    cache: str | Path | None = None,
    seconds: float = LIST_SECONDS,
    report: Callable[[str], None] | None = None,
) -> Pulled:
    """Add the servers of a source to the dump at ``out``.

    Args:
        source: ``"live"`` (the servers of the package's own list, installed from the package indexes); a
            checkout or archive of a collection in the layout of docker/mcp-registry or Toucan; an
            ``mcp.json``; or the ``http(s)://`` address of an MCP server.
        out: a ``.jsonl`` file, new or to be extended.
        names: only the servers called so (``live``, ``mcp.json``).
        headers: sent to the server at an address, for example an authorization; never kept.
        cache: where live servers are installed; see ``server_installs.cache_folder``.
        seconds: time limit for the answer of one server.
        report: called with one line a server asked or entry left out; None writes them to standard error.

    Raises:
        UserError: the source is none of these, or no server of it gave anything.
    """
    say = report or _to_standard_error
    with open_dump(out) as dump:
        pulled = Pulled(Path(out))
        if str(source) == "live":
            _pull_servers(list(choose_servers(names)), dump, pulled, cache, seconds, say)
        elif str(source).startswith(("http://", "https://")):
            server = HttpServer("", str(source), dict(headers or {}))
            _refuse_code_hosts(server.url)
            _pull_servers([server], dump, pulled, cache, seconds, say)
        elif _is_collection(Path(source)):
            _pull_collection(Path(source), dump, pulled, say)
        else:
            _pull_servers(_configured(Path(source), names), dump, pulled, cache, seconds, say)
        pulled.servers = len(dump)
    if not pulled.found:
        reason = pulled.failures[0] if pulled.failures else "it names none"
        raise UserError(f"{_shown(source)} gave no server; {reason}")
    return pulled


def pull_servers(
    servers: Iterable[LiveServer | HttpServer | Unusable],
    out: str | Path,
    cache: str | Path | None = None,
    seconds: float = LIST_SECONDS,
    report: Callable[[str], None] | None = None,
) -> Pulled:
    """Ask servers one after another and save the dump after each; known versions are not asked again."""
    pulled = Pulled(Path(out))
    with open_dump(out) as dump:
        _pull_servers(servers, dump, pulled, cache, seconds, report or _to_standard_error)
        pulled.servers = len(dump)
    return pulled


def _to_standard_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _shown(source: str | Path) -> str:
    return "the address" if str(source).startswith(("http://", "https://")) else f"source {source}"


def _refuse_code_hosts(url: str) -> None:
    host = urlsplit(url).hostname or ""
    if host.removeprefix("www.") in _CODE_HOSTS:
        raise UserError(
            f"{host} holds repositories, not a running server: clone it or download its archive, "
            "and give that path"
        )


def _is_collection(path: Path) -> bool:
    if not path.exists():
        raise UserError(f"source {path} does not exist: give {_CHOICES}")
    if path.is_dir() or path.name.lower().endswith(ARCHIVES):
        return True
    if path.suffix != ".json":
        raise UserError(f"source {path} is of no known kind: give {_CHOICES}")
    return False


def _configured(path: Path, names: list[str] | None) -> list[LiveServer | HttpServer | Unusable]:
    value = read_json(path, "source")
    if isinstance(value, list) or (isinstance(value, dict) and "tools" in value):
        raise UserError(f"source {path} is a tool list already: give it to `tvlab build --from` as it is")
    servers = read_client_configuration(path)
    known = {server.name for server in servers}
    if unknown := [name for name in names or [] if name not in known]:
        raise UserError(f"server {unknown[0]!r} is not in {path}: choose among {', '.join(sorted(known))}")
    return [server for server in servers if names is None or server.name in names]


def _pull_servers(
    servers: Iterable[LiveServer | HttpServer | Unusable],
    dump: CorpusDump,
    pulled: Pulled,
    cache: str | Path | None,
    seconds: float,
    say: Callable[[str], None],
) -> None:
    for server in servers:
        if isinstance(server, LiveServer) and dump.version(_origin(server)) == server.version != "":
            pulled.kept.append(server.name)
            continue
        answer = _answer(server, cache, seconds, say)
        if isinstance(answer, ToolList):
            if pulled.take(answer, dump):
                dump.write()
        else:
            pulled.failures.append(str(answer))


def _origin(server: LiveServer) -> tuple[str, str]:
    return str(server.source["repo"]), str(server.source["path"])


def _answer(
    server: LiveServer | HttpServer | Unusable,
    cache: str | Path | None,
    seconds: float,
    say: Callable[[str], None],
) -> ToolList | LiveFailure | Unusable:
    if isinstance(server, LiveServer):
        answers = ask_servers([server], cache, seconds, say)
        return answers.tool_lists[0] if answers.tool_lists else answers.failures[0]
    answer = ask_http_server(server, seconds) if isinstance(server, HttpServer) else server
    say(f"server {answer.server}: {len(answer.tools)} tools" if isinstance(answer, ToolList) else str(answer))
    return answer


def _pull_collection(path: Path, dump: CorpusDump, pulled: Pulled, say: Callable[[str], None]) -> None:
    """Read a whole collection and save once: it takes seconds, and an unfinished one is read again."""
    changed = False
    reasons: dict[str, int] = {}
    with open_repository(path, is_wanted) as files:
        for entry in registry_entries(files):
            if isinstance(entry, LeftOut):
                pulled.failures.append(f"{entry.path}: {entry.reason}")
                reasons[entry.reason] = reasons.get(entry.reason, 0) + 1
            else:
                changed |= pulled.take(entry, dump)
        if files.left_out:
            say(f"{path}: {files.left_out} links or devices left out")
    for reason, number in sorted(reasons.items(), key=lambda item: -item[1]):
        say(f"{path}: {number} entries left out, {reason}")
    if not pulled.found and not pulled.failures:
        raise UserError(
            f"source {path} has neither servers/*/tools.json nor mcp_servers/*.json: give {_CHOICES}"
        )
    if changed:
        dump.write()
