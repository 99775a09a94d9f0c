"""An OpenAI-compatible server on this machine that answers from a script, and answers for the greenhouse."""

import json
from contextlib import contextmanager

from scripted_chat import serving

KEY = {"bed_id": {"role": "key"}}
BED = {"role": "reference", "entity": "bed", "field": "bed_id"}


def answer(operation, entity, parameters, code, **more):
    """Return an answer in the form that the prompt asks for."""
    meaning = {"operation": operation, "entity": entity, "parameters": parameters, **more}
    return f"Here it is.\n```json\n{json.dumps(meaning)}\n```\n```python\n{code}\n```"


GOOD = {
    "create_bed": answer(
        "create",
        "bed",
        {"name": {"role": "payload", "field": "name"}, "zone": {"role": "payload", "field": "zone"}},
        """def create_bed(state, *, name, zone=None):
    content = without_missing({"name": name, "zone": zone})
    key = mint(state, "create_bed", content, "bed")
    bed = {"bed_id": key, **content}
    state["beds"][key] = bed
    return bed""",
    ),
    "list_beds": answer(
        "list",
        "bed",
        {"zone": {"role": "filter", "field": "zone"}, "limit": {"role": "limit"}},
        """def list_beds(state, zone=None, limit=None):
    beds = [row for row in state["beds"].values() if zone is None or row.get("zone") == zone]
    return {"beds": one_page(beds, limit)}""",
    ),
    "get_bed": answer(
        "read",
        "bed",
        KEY,
        """from tvlab.environments.runtime import find

def get_bed(state: dict, bed_id: str) -> dict:
    return find(state, "beds", bed_id, "bed")""",
    ),
    "update_bed": answer(
        "update",
        "bed",
        {**KEY, "zone": {"role": "payload", "field": "zone"}},
        """def update_bed(state, *, bed_id, zone=None):
    bed = {**find(state, "beds", bed_id, "bed"), **without_missing({"zone": zone})}
    state["beds"][bed_id] = bed
    return bed""",
    ),
    "delete_bed": answer(
        "delete",
        "bed",
        KEY,
        """def delete_bed(state, *, bed_id):
    find(state, "beds", bed_id, "bed")
    _remove_bed(state, bed_id)
    return {"deleted": True, "bed_id": bed_id}""",
    ),
    "create_plant": answer(
        "create",
        "plant",
        {"bed_id": BED, "species": {"role": "payload", "field": "species"}},
        """def create_plant(state, *, bed_id, species):
    find(state, "beds", bed_id, "bed")
    content = {"bed_id": bed_id, "species": species}
    key = mint(state, "create_plant", content, "pla")
    state["plants"][key] = {"plant_id": key, **content}
    return state["plants"][key]""",
    ),
    "list_plants": answer(
        "list",
        "plant",
        {"bed_id": BED},
        """def list_plants(state, *, bed_id):
    find(state, "beds", bed_id, "bed")
    return {"plants": [row for row in state["plants"].values() if row.get("bed_id") == bed_id]}""",
    ),
}


def asked_tool(messages):
    """Return the name of the tool that a conversation asks for."""
    text = messages[1]["content"].split("Now this tool.\n```json\n")[1].split("\n```")[0]
    return json.loads(text)["tool"]["name"]


def is_repair(messages):
    """True if a conversation reports failed checks."""
    return len(messages) > 2


@contextmanager
def scripted(script, usage=(100, 50), before=lambda: None):
    """A chat server whose answers are ``script(messages)``: a text, or a number as an error status."""

    def answered(asked):
        before()
        said = script(asked["messages"])
        return (said, "no") if isinstance(said, int) else {"content": said}

    with serving(answered, usage or None) as server:
        yield server
