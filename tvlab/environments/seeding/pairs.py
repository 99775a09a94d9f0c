"""What goes together by common knowledge: sector and industry, snow and frost, a holiday and its date, a lion a mammal.

For servers that are not the package's own.  Values of a record that are both plausible and not true of one thing are
replaced by true ones, at any depth; a column whose options are closed keeps to them.
"""

from __future__ import annotations

import re
from typing import Any

from tvlab.environments.domain import field_types
from tvlab.environments.domain.entities import Entity
from tvlab.environments.facts import fact_values
from tvlab.environments.seeding.limits import is_number
from tvlab.environments.seeding.tables import Row, Tables
from tvlab.environments.seeding.words import ADJECTIVES

Words = tuple[str, ...]

_SECTOR = {
    "Software": "Technology", "Semiconductors": "Technology", "Consumer Electronics": "Technology",
    "Banks": "Financials", "Banking": "Financials", "Insurance": "Financials", "Biotechnology": "Healthcare",
    "Airlines": "Industrials", "Retail": "Consumer Discretionary", "Chemicals": "Materials",
}  # fmt: skip
#: symbol -> (sector, industry)
_COMPANY = {
    "AAPL": ("Technology", "Consumer Electronics"), "MSFT": ("Technology", "Software"),
    "NVDA": ("Technology", "Semiconductors"), "AMZN": ("Consumer Discretionary", "Retail"),
    "TSLA": ("Consumer Discretionary", "Automobiles"), "JPM": ("Financials", "Banks"),
    "KO": ("Consumer Staples", "Beverages"), "NKE": ("Consumer Discretionary", "Footwear"),
    "GOOGL": ("Communication Services", "Internet Services"), "META": ("Communication Services", "Internet Services"),
    "V": ("Financials", "Payment Services"), "WMT": ("Consumer Staples", "Retail"),
    "TWTR": ("Communication Services", "Internet Services"), "ATVI": ("Communication Services", "Video Games"),
    "YHOO": ("Communication Services", "Internet Services"), "RHT": ("Technology", "Software"),
    "LNKD": ("Communication Services", "Internet Services"), "WFM": ("Consumer Staples", "Food Retail"),
    "CELG": ("Healthcare", "Biotechnology"), "TIF": ("Consumer Discretionary", "Luxury Goods"),
}  # fmt: skip
#: company number -> its symbol
_BY_NUMBER = {
    "0000320193": "AAPL", "0000789019": "MSFT", "0001045810": "NVDA", "0001018724": "AMZN", "0001318605": "TSLA",
    "0000019617": "JPM", "0000021344": "KO", "0000320187": "NKE", "0001652044": "GOOGL", "0001326801": "META",
    "0001403161": "V", "0000104169": "WMT",
}  # fmt: skip
#: number of an industry -> its name
_INDUSTRIES = {
    "3571": "Electronic Computers", "7372": "Prepackaged Software", "3674": "Semiconductors",
    "5961": "Catalog and Mail-Order Houses", "3711": "Motor Vehicles", "6021": "National Commercial Banks",
    "2086": "Bottled Soft Drinks", "3021": "Rubber Footwear", "7370": "Computer Programming Services",
    "7374": "Data Processing Services", "7389": "Business Services", "5331": "Variety Stores",
}  # fmt: skip
_NUMBER_OF = dict(zip(_BY_NUMBER.values(), _INDUSTRIES, strict=True))
_HOLIDAYS = {
    "New Year's Day": "2026-01-01", "Good Friday": "2026-04-03", "Easter Monday": "2026-04-06",
    "Labour Day": "2026-05-01", "Labor Day": "2026-09-07", "Memorial Day": "2026-05-25", "National Day": "2026-10-01",
    "Thanksgiving Day": "2026-11-26", "Christmas Day": "2026-12-25", "Independence Day": "2026-07-04",
}  # fmt: skip
_CLASSES = {
    "mammal": ("lion", "elephant", "giraffe", "tiger", "zebra", "wolf"), "bird": ("eagle", "penguin", "parrot", "owl"),
    "reptile": ("crocodile", "iguana", "tortoise", "python"), "fish": ("salmon", "tuna", "clownfish", "pike"),
    "amphibian": ("frog", "newt", "salamander", "toad"), "insect": ("bee", "butterfly", "ant", "beetle"),
}  # fmt: skip
_CLASS_OF = {name: kind for kind, names in _CLASSES.items() for name in names}
_STATES = frozenset(
    "Alabama,Alaska,Arizona,Arkansas,California,Colorado,Connecticut,Delaware,Florida,Georgia,Hawaii,Idaho,Illinois,"
    "Indiana,Iowa,Kansas,Kentucky,Louisiana,Maine,Maryland,Massachusetts,Michigan,Minnesota,Mississippi,Missouri,"
    "Montana,Nebraska,Nevada,New Hampshire,New Jersey,New Mexico,New York,North Carolina,North Dakota,Ohio,Oklahoma,"
    "Oregon,Pennsylvania,Rhode Island,South Carolina,South Dakota,Tennessee,Texas,Utah,Vermont,Virginia,Washington,"
    "West Virginia,Wisconsin,Wyoming".split(",")
)
_PROVINCES = frozenset("province state region".split())
_WEATHER = frozenset("condition conditions weather description summary forecast sky".split())
_LOCALES = {
    "en-US": "English (United States)", "en-GB": "English (United Kingdom)", "de-DE": "German (Germany)",
    "fr-FR": "French (France)", "es-ES": "Spanish (Spain)", "it-IT": "Italian (Italy)", "ja-JP": "Japanese (Japan)",
    "pt-BR": "Portuguese (Brazil)", "en": "English", "de": "German", "fr": "French", "es": "Spanish",
}  # fmt: skip
_AXES = {"latitude": "latitude", "lat": "latitude", **dict.fromkeys(("longitude", "lon", "lng"), "longitude")}
_SIGNATURE = re.compile(r"\b[A-Za-z_]\w*(?=\()")
_HOST = re.compile(r"^[a-z0-9-]+(?:\.[a-z0-9-]+)+$")
_ON_SITE = re.compile(r"\bon the (?:selected |given |same )?(?:website|domain|site)\b", re.IGNORECASE)
#: Celsius below which it does not rain, above which it does not snow
_RAIN, _SNOW = 0, 3


