"""Agents that know nothing of training: a loop around OpenAI's client, a LangGraph graph, and ones that misbehave."""

import operator
from typing import Annotated, Any, TypedDict

from openai import AsyncOpenAI, OpenAI


def openai_agent(session):
    client = OpenAI(base_url=session.base_url, api_key=session.api_key, max_retries=0)
    messages = [{"role": "system", "content": session.system}]
    words = session.words()
    while words is not None:
        messages.append({"role": "user", "content": words})
        message = answer(client, session, messages)
        while message.tool_calls:
            for call in message.tool_calls:
                content = session.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
            message = answer(client, session, messages)
        words = session.reply(message.content or "")


def answer(client, session, messages):
    done = client.chat.completions.create(model=session.model, messages=messages, tools=session.tools, temperature=0.3)
    messages.append(done.choices[0].message.model_dump(exclude_none=True))
    return done.choices[0].message


async def streaming_agent(session):
    """The same with coroutines and streamed answers, put together by the client."""
    async with AsyncOpenAI(base_url=session.base_url, api_key=session.api_key, max_retries=0) as client:
        messages = [{"role": "system", "content": session.system}]
        words = await session.awords()
        while words is not None:
            messages.append({"role": "user", "content": words})
            message = await streamed(client, session, messages)
            while message.tool_calls:
                for call in message.tool_calls:
                    content = await session.acall(call.function.name, call.function.arguments)
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
                message = await streamed(client, session, messages)
            words = await session.areply(message.content or "")


async def streamed(client, session, messages):
    async with client.chat.completions.stream(model="any", messages=messages, tools=session.tools) as stream:
        message = (await stream.get_final_completion()).choices[0].message
    kept = message.model_dump(exclude_none=True, exclude={"parsed"})
    for call in kept.get("tool_calls", ()):
        call["function"].pop("parsed_arguments", None)
    messages.append(kept)
    return message


class State(TypedDict):
    messages: Annotated[list[dict[str, Any]], operator.add]


def langgraph_agent(session):
    """A graph of two nodes, model and tools, compiled once and invoked for each thing that the user says."""
    from langgraph.graph import END, START, StateGraph

    client = OpenAI(base_url=session.base_url, api_key=session.api_key, max_retries=0)

    def model(state):
        return {"messages": [answer(client, session, list(state["messages"])).model_dump(exclude_none=True)]}

    def tools(state):
        return {
            "messages": [
                {
                    "role": "tool",
                    "tool_call_id": call["id"],
                    "content": session.call(call["function"]["name"], call["function"]["arguments"]),
                }
                for call in state["messages"][-1]["tool_calls"]
            ]
        }

    def calls(state):
        return "tools" if state["messages"][-1].get("tool_calls") else END

    graph = StateGraph(State)
    graph.add_node("model", model)
    graph.add_node("tools", tools)
    graph.add_edge(START, "model")
    graph.add_edge("tools", "model")
    graph.add_conditional_edges("model", calls)
    compiled = graph.compile()
    state = {"messages": [{"role": "system", "content": session.system}]}
    words = session.words()
    while words is not None:
        state = compiled.invoke({"messages": [*state["messages"], {"role": "user", "content": words}]})
        words = session.reply(state["messages"][-1].get("content") or "")


def forgetful_agent(session):
    """Keeps only what was said since the user spoke last."""
    client = OpenAI(base_url=session.base_url, api_key=session.api_key, max_retries=0)
    words = session.words()
    while words is not None:
        messages = [{"role": "user", "content": words}]
        message = answer(client, session, messages)
        while message.tool_calls:
            for call in message.tool_calls:
                content = session.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
            message = answer(client, session, messages)
        words = session.reply(message.content or "")


def crashing_agent(session):
    client = OpenAI(base_url=session.base_url, api_key=session.api_key, max_retries=0)
    answer(client, session, [{"role": "user", "content": session.words()}])
    raise ValueError("a fault of the agent")


def leaving_agent(session):
    client = OpenAI(base_url=session.base_url, api_key=session.api_key, max_retries=0)
    answer(client, session, [{"role": "user", "content": session.words()}])
    raise SystemExit(3)
