"""Sub-domains inside which small servers may be joined, and the words that prove one (RULES.md, advice 8).

A tool belongs to a sub-domain by the nouns in its name and its parameter names, never by descriptions: there
"server", "agent" and "web" dominate.  Each sub-domain has words that name its things and words that go with
them.  A tool is in it if its own name holds a thing and if such tools of its server hold at least two distinct
words of it.  What has no such evidence joins nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tvlab.environments.field_types import name_words
from tvlab.environments.nouns import flat
from tvlab.environments.tool_parsing import ParsedTool
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
    _of("arithmetic", "number sum difference product quotient add subtract multiply divide power sqrt root modulo "
        "factorial logarithm log percentage average mean median", "a b base exponent dividend divisor x y", True),
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
    _of("crypto-prices", "crypto cryptocurrency coin bitcoin ethereum token nft dex defi blockchain rune",
        "price market exchange network chain symbol supply candlestick trending liquidity holder portfolio holding "
        "wallet swap pool transaction block gas address balance ticker contract collection"),
    _of("equity-prices", "stock ticker equity share dividend earning etf fund",
        "price quote symbol market company financial statement option exchange volume portfolio holding index "
        "candlestick analyst"),
    _of("exchange-rates", "currency forex rate", "exchange base conversion amount historical latest symbol"),
    _of("papers", "paper arxiv pubmed doi citation scholar preprint biorxiv medrxiv pmid publication",
        "author journal article abstract mesh literature reference study keyword"),
    _of("clinical-studies", "trial study nct patient", "condition sponsor intervention recruitment phase"),
    _of("packages", "package npm pypi crate gem dependency maven",
        "version release registry library module feature license symbol"),
    _of("library-documentation", "doc documentation library", "topic section package symbol api reference framework "
        "provider summary guide llm txt"),
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
    _of("notes-and-memories", "note memory insight observation knowledge", "context tag entity relation node "
        "notebook category topic"),
    _of("tasks", "task todo checklist deadline", "subtask priority due project assignee list parent"),
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
    _of("games", "game round level puzzle player", "score guess move team board turn"),
    _of("coding-problems", "problem solution", "difficulty slug contest submission tag"),
    _of("books", "book chapter verse bible", "author isbn translation"),
    _of("vehicles", "car vehicle", "price brand model fuel type"),
    _of("open-data", "dataset indicator statistic", "group organization series tag resource country"),
    _of("home-devices", "device light sensor thermostat", "brightness room state entity config command"),
    _of("payments", "payment payee invoice", "amount balance customer currency"),
    _of("browser-tabs", "tab browser", "url page session"),
    _of("logs-and-metrics", "log metric trace alert", "level service timestamp monitor"),
    _of("workflows", "workflow", "node template execution step trigger"),
    _of("scans", "scan vulnerability", "host port target finding"),
    _of("messages", "message chat channel conversation", "user recipient text room thread"),
    _of("jobs", "job vacancy", "company salary location position"),
)  # fmt: skip


def name_words_of(tool: ParsedTool) -> frozenset[str]:
    """Words of a tool's name, in the singular."""
    return frozenset(singular(word.lower()) for word in [*split_name(tool.name), *tool.noun, *tool.target])


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
    for domain in SUBDOMAINS:
        inside = [tool for tool, mine in names.items() if mine & domain.things and (tool in pure) == domain.pure]
        proof = domain.evidence(word for tool in inside for word in words[tool])
        for tool in inside if len(proof) >= 2 else ():
            score = (len(domain.evidence(words[tool])), len(proof), domain.name)
            if tool not in found or score[:2] > found[tool][:2]:
                found[tool] = score
    return {tool: score[2] for tool, score in found.items()}