def agree(tables: Tables) -> None:
    """Replace values that do not go together; the records are changed."""
    for entity, table, fixed in tables.changing():
        closed = {n: f.schema.get("enum", ()) for n, f in entity.fields.items() if {"enum", "const"} & set(f.schema)}
        kept = fixed | {n for n, options in closed.items() if not {"cloudy", "snow"} <= set(options)}
        used: set[str] = set()
        for row in table.values():
            together(row, kept)
            _classified(entity, row, used, kept)
            _placed(entity, row, kept)
            _spoken(entity, row, kept)
            _numbered(row)
            _on_its_site(entity, row)


def together(value: Any, kept: frozenset[str] = frozenset()) -> None:
    """Replace the values of an object, and of all objects in it, that do not go together; the object is changed.

    Args:
        value: the object, a list of objects, or anything else.
        kept: names whose values stay.
    """
    if isinstance(value, list):
        for part in value:
            together(part)
    if not isinstance(value, dict):
        return
    for part in value.values():
        together(part)
    words = {n: field_types.name_words(n) for n in value}
    texts = {n: w for n, w in words.items() if isinstance(value[n], str)}
    told: dict[str, str] = {}
    told |= _of_company(value, texts)
    told |= _in_country(value, texts)
    told |= _called(value, texts)
    value.update({n: v for n, v in told.items() if n not in kept})
    _weather(value, words, kept)


