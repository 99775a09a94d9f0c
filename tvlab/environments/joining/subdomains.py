"""Sub-domains inside which small servers may be joined, and the words that prove one (RULES.md, advice 8).

A tool belongs to a sub-domain by the nouns in its name and its parameter names, never by descriptions: there
"server", "agent" and "web" dominate.  Each sub-domain has words that name its things and words that go with
them.  A tool is in it if its own name holds a thing and if such tools of its server hold at least two distinct
words of it; names of tools that take such a thing, and all names of a server half of whose tools are named after
such things, count as well.  Of the sub-domain that most of its tools are named after, a server's other tools go
along if half of them are, or if their names hold a word that goes with it.  What has no such evidence joins
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tvlab.environments.domain.field_types import name_words
from tvlab.environments.domain.nouns import flat
from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.foundation.words import singular, split_name


@dataclass(frozen=True)
class SubDomain:
    """A sub-domain: words for its things, words that go with them, and whether it holds pure tools alone."""

    name: str
    things: frozenset[str]
    beside: frozenset[str]
    pure: bool = False

    def evidence(self, words: Iterable[str]) -> frozenset[str]:
        """The words that speak for the sub-domain."""
        return frozenset(words) & (self.things | self.beside)


def _of(name: str, things: str, beside: str = "", pure: bool = False) -> SubDomain:
    return SubDomain(name, frozenset(things.split()), frozenset(beside.split()), pure)


SUBDOMAINS = (
    _of("arithmetic", "number num sum difference product quotient add subtract multiply divide power sqrt root modulo "
        "factorial logarithm log percentage average mean median permutation expression calculate",
        "a b base exponent dividend divisor x y n k", True),
    _of("units", "unit convert conversion length weight temperature celsius fahrenheit kilometer mile kilogram pound "
        "distance speed pressure", "from to value", True),
    _of("geometry", "area perimeter circumference circle rectangle triangle square sphere cylinder volume radius "
        "hypotenuse", "width height side base", True),
    _of("dates-and-times", "timezone time date datetime calendar age day week leap duration timestamp",
        "year month hour start end format birth", True),
    _of("encoding", "hash uuid base64 encode decode md5 sha256 sha1 checksum hex url slug",
        "text string algorithm input data", True),
    _of("text", "word character char letter syllable sentence line text string palindrome vowel case",
        "count reverse length", True),
    _of("weather", "weather forecast temperature humidity precipitation climate aqi tide",
        "city location latitude longitude lat lon alert hourly daily wind uv station air quality sunrise sunset"),
    _of("crypto-prices", "crypto cryptocurrency coin bitcoin ethereum token nft dex defi blockchain rune kline "
        "stablecoin candlestick holding portfolio bridge",
        "price market exchange network chain symbol supply trending liquidity holder mint "
        "wallet swap pool transaction block gas address balance ticker contract collection"),
    _of("equity-prices", "stock ticker equity share dividend earning etf fund portfolio holding",
        "price quote symbol market company financial statement option exchange volume index "
        "candlestick analyst"),
    _of("exchange-rates", "currency forex rate", "exchange base conversion amount historical latest symbol"),
    _of("papers", "paper arxiv pubmed doi citation scholar preprint biorxiv medrxiv pmid publication",
        "author journal article abstract mesh literature reference study keyword topic"),
    _of("clinical-studies", "trial study nct patient", "condition sponsor intervention recruitment phase"),
    _of("packages", "package npm pypi crate gem dependency maven",
        "version release registry library module feature license symbol"),
    _of("library-documentation", "doc documentation library txt",
        "topic section package symbol api reference framework provider summary guide llm category version"),
    _of("ui-components", "component block", "ui library theme css icon template shadcn category framework"),
    _of("news", "news headline article", "topic category country publisher trending story feed rss source keyword"),
    _of("social-posts", "post tweet cast thread story hashtag", "user author channel feed like follower comment "
        "community note username"),
    _of("encyclopedia", "wiki wikipedia article", "section summary page category link topic"),
    _of("hotels", "hotel airbnb accommodation listing", "checkin checkout guest adult child room night review "
        "destination city price booking infant pet"),
    _of("flights", "flight airport airline", "departure arrival origin destination passenger cabin"),
    _of("places", "geocode geocoder direction route place address map", "latitude longitude location city distance "
        "origin destination postcode country poi"),
    _of("transit", "bus train transit timetable subway", "stop station route arrival departure line"),
    _of("mail", "email mail gmail inbox", "subject message recipient attachment cc bcc sender draft label body"),
    _of("calendar", "calendar event meeting", "attendee reminder schedule summary location start end"),
    _of("notes-and-memories", "note memory insight observation knowledge entity relation context journal notebook",
        "tag node category topic entry deck session conversation"),
    _of("tasks", "task todo checklist deadline",
        "subtask priority due project assignee list parent done completed completion pending"),
    _of("files", "file directory folder", "path filename extension line glob pattern"),
    _of("databases", "table database column sql row", "schema query collection index record sheet"),
    _of("containers", "container docker pod vm", "volume image network service deployment namespace instance"),
    _of("cloud-resources", "resource tenant subscription instance deployment", "project service group region zone "
        "account namespace"),
    _of("repositories", "repository repo git commit branch", "issue owner developer star contributor file trending "
        "pull merge project"),
    _of("images", "image picture photo wallpaper", "width height style size color category collection seed"),
    _of("films", "movie film actor series tv", "genre rating director season episode cast year review"),
    _of("music", "song track album playlist artist", "lyric genre rhyme chord"),
    _of("word-lookup", "definition synonym dictionary rhyme antonym", "word language meaning pronunciation sentence"),
    _of("recipes", "recipe meal ingredient dish food", "category cuisine calorie nutrition people"),
    _of("animals", "animal dog cat breed pet zoo", "species type habitat image"),
    _of("chemistry", "compound molecule smile drug chemical chembl pubchem inchi",
        "cid property formula structure assay target name"),
    _of("genomics", "gene protein genome variant mart", "organism dataset sequence attribute filter species"),
    _of("games", "game round level puzzle player guess", "score move team board turn genre trending popular user"),
    _of("coding-problems", "problem solution", "difficulty slug contest submission tag"),
    _of("books", "book chapter verse bible bookshelf", "author isbn translation highlight note review"),
    _of("vehicles", "car vehicle", "price brand model fuel type"),
    _of("open-data", "dataset indicator statistic", "group organization series tag resource country"),
    _of("home-devices", "device light sensor thermostat automation ha hass",
        "brightness room state entity config command script helper dashboard card"),
    _of("payments", "payment payee invoice", "amount balance customer currency"),
    _of("browser-tabs", "tab browser", "url page session"),
    _of("logs-and-metrics", "log metric trace alert", "level service timestamp monitor"),
    _of("workflows", "workflow", "node template execution step trigger"),
    _of("scans", "scan vulnerability rule hotspot", "host port target finding issue severity quality webhook language"),
    _of("messages", "message chat channel conversation whatsapp sms", "user recipient text room thread group audio"),
    _of("jobs", "job vacancy", "company salary location position"),
    _of("secrets-and-variables", "env secret credential vault",
        "key value variable password username private manager host"),
    _of("agents-and-models", "agent prompt llm provider model",
        "task message completion reasoning conversation template tag session skill streaming dataset space"),
    _of("simulators", "simulator emulator mobile", "device session app booted udid platform orientation"),
    _of("drawings-and-scenes", "shape edge cell layer material scene actor element canvas wall vertex mesh",
        "object style color width height category family view map vector raster diagram location rotation scale"),
    _of("document-stores", "document", "collection knowledge source embedding vector chunk"),
)  # fmt: skip

#: sub-domains that one catalogue of tools has side by side: what is left of them is joined with one another
FAMILIES = {
    "market-prices": ("crypto-prices", "equity-prices", "exchange-rates"),
    "mail-and-calendar": ("mail", "calendar"),
    "documents": ("document-stores", "library-documentation"),
    "hosting": ("containers", "cloud-resources"),
}


def family_of(subdomain: str) -> str:
    """Return the family of a sub-domain, empty if it has none."""
    return next((family for family, inside in FAMILIES.items() if subdomain in inside), "")


def name_words_of(tool: ParsedTool, verb: bool = True) -> frozenset[str]:
    """Words of a tool's name, in the singular; without ``verb`` only those that name things ("place block")."""
    things = {singular(word.lower()) for word in [*tool.noun, *tool.target]}
    words = {singular(word.lower()) for word in split_name(tool.name)}
    return frozenset(things | words if verb else things | words - {tool.verb})


