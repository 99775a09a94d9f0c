"""The twelve made-up servers (and what they stand for), written in one line a tool."""

import json

from tvlab.environments.build import ServerBuild
from tvlab.environments.environment import Environment, Session
from tvlab.environments.tool_lists import ToolList

#: name(parameter[*][:type][=default][|enum values]); * is required; types as in JSON Schema, [] an array, {}
#: an object
SERVERS = {
    "greenhouse": """
        create_bed(name*, zone); list_beds(zone, limit:integer); get_bed(bed_id*); update_bed(bed_id*, zone);
        delete_bed(bed_id*); create_plant(bed_id*, species*); list_plants(bed_id*)""",
    "ferry-desk": """
        manage_booking(action*|create,update,cancel, booking_id, sailing_id, seats:integer);
        list_sailings(port*, date); get_booking(booking_id*)""",
    "shelfindex": """
        get-stopwords(indexUid*); update-stopwords(indexUid*, value*); reset-stopwords(indexUid*);
        create-index(uid*); delete-index(uid*)""",
    "chorus-chat": """
        send_message(room_id*, text*); add_reaction(room_id*, message_id*, emoji*);
        remove_reaction(room_id*, message_id*, emoji*); pin_message(room_id*, message_id*);
        list_messages(room_id*, before, limit:integer)""",
    "paperclip": """
        write_file(path*, content*); read_file(path*); move_file(source*, destination*);
        list_directory(path*);
        search_files(path*, pattern*)""",
    "tidewatch": """
        get_tide(station*, date*); list_stations(country); search_stations(query*);
        get_alerts(station*, days:integer=3)""",
    "clinicbase": """
        people_create(properties*:{}); people_read(personId*, properties:[]); people_search(filterGroups*:[]);
        people_batch_archive(ids*:[]); associate(fromId*, toId*, type*)""",
    "ledgerlane": """
        create-bill(body*:{vendorId,lines}); list-bills(page*:integer, vendorId, status); approve-
        bill(billId*);
        void-bill(billId*); profit-report(from*, to*)""",
    "deckhand": """
        add_slide(deck*); delete_slide(deck*, slide_index*:integer);
        reorder_slides(deck*, start*:integer, before*:integer); set_title(deck*, slide_index*:integer, text*);
        get_slide(deck*, slide_index*:integer)""",
    "queuecraft": """
        upsert_route(id, route*:{name}); get_next_job(queue_id*); complete_job(job_id*); undo();
        count_jobs(queue_id*, status)""",
    "unitbench": """
        convert_length(value*:number, from*, to*); days_between(a*, b*); sha256(text*);
        get_duration(samples*:[]);
        risk_index(age*:integer, bp*:number)""",
    "oddlot": """
        Get Thing(id:?); getThing(id*:integer); update_thing(); list_things(owner_not, tags_any, cursor);
        listar_itens(cidade*); fetch_page(url*); run_query(sql*)""",
}


def tool_list(name: str, text: str) -> ToolList:
    """Read a server from its lines."""
    tools = []
    for line in " ".join(text.split()).split(";"):
        head, _, inside = line.strip().rpartition(")")[0].partition("(")
        properties, required = {}, []
        for part in [p.strip() for p in _split(inside)]:
            key, schema, needed = _parameter(part)
            properties[key] = schema
            required += [key] if needed else []
        schema = {"type": "object", "properties": properties, "required": required}
        tools.append({"name": head, "description": "", "inputSchema": schema})
    return ToolList(name, name, "", {"license": "Apache-2.0"}, tools)


def _split(inside: str) -> list[str]:
    """Split at commas that are followed by a blank; enumerations and objects have none."""
    return [part for part in inside.split(", ") if part.strip()]


def _parameter(part: str) -> tuple[str, dict, bool]:
    part, _, enum = part.partition("|")
    name, _, kind = part.partition(":")
    kind, _, default = kind.partition("=")
    required = name.endswith("*")
    if kind == "?":
        schema = {"type": ["integer", "string", "null"]}
    elif kind == "[]":
        schema = {"type": "array", "items": {"type": "string"}}
    elif kind.startswith("{"):
        inner = {key: {"type": "string"} for key in kind.strip("{}").split(",") if key}
        if "lines" in inner:
            inner["lines"] = {
                "type": "array",
                "items": {"type": "object", "properties": {"amount": {"type": "number"}}},
            }
        schema = {"type": "object", **({"properties": inner} if inner else {})}
    else:
        schema = {"type": kind or "string"}
    if enum:
        schema["enum"] = [value for value in enum.split(",") if value]
    if default:
        schema["default"] = json.loads(default)
    return name.rstrip("*"), schema, required


class Built:
    """One made-up server, built, with what tests ask of it."""

    def __init__(self, build: ServerBuild) -> None:
        self.build = build

    @property
    def environment(self) -> Environment:
        assert len(self.build.environments) == 1, self.drops
        return self.build.environments[0].environment

    @property
    def source(self) -> str:
        return self.build.environments[0].source

    @property
    def drops(self) -> dict[str, tuple[str, str]]:
        return {drop.tool: (drop.stage, drop.reason) for drop in self.build.drops}

    @property
    def session(self) -> Session:
        return self.environment.session()

    @property
    def kept(self) -> set[str]:
        return set(self.environment.tool_names)