def _ending(texts: dict[str, Words], *forms: Words) -> list[str]:
    return [n for n, w in texts.items() if any(w[-len(form) :] == form for form in forms)]


def _of_company(value: Row, texts: dict[str, Words]) -> dict[str, str]:
    """Sector, industry and number of the industry are those of the company, else those of one another."""
    symbols = [value[n] for n, w in texts.items() if w[-1:] in (("symbol",), ("ticker",))]
    numbers = [_BY_NUMBER.get(value[n], "") for n, w in texts.items() if w[-1:] == ("cik",)]
    company = next((s for s in (*symbols, *numbers) if s in _COMPANY), "")
    sectors, industries = _ending(texts, ("sector",)), _ending(texts, ("industry",))
    codes, titles = _ending(texts, ("sic",), ("sic", "code")), _ending(texts, ("industry", "title"))
    told: dict[str, str] = {}
    if company:
        countries, codes_of = _ending(texts, ("country",)), _ending(texts, ("country", "code"))
        told |= {n: "US" if re.fullmatch(r"[A-Z]{2}", value[n]) else "United States" for n in countries}
        told |= dict.fromkeys(codes_of, "US")
        told |= dict.fromkeys(sectors, _COMPANY[company][0]) | dict.fromkeys(industries, _COMPANY[company][1])
        told |= dict.fromkeys(codes, _NUMBER_OF[company]) if company in _NUMBER_OF else {}
    elif sectors and industries and value[industries[0]] in _SECTOR:
        told |= dict.fromkeys(sectors, _SECTOR[value[industries[0]]])
    if codes and titles and (code := told.get(codes[0], value[codes[0]])) in _INDUSTRIES:
        told |= dict.fromkeys(titles, _INDUSTRIES[code])
    return told


def _in_country(value: Row, texts: dict[str, Words]) -> dict[str, str]:
    """A state of the United States lies in that country."""
    if not any(w[-1:] and w[-1] in _PROVINCES and value[n] in _STATES for n, w in texts.items()):
        return {}
    countries = _ending(texts, ("country",), ("country", "name"), ("country", "or", "region"))
    codes = _ending(texts, ("country", "code"))
    plain = {n: "US" if re.fullmatch(r"[A-Z]{2}", value[n]) else "United States" for n in countries}
    return plain | dict.fromkeys(codes, "US")


def _called(value: Row, texts: dict[str, Words]) -> dict[str, str]:
    """A holiday has its date, a signature the name of its function, a parent domain its domain."""
    told: dict[str, str] = {}
    names = [n for n, w in texts.items() if w[-1:] in (("name",), ("title",), ("holiday",))]
    dates = [n for n, w in texts.items() if w in (("date",), ("holiday", "date"))]
    for name in names:
        if dates and value[name] in _HOLIDAYS:
            told[dates[0]] = _HOLIDAYS[value[name]]
    plain = [n for n, w in texts.items() if w in (("name",), ("function", "name"), ("new", "name"))]
    for name in _ending(texts, ("prototype",), ("signature",)) if plain else ():
        if re.fullmatch(r"\w+", value[plain[0]]):
            told[name] = _SIGNATURE.sub(value[plain[0]], value[name], count=1)
    by_words = {w: n for n, w in texts.items()}
    for name, own in texts.items():
        other = by_words.get(own[1:]) if own[:1] == ("parent",) else None
        if other and _HOST.match(value[name]) and _HOST.match(value[other]):
            told[name] = value[other]
    return told


