"""Tool lists in two public collections' layouts, read from their repositories.

* docker/mcp-registry: ``servers/NAME/tools.json``, a list of tools, beside ``server.yaml`` (title,
  description, category, upstream project).  Most tools list ``arguments`` (name, type, desc, optional), no
  schema; one is made from those and the entry says so (``source.schema``).
* TheAgentArk/Toucan: ``mcp_servers/*.json``, the answer that a hosted server gave (``metadata``, with the
  crawled page of the server) and labels.

An entry without tools, or that tells nothing of parameters, is left out with a reason.  The tools stay raw.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

import yaml

from tvlab.environments.sources.repository_files import RepositoryFiles
from tvlab.environments.tool_lists import ToolList

UNSPECIFIED = "unspecified"
_DOCKER = re.compile(r"servers/([^/]+)/(?:tools\.json|server\.yaml)")
_TOUCAN = re.compile(r"mcp_servers/[^/]+\.json")
_LICENCE_FILE = re.compile(r"(?:LICEN[SC]E|COPYING)(?:\.(?:md|txt))?", re.IGNORECASE)
# first match wins: the text of the AGPL and LGPL names the GPL as well
_LICENCES = (
    ("Apache License", "Apache-2.0"),
    ("GNU AFFERO GENERAL PUBLIC LICENSE", "AGPL-3.0"),
    ("GNU LESSER GENERAL PUBLIC LICENSE", "LGPL"),
    ("GNU GENERAL PUBLIC LICENSE", "GPL"),
    ("Mozilla Public License", "MPL-2.0"),
    ("Permission is hereby granted, free of charge", "MIT"),
    ("Permission to use, copy, modify, and/or distribute", "ISC"),
    ("Redistribution and use in source and binary forms", "BSD"),
)
_LICENCE_NAME = re.compile(
    r"(?:MIT|ISC|Unlicense|0BSD|BSL-1\.0|Zlib|WTFPL|(?:Apache|A?GPL|LGPL|MPL|BSD|CC|EUPL|EPL|"
    r"PolyForm|BUSL|SSPL|Elastic|Artistic|OSL)[\w .+-]{0,40})",
    re.IGNORECASE,
)


class LeftOutError(Exception):
    """An entry that makes no tool list; the message is the reason."""


@dataclass(frozen=True)
class LeftOut:
    """A file of a collection that gave no tool list, and why."""

    path: str
    reason: str


def is_wanted(path: str) -> bool:
    """Return whether a path below a repository's root belongs to a layout known here."""
    return bool(_DOCKER.fullmatch(path) or _TOUCAN.fullmatch(path) or _LICENCE_FILE.fullmatch(path))


def registry_entries(files: RepositoryFiles) -> Iterator[ToolList | LeftOut]:
    """Yield the servers of a repository in the order of its files, and what was left out.

    >>> licence_name("MIT"), licence_name("https://host/page?api_key=123")
    ('MIT', 'unspecified')
    """
    licence = _collection_licence(files)
    known = set(files.paths)
    for path in files.paths:
        if _LICENCE_FILE.fullmatch(path) or path.endswith("server.yaml"):
            continue
        try:
            value = _json(files.read(path))
            if _TOUCAN.fullmatch(path):
                yield _toucan(value, path, files, licence)
            else:
                beside = str(PurePosixPath(path).with_name("server.yaml"))
                yield _docker(
                    value, _yaml(files.read(beside)) if beside in known else {}, path, files, licence
                )
        except (LeftOutError, ValueError) as error:
            yield LeftOut(path, " ".join(str(error).split())[:160])


def licence_name(value: Any) -> str:
    """Return a licence as a collection recorded it, if it is the name of one and no address or remark."""
    text = value.strip() if isinstance(value, str) else ""
    return text if _LICENCE_NAME.fullmatch(text) else UNSPECIFIED


def _collection_licence(files: RepositoryFiles) -> str:
    for path in files.paths:
        if _LICENCE_FILE.fullmatch(path):
            text = " ".join(files.read(path).decode("utf-8", "replace").split())
            return next((name for phrase, name in _LICENCES if phrase.lower() in text.lower()), UNSPECIFIED)
    return UNSPECIFIED


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise LeftOutError(f"not JSON ({getattr(error, 'msg', type(error).__name__)})") from None


