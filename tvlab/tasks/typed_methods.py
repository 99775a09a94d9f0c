"""Tools as typed Python methods, for frameworks that read a tool's schema from a signature and its docstring.

Types are those that JSON Schema and Python share: nested objects become ``dict``, arrays ``list``.  Names that
Python does not allow are changed and mapped back.
"""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tvlab.environments.environment import function_name

_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


def tool_method(tool: Mapping[str, Any]) -> Callable[..., str]:
    """Return a method that hands its arguments to ``self._call(name, arguments)``; optional ones left out stay out.

    >>> method = tool_method({"name": "get-book", "description": "Get one book.",
    ...                       "inputSchema": {"properties": {"sku": {"type": "string"}}, "required": ["sku"]}})
    >>> method.__name__, str(inspect.signature(method))
    ('get_book', '(self, sku: str) -> str')
    """
    schema = tool.get("inputSchema", {})
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = [name for name in properties if name in schema.get("required", ())]
    names = {_identifier(name): name for name in [*required, *(name for name in properties if name not in required)]}

    def method(self: Any, **given: Any) -> str:
        arguments = {
            names[name]: value for name, value in given.items() if value is not None or names[name] in required
        }
        return self._call(tool["name"], arguments)

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for name, original in names.items():
        kind = _python_type(properties[original])
        optional = original not in required
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=None if optional else inspect.Parameter.empty,
                annotation=(kind | None) if optional else kind,
            )
        )

    def bound(self: Any, *args: Any, **kwargs: Any) -> str:
        taken = signature.bind(self, *args, **kwargs).arguments
        taken.pop("self")
        return method(self, **taken)

    signature = inspect.Signature(parameters, return_annotation=str)
    bound.__name__ = bound.__qualname__ = function_name(tool["name"])
    bound.__signature__ = signature  # type: ignore[attr-defined]
    bound.__annotations__ = {p.name: p.annotation for p in parameters[1:]} | {"return": str}
    bound.__doc__ = _docstring(tool, names, properties)
    return bound


def class_of_tools(name: str, tools: Sequence[Mapping[str, Any]], base: type) -> type:
    """Return a subclass of ``base`` with one method a tool; ``base`` has ``_call(name, arguments)``.

    A tool that is called like a method of ``base``, such as ``reset``, gets a ``_`` behind its name.
    """
    methods: dict[str, Callable[..., str]] = {}
    for tool in tools:
        method = tool_method(tool)
        while hasattr(base, method.__name__) or method.__name__ in methods:
            method.__name__ = method.__qualname__ = f"{method.__name__}_"
        methods[method.__name__] = method
    return type(name, (base,), methods)


def _docstring(tool: Mapping[str, Any], names: Mapping[str, str], properties: Mapping[str, Any]) -> str:
    about = " ".join(str(tool.get("description", "")).split()) or tool["name"]
    lines = [about, "", "Args:"]
    for name, original in names.items():
        words = " ".join(str(properties[original].get("description", "")).split()) or original
        options = properties[original].get("enum")
        lines.append(f"    {name}: {words}" + (f" (one of {', '.join(map(str, options))})" if options else ""))
    return "\n".join([*lines, "", "Returns:", "    What the tool answers, as JSON text."])


def _identifier(name: str) -> str:
    word = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)
    word = f"_{word}" if word[:1].isdigit() else word
    return f"{word}_" if keyword.iskeyword(word) or word == "self" else word


def _python_type(schema: Any) -> Any:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    return _TYPES.get(kind or "string", str)