def _weather(value: Row, words: dict[str, Words], kept: frozenset[str]) -> None:
    """It snows in the cold and rains in the warmth."""
    degrees = [
        (value[n] - 32) / 1.8 if w[-1] in ("f", "fahrenheit") else value[n] for n, w in words.items()
        if {"temperature", "temp"} & set(w) and is_number(value[n])
    ]  # fmt: skip
    for name, own in words.items() if degrees else ():
        if name in kept or not own or own[-1] not in _WEATHER or not isinstance(value[name], str):
            continue
        if min(degrees) > _SNOW and re.search(r"\b(?:snow|sleet)", value[name], re.IGNORECASE):
            value[name] = "Cloudy" if value[name][:1].isupper() else "cloudy"
        elif max(degrees) < _RAIN and re.search(r"\b(?:rain|drizzle)", value[name], re.IGNORECASE):
            value[name] = "Snow" if value[name][:1].isupper() else "snow"


def _classified(entity: Entity, row: Row, used: set[str], kept: frozenset[str]) -> None:
    """An animal is of its class: the first one of a name keeps it, further ones are others of the class told."""
    kinds = [n for n in row if field_types.name_words(n)[-1:] in (("type",), ("class",), ("species",))
             and isinstance(row[n], str) and row[n] in _CLASSES]  # fmt: skip
    names = [n for n in row if field_types.name_words(n)[-1:] == ("name",) and n not in kept]
    if not kinds or not names or not isinstance(row[names[0]], str):
        return
    name = row[names[0]].lower()
    if name in _CLASS_OF and name not in used and kinds[0] not in kept:
        row[kinds[0]] = _CLASS_OF[name]
    elif name in used or name not in _CLASS_OF:
        row[names[0]] = next((n for n in _CLASSES[row[kinds[0]]] if n not in used), row[names[0]])
    used.add(row[names[0]].lower())


def _placed(entity: Entity, row: Row, kept: frozenset[str]) -> None:
    """The name of a place is its city, and it lies where the city lies."""
    if entity.noun[-1] not in ("location", "place", "city", "town"):
        return
    called = row.get("name")
    if isinstance(called, str) and isinstance(row.get("city"), str) and not set(called.split()) & {*ADJECTIVES}:
        row["city"] = called if "city" not in kept else row["city"]
    cities = fact_values.subject_list("city")
    place = row.get("city", row.get("name"))
    for name in row:
        axis = _AXES.get(field_types.name_words(name)[-1], "")
        if axis and place in cities and isinstance(row[name], (int, float)) and name not in kept:
            row[name] = float(fact_values.subject_list(axis)[cities.index(place)])


def _numbered(row: Row) -> None:
    """The number of a preprint begins with its year."""
    year = next((row[n] for n in row if n in ("year", "publication_year") and isinstance(row[n], int)), 0)
    for name, held in row.items() if year else ():
        if field_types.name_words(name)[:1] == ("arxiv",) and isinstance(held, str) and re.match(r"\d{4}\.\d+", held):
            row[name] = f"{year % 100:02d}{1 + int(held[2:4]) % 12:02d}{held[4:]}"


def _spoken(entity: Entity, row: Row, kept: frozenset[str]) -> None:
    """A language is called as its code says."""
    if not {"language", "locale"} & set(entity.noun[-1:]):
        return
    words = {n: field_types.name_words(n) for n, v in row.items() if isinstance(v, str) and n not in kept}
    code = next((row[n] for n, w in words.items() if w[-1:] in (("locale",), ("code",)) and row[n] in _LOCALES), "")
    for name, own in words.items() if code else ():
        if own in (("display", "name"), ("name",), ("language", "name")):
            row[name] = _LOCALES[code]


def _on_its_site(entity: Entity, row: Row) -> None:
    """A page said to be on the record's domain has an address there."""
    domain = next((v for n, v in row.items() if field_types.name_words(n)[-1:] == ("domain",) and isinstance(v, str)
                   and _HOST.match(v)), "")  # fmt: skip
    for name, column in entity.fields.items() if domain else ():
        held = row.get(name)
        if isinstance(held, str) and "://" in held and _ON_SITE.search(str(column.schema.get("description") or "")):
            row[name] = re.sub(r"(?<=://)[^/]+", domain, held)