def _yaml(content: bytes) -> dict[str, Any]:
    """A mapping of a YAML file without tags; {} where it is none (its facts are wanted, not needed)."""
    try:
        value = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _of(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any, *keys: str) -> str:
    found = _of(value, *keys)
    return " ".join(found.split()) if isinstance(found, str) else ""


def _source(files: RepositoryFiles, path: str, licence: str, **facts: str) -> dict[str, Any]:
    return {
        "repo": files.name,
        "path": path,
        "commit": files.commit,
        "license": licence,
        **{key: value for key, value in facts.items() if value},
    }


def _docker(tools: Any, server: dict[str, Any], path: str, files: RepositoryFiles, licence: str) -> ToolList:
    if isinstance(tools, dict):
        tools = tools.get("tools")
    if not isinstance(tools, list) or not tools:
        raise LeftOutError("no tools are listed")
    described = [
        tool for tool in tools if isinstance(tool, dict) and ("inputSchema" in tool or "arguments" in tool)
    ]
    if not described:
        raise LeftOutError("its tools are names without parameters")
    made = any("inputSchema" not in tool for tool in described)
    name = _text(server, "name") or PurePosixPath(path).parent.name
    source = _source(
        files,
        path,
        licence,
        upstream=_text(server, "source", "project"),
        category=_text(server, "meta", "category"),
        schema="converted-from-arguments" if made else "raw",
    )
    source["upstream_license"] = UNSPECIFIED
    return ToolList(
        name,
        _text(server, "about", "title") or name,
        _text(server, "about", "description"),
        source,
        [_with_schema(tool) for tool in tools],
    )


def _with_schema(tool: Any) -> Any:
    """A tool of the registry with its ``arguments`` as a schema; without any it takes none."""
    if not isinstance(tool, dict) or "inputSchema" in tool:
        return tool
    arguments = tool.get("arguments")
    named = (
        [a for a in arguments if isinstance(a, dict) and isinstance(a.get("name"), str)]
        if isinstance(arguments, list)
        else []
    )
    schema: dict[str, Any] = {"type": "object", "properties": {a["name"]: _property(a) for a in named}}
    # the registry writes `optional` only where it is true
    required = [a["name"] for a in named if a.get("optional") is not True and a.get("required") is not False]
    if required:
        schema["required"] = required
    return {**{key: value for key, value in tool.items() if key != "arguments"}, "inputSchema": schema}


def _property(argument: dict[str, Any]) -> dict[str, Any]:
    kept = {
        key: argument[key] for key in ("type", "items", "enum", "default") if argument.get(key) is not None
    }
    return kept | ({"description": argument["desc"]} if argument.get("desc") else {})


def _toucan(value: Any, path: str, files: RepositoryFiles, licence: str) -> ToolList:
    answer, crawled = (
        _of(value, "metadata", "remote_server_response"),
        _of(value, "metadata", "server_info_crawled"),
    )
    tools = _of(answer, "tools")
    if _of(answer, "is_success") is not True or not isinstance(tools, list) or not tools:
        raise LeftOutError("the server gave no answer when it was asked")
    name = _text(crawled, "author") or PurePosixPath(path).stem.removesuffix("_labeled")
    source = _source(
        files,
        path,
        licence,
        upstream=_text(crawled, "repository_url"),
        category=_text(value, "labels", "primary_label"),
        captured=_day(_of(value, "metadata", "timestamp")),
        schema="raw",
    )
    source["upstream_license"] = licence_name(_of(crawled, "license"))
    return ToolList(
        _slug(name),
        _text(value, "metadata", "server_name") or name,
        _text(crawled, "overview"),
        source,
        [_answered(tool) for tool in tools],
    )


def _answered(tool: Any) -> Any:
    """A tool as MCP spells it; the collection writes ``input_schema`` and null for what is missing."""
    if not isinstance(tool, dict):
        return tool
    renamed = {"input_schema": "inputSchema", "output_schema": "outputSchema"}
    return {renamed.get(key, key): value for key, value in tool.items() if value is not None}


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "server"


def _day(timestamp: Any) -> str:
    if not isinstance(timestamp, int | float) or isinstance(timestamp, bool) or not 0 < timestamp < 2**33:
        return ""
    return datetime.fromtimestamp(timestamp, UTC).date().isoformat()