def words_of(tool: ParsedTool) -> frozenset[str]:
    """Words of a tool's name and of its parameters' names, in the singular."""
    inside = [word for p in flat(tool.parameters) for word in name_words(p.name)]
    return name_words_of(tool) | frozenset(singular(word.lower()) for word in inside)


def subdomains_of(
    names: Mapping[str, frozenset[str]], words: Mapping[str, frozenset[str]], pure: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return the sub-domain of each tool of one server that has one.

    Args:
        names: tool -> the words of its name, for all tools of the server.
        words: tool -> the words of its name and parameters.
        pure: the tools that only compute.
    """
    found: dict[str, tuple[int, int, str]] = {}
    main: tuple[int, int, dict[str, str]] = (0, 0, {})
    for domain in SUBDOMAINS:
        alike = [tool for tool in names if (tool in pure) == domain.pure]
        inside = [tool for tool in alike if names[tool] & domain.things]
        rest = [tool for tool in alike if not names[tool] & domain.things]
        filled = 2 * len(inside) >= len(alike)
        about = [tool for tool in rest if filled or words[tool] & domain.things]
        proof = domain.evidence([w for t in inside for w in words[t]] + [w for t in about for w in names[t]])
        if not inside or len(proof) < 2:
            continue
        for tool in inside:
            score = (len(domain.evidence(words[tool])), len(proof), domain.name)
            if tool not in found or score[:2] > found[tool][:2]:
                found[tool] = score
        along = {tool: domain.name for tool in rest if filled or names[tool] & domain.beside}
        if not domain.pure and (len(inside), len(proof)) > main[:2]:
            main = (len(inside), len(proof), along)
    return {**main[2], **{tool: score[2] for tool, score in found.items()}}
