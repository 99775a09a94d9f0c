"""Keys that a person would type for a told thing: the symbol of a stock, a crate, an address, a city of Portugal.

A column of a table that no tool changes is filled with values of its own kind.  The kind follows from the column's
words, and from what name and texts say beside it: a symbol is one of an index where a text says ``index``, a
package one of the registry that is named.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256

from tvlab.environments.domain import field_types
from tvlab.environments.facts import fact_values, told_key_forms
from tvlab.environments.language import value_families
from tvlab.foundation.words import singular

Keys = tuple[str, ...]

COMPANIES = {
    "AAPL": "Apple Inc.", "MSFT": "Microsoft Corporation", "NVDA": "NVIDIA Corporation", "AMZN": "Amazon.com, Inc.",
    "TSLA": "Tesla, Inc.", "JPM": "JPMorgan Chase & Co.", "KO": "The Coca-Cola Company", "NKE": "NIKE, Inc.",
    "GOOGL": "Alphabet Inc.", "META": "Meta Platforms, Inc.", "V": "Visa Inc.", "WMT": "Walmart Inc.",
}  # fmt: skip
_ETFS = {
    "SPY": "SPDR S&P 500 ETF Trust", "QQQ": "Invesco QQQ Trust", "VTI": "Vanguard Total Stock Market ETF",
    "IWM": "iShares Russell 2000 ETF", "EFA": "iShares MSCI EAFE ETF", "AGG": "iShares Core US Aggregate Bond ETF",
    "VOO": "Vanguard S&P 500 ETF", "GLD": "SPDR Gold Shares", "XLK": "Technology Select Sector SPDR Fund",
    "VNQ": "Vanguard Real Estate ETF",
}  # fmt: skip
_FUNDS = {
    "VFIAX": "Vanguard 500 Index Fund", "FXAIX": "Fidelity 500 Index Fund", "FCNTX": "Fidelity Contrafund",
    "VTSAX": "Vanguard Total Stock Market Index Fund", "VBTLX": "Vanguard Total Bond Market Index Fund",
    "AGTHX": "American Funds Growth Fund of America", "DODGX": "Dodge & Cox Stock Fund",
    "SWPPX": "Schwab S&P 500 Index Fund",
}  # fmt: skip
_DELISTED = {
    "TWTR": "Twitter, Inc.", "ATVI": "Activision Blizzard, Inc.", "YHOO": "Yahoo! Inc.", "RHT": "Red Hat, Inc.",
    "LNKD": "LinkedIn Corporation", "WFM": "Whole Foods Market, Inc.", "CELG": "Celgene Corporation",
    "TIF": "Tiffany & Co.",
}  # fmt: skip
_STABLE = {
    "USDT": "Tether", "USDC": "USD Coin", "DAI": "Dai", "TUSD": "TrueUSD", "USDP": "Pax Dollar", "FRAX": "Frax",
    "PYUSD": "PayPal USD", "GUSD": "Gemini Dollar",
}  # fmt: skip
_INDEXES = {
    "^GSPC": "S&P 500", "^DJI": "Dow Jones Industrial Average", "^IXIC": "NASDAQ Composite", "^RUT": "Russell 2000",
    "^FTSE": "FTSE 100", "^N225": "Nikkei 225", "^GDAXI": "DAX", "^HSI": "Hang Seng Index",
}  # fmt: skip
#: symbol -> name of what it stands for
NAMES = {
    **COMPANIES, **_ETFS, **_FUNDS, **_DELISTED, **_INDEXES, **_STABLE, "BTCUSD": "Bitcoin USD",
    "ETHUSD": "Ethereum USD", "SOLUSD": "Solana USD", "ADAUSD": "Cardano USD", "XRPUSD": "XRP USD",
    "DOTUSD": "Polkadot USD", "LTCUSD": "Litecoin USD", "TRXUSD": "TRON USD", "BTC": "Bitcoin", "ETH": "Ethereum",
    "SOL": "Solana",
    "ADA": "Cardano", "XRP": "XRP", "DOT": "Polkadot", "LTC": "Litecoin", "TRX": "TRON",
    "LINK": "Chainlink", "UNI": "Uniswap", "AAVE": "Aave", "WBTC": "Wrapped Bitcoin",
    "ARB": "Arbitrum", "0000320193": "Apple Inc.",
    "0000789019": "Microsoft Corporation", "0001045810": "NVIDIA Corporation", "0001018724": "Amazon.com, Inc.",
    "0001318605": "Tesla, Inc.", "0000019617": "JPMorgan Chase & Co.", "0000021344": "The Coca-Cola Company",
    "0000320187": "NIKE, Inc.", "0001652044": "Alphabet Inc.", "0001326801": "Meta Platforms, Inc.",
    "0001403161": "Visa Inc.", "0000104169": "Walmart Inc.",
}  # fmt: skip
#: id of a coin or chain -> its name and symbol
SPELT = {
    "bitcoin": ("Bitcoin", "BTC"), "ethereum": ("Ethereum", "ETH"), "solana": ("Solana", "SOL"),
    "cardano": ("Cardano", "ADA"), "dogecoin": ("Dogecoin", "DOGE"), "polkadot": ("Polkadot", "DOT"),
    "litecoin": ("Litecoin", "LTC"), "tron": ("TRON", "TRX"), "polygon": ("Polygon", "POL"),
    "arbitrum": ("Arbitrum", "ARB"), "optimism": ("Optimism", "OP"), "base": ("Base", "ETH"),
    "avalanche": ("Avalanche", "AVAX"), "bsc": ("BNB Smart Chain", "BNB"), "fantom": ("Fantom", "FTM"),
}  # fmt: skip

_MARKETS: dict[str, Keys] = {
    "stock": tuple(COMPANIES), "etf": tuple(_ETFS), "fund": tuple(_FUNDS), "index": tuple(_INDEXES),
    "delisted": tuple(_DELISTED), "stable": tuple(_STABLE),
    "crypto": ("BTCUSD", "ETHUSD", "SOLUSD", "ADAUSD", "XRPUSD", "DOTUSD", "LTCUSD", "TRXUSD"),
    "forex": ("EURUSD", "GBPUSD", "USDJPY", "USDCHF", "AUDUSD", "USDCAD", "EURGBP", "EURSEK"),
    "pair": ("BTC/USDT", "ETH/USDT", "SOL/USDT", "ADA/USDT", "XRP/USDT", "DOT/USDT", "LTC/USDT", "TRX/USDT"),
    "token": ("ETH", "USDC", "LINK", "UNI", "AAVE", "DAI", "WBTC", "ARB"),
    "shanghai": ("000001", "600519", "000858", "601318", "600036", "000333", "300750", "002594"),
    "india": ("RELIANCE", "TCS", "INFY", "HDFCBANK", "ICICIBANK", "SBIN", "ITC", "LT"),
}  # fmt: skip
#: which market a text speaks of, the first that holds
_SPOKEN: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (market, re.compile(form, re.IGNORECASE))
    for market, form in (
        ("india", r"\bNSE\b|\bBSE\b"),
        ("stock", r"\bconstituents?\b"),
        ("delisted", r"\bdelisted\b"),
        ("stable", r"\bstable ?coins?\b"),
        ("pair", r"\btrading pairs?\b|\bperpetual\b|\bfutures\b|\b(?:binance|bybit|kraken|coinbase)\b"),
        ("crypto", r"crypto|\bbitcoin\b|\bdigital assets?\b"),
        ("forex", r"\bforex\b|\bcurrency pairs?\b|\bforeign exchange\b"),
        ("stock", r"\bstock (?:symbols?|quotes?|splits?|news|prices?|grades?)\b"),
        ("index", r"\bind(?:ex|exes|ices)\b(?! funds?\b)"),
        ("etf", r"\bETFs?\b|\bexchange[- ]traded funds?\b"),
        ("fund", r"\bmutual funds?\b"),
        ("token", r"\btokens?\b|\bERC-?\d+|\bDeFi\b|\bTVL\b|\bcoins?\b|虚拟币|币种"),
        ("stock", r"\bstocks?\b|\bshares?\b|\bticker|\bequit|\bcompan|\bdividend|\bearning"),
    )
)
_REGISTRIES: tuple[tuple[re.Pattern[str], Keys], ...] = tuple(
    (re.compile(form, re.IGNORECASE), tuple(keys.split()))
    for form, keys in (
        (
            r"\bnpm\b|\bnode packages?\b",
            "react lodash express axios typescript webpack eslint jest vite next zod chalk",
        ),
        (r"\bcargo\b|\bcrates?\b|\brust\b", "serde tokio rand clap anyhow regex hyper axum syn log"),
        (r"\bnuget\b|\bdotnet\b", "Newtonsoft.Json Serilog AutoMapper Dapper NUnit xunit Moq Polly MediatR"),
        (
            r"\b(?:ruby)?gems?\b|\brubygems\b|\bruby\b",
            "rails rake rspec puma devise sidekiq nokogiri rack sinatra bundler",
        ),
        (r"\bpypi\b|\bpip\b|\bpython\b", "requests numpy pandas flask django pytest scipy pillow"),
    )
)
_LANDS: tuple[tuple[re.Pattern[str], Keys], ...] = tuple(
    (re.compile(form, re.IGNORECASE), tuple(keys.split(", ")))
    for form, keys in (
        (r"\bportug", "Lisboa, Porto, Coimbra, Faro, Braga, Aveiro, Setúbal, Viseu"),
        (r"\bturk|\btürk", "istanbul, ankara, izmir, bursa, antalya, adana, konya, trabzon"),
        (r"\bbra[sz]il", "São Paulo, Rio de Janeiro, Brasília, Salvador, Fortaleza, Curitiba, Recife, Manaus"),
        (r"\bindian?\b", "Mumbai, Delhi, Bengaluru, Chennai, Kolkata, Hyderabad, Pune, Jaipur"),
        (r"\bchin(?:a|ese)\b", "Beijing, Shanghai, Guangzhou, Shenzhen, Chengdu, Hangzhou, Wuhan, Nanjing"),
        (r"\bkorean?\b", "Seoul, Busan, Incheon, Daegu, Daejeon, Gwangju, Ulsan, Suwon"),
        (r"\bjapan", "Tokyo, Osaka, Kyoto, Nagoya, Sapporo, Fukuoka, Kobe, Sendai"),
        (r"\bgerman", "Berlin, Hamburg, München, Köln, Leipzig, Dresden, Bremen, Stuttgart"),
        (
            r"\bunited states\b|\bUS (?:city|cities|location)",
            "New York, Chicago, Denver, Seattle, Boston, Miami, Austin, Dallas",
        ),
    )
)  # fmt: skip
_PLACES = (
    "Berlin", "Paris", "Tokyo", "Madrid", "London", "New York", "Nairobi", "Sydney", "Istanbul", "Toronto", "Mumbai",
    "Lisbon",
)  # fmt: skip
_POINTS = ("40.7128,-74.0060", "34.0522,-118.2437", "41.8781,-87.6298", "29.7604,-95.3698", "39.7392,-104.9903",
           "47.6062,-122.3321")  # fmt: skip
_TABLES = tuple("users orders products customers invoices payments sessions events categories reviews".split())
_DATABASES = tuple("analytics billing crm inventory main reporting sales staging warehouse archive".split())
_SCHEMAS = tuple("public sales hr audit staging finance".split())
_YEARS = tuple(str(year) for year in range(2025, 2013, -1))
_UNIVERSITIES = tuple(f"University of {city}" for city in ("Toronto", "Oslo", "Vienna", "Bologna", "Leeds", "Geneva"))
_PAPERS = ("The Daily Herald", "Morning Post", "City Tribune", "Evening Times", "National Courier", "Harbour Gazette")
_CIKS = ("0000320193", "0000789019", "0001045810", "0001018724", "0001318605", "0000019617", "0000021344",
         "0000320187", "0001652044", "0001326801", "0001403161", "0000104169")  # fmt: skip
CHAINS = ("ethereum", "solana", "polygon", "arbitrum", "optimism", "base", "avalanche", "bsc")
PEOPLE = ("Maria Keller", "James Ward", "Aisha Khan", "Daniel Novak", "Laura Bianchi", "Peter Olsen", "Grace Lee",
           "Samuel Ortiz")  # fmt: skip
#: symbol -> number of the company that it is of
CIKS = dict(zip(COMPANIES, _CIKS, strict=True))
_HOLIDAYS = (
    "New Year's Day", "Good Friday", "Easter Monday", "Labour Day", "National Day", "Memorial Day", "Thanksgiving Day",
    "Christmas Day",
)  # fmt: skip
_SICS = ("3571", "7372", "3674", "5961", "3711", "6021", "2086", "3021", "7370", "7374", "7389", "5331")

#: last word of a column -> its values, whatever the table
_BY_WORD: dict[str, Keys] = {
    **dict.fromkeys(
        ("login", "handle"), ("mkeller", "jward", "akhan", "dnovak", "lbianchi", "polsen", "glee", "sortiz")
    ),
    **dict.fromkeys("cik reportingcik companycik".split(), _CIKS),
    **dict.fromkeys(("affiliation", "institution"), _UNIVERSITIES),
    **dict.fromkeys(("source", "publisher", "outlet", "newspaper", "press"), _PAPERS),
    **dict.fromkeys(("station", "stop"), ("Central", "Harbour", "North Pier", "Old Town", "Riverside", "Airport")),
    "sic": _SICS,
}
_CHAINED = re.compile(
    r"\bwallet|\bcontract\b|\btoken|blockchain|ethereum|\bevm\b|\bsolana\b|\bbitcoin\b|\bbtc\b|starknet|on-?chain"
    r"|\bnfts?\b|\berc-?\d+|\bspl\b|\bdefi\b|\blamports?\b|\bpubkey|\bpublic key\b|\binscription|\brunes?\b|\butxo",
    re.IGNORECASE,
)
_LEDGER = re.compile(r"\b(?:solana|lamports?|pubkey|ethereum|evm|bitcoin|starknet|blockchain)\b", re.IGNORECASE)
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SOLANA = re.compile(r"\bsolana\b|\bspl\b|\bpubkey|\bpublic key\b|\blamports?\b", re.IGNORECASE)
_BITCOIN = re.compile(r"\bbitcoin\b|\bbtc\b|\butxo|\bordinal|\binscription", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:persons?|people|insiders?|reporting|authors?|owners?|individuals?)\b", re.IGNORECASE)
_SYMBOLS = frozenset("symbol ticker tradingsymbol".split())
_LISTED = re.compile(
    r"(?:\b(?:e\.?\s?g\.?|i\.e\.|ex|örn|z\.?\s?b\.?|like|such as|for example|examples?|options?|categories|types?"
    r"|filter|values|one of)\b[.,:：]*|例如|例)\s*[:：(]?\s*(?P<what>(?:[^.;)\n]|\.(?=\w))+)",
    re.IGNORECASE,
)
#: what is said to be an example comes before what is only listed: "Filter by country (e.g., US)"
_GIVEN = re.compile(r"\b(?:e\.?g\.|for example)[,:]*\s*(?P<what>(?:[^.;)\n]|\.(?=\w))+)", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\((?P<what>[\w^./-]+(?:,\s*[\w^./-]+)+),?\s*(?:etc\.?|\.\.\.)\)")
#: a closed list of codes: "(minute, 3minute, day)", "(NSE, BSE, NFO)"
_CODES = re.compile(r"\((?P<what>[A-Z0-9a-z_-]{1,12}(?:,\s*[A-Z0-9a-z_-]{1,12}){2,})\)")
_VALUE = re.compile(r"[^\W_][\w /&'-]{0,24}")
_OPEN_WORDS = frozenset("a an the of for to in on with by from your this that any all and or if is are".split())
_MOST = 16


def keys_of(name: str, noun: tuple[str, ...], text: str, said: str = "", context: str = "") -> Keys:
    """Return values of the kind that a column holds, () if the kind is not known.

    Args:
        name: of the column.
        noun: of the table.
        text: names and descriptions of the tools that tell it.
        said: what the texts say of the column itself.
        context: texts of the whole server; they say which ledger addresses are of.
    """
    words = field_types.name_words(name)
    if not words:
        return ()
    last = singular(words[-1])
    examples = told_examples(said)
    if last in _SYMBOLS and noun[-1:] in (("stock",), ("share",)) and not said:
        return _MARKETS["stock"]
    if last in _SYMBOLS:
        return symbols(said, f"{' '.join(noun)} {text}")
    ledgers = " ".join(_LEDGER.findall(context))
    if chained := addresses(words, f"{said} {text} {' '.join(noun)} {ledgers}"):
        return chained
    own = _by_place(words, noun, text, said) or _BY_WORD.get(last, ()) or told_key_forms.pairs(examples)
    if last == "country" and examples and all(re.fullmatch("[A-Z]{2}", one) for one in examples):
        own = ("US", *fact_values.subject_list("country_code"))
    if last == "code" and words[-2:-1] == ("sic",):
        own = _SICS
    known = CHAINS if last in ("network", "chain", "blockchain") else _known(words, noun)
    own = own or (known if set(examples) & set(known) else ())  # one example of a list that is known stands for it
    return tuple(dict.fromkeys((*examples, *own)))[:_MOST] if examples or own else known


def _known(words: tuple[str, ...], noun: tuple[str, ...]) -> Keys:
    if words[-1] == "id" or (words == ("name",) and noun[-1:] == ("market",)):
        return ()
    if words[-1] == "title" and len(words) > 1:
        return fact_values.subject_list("_".join(words[:-1]))
    return fact_values.subject_list("_".join(words), noun if words == ("name",) else ())


def _by_place(words: tuple[str, ...], noun: tuple[str, ...], text: str, said: str) -> Keys:
    """Values of a column that says where or under what name something is: a city, a table, a package."""
    about = (*noun, *words) if words in (("name",), ("title",)) else words
    thing = [singular(word) for word in about if word not in ("name", "title", "slug")]
    head = thing[-1] if thing else ""
    if head in ("city", "location", "place", "town"):
        if re.search(r"\blat\w*\s*,\s*(?:lon|lng)", said, re.IGNORECASE):
            return _POINTS
        return next((cities for form, cities in _LANDS if form.search(f"{said} {text}")), _PLACES)
    if head == "year" and words[-1:] == ("name",):
        return _YEARS
    if head in ("package", "crate", "gem", "library", "rubygem") or (words == ("name",) and "package" in noun):
        found = f"{said} {text} {' '.join(noun)}"
        return next((names for form, names in _REGISTRIES if form.search(found)), ())
    if head in ("table", "view") and words[-1] in ("name", "table"):
        return _TABLES
    if head in ("database", "catalog") and words[-1] in ("name", "database"):
        return _DATABASES
    if head == "holiday":
        return _HOLIDAYS
    if head == "doi":
        return tuple(f"10.{1000 + 37 * at}/{key[:8]}" for at, key in enumerate(_digests("doi", "hash")))
    if head in ("pmid", "pmids"):
        return tuple(str(30_100_000 + 7919 * at) for at in range(8))
    if words == ("name",) and _PERSON.search(said):
        return PEOPLE
    return _SCHEMAS if head == "schema" and words[-1] in ("name", "schema") else ()


def symbols(said: str, text: str) -> Keys:
    """Return symbols of the market that a parameter's text speaks of, else the tool's, else of stocks.

    >>> symbols("Index symbol (e.g., ^GSPC for S&P 500)", "")[0], symbols("Stock symbol", "ETF holders")[0]
    ('^GSPC', 'AAPL')
    """
    told = told_examples(said)
    for example in told:
        keys = next((keys for keys in _MARKETS.values() if example in keys), ()) or value_families.family_of([example])
        if keys:
            return keys
    for spoken in (said, text.replace("Central Index Key", "")):
        market = next((market for market, form in _SPOKEN if form.search(spoken)), "")
        if market:
            return _MARKETS[market]
    return _MARKETS["stock"]


def market_of(keys: Keys) -> str:
    """Return the market that symbols are of, ``listed`` if they are of none: names the table of the symbols."""
    found = next((market for market, known in _MARKETS.items() if keys and keys[0] in known), "")
    return found or value_families.name_of(keys) or "listed"


@cache
def _digests(salt: str, form: str) -> Keys:
    found = []
    for at in range(8):
        digest = sha256(f"{salt} {at}".encode()).digest()
        if form == "hex":
            found.append(f"0x{digest[:20].hex()}")
        elif form == "hash":
            found.append(digest.hex())
        elif form == "bech32":
            found.append("bc1q" + "".join("023456789acdefghjklmnpqrstuvwxyz"[b % 32] for b in (*digest, *digest[:6])))
        else:
            found.append("".join(_BASE58[b % 58] for b in (*digest, *digest[:12])))
    return tuple(found)


def addresses(words: tuple[str, ...], text: str) -> Keys:
    """Return addresses or hashes of the ledger that a text speaks of, () for any other column.

    >>> addresses(("token", "address"), "Balance of an ERC20 token")[0][:2], addresses(("address",), "A shop's address")
    ('0x', ())
    """
    last = words[-1]
    salt = " ".join(words)
    if last in ("txid", "txhash", "signature") or words[-2:] in (("tx", "hash"), ("transaction", "hash"), ("tx", "id")):
        hexed = re.search(r"\bethereum|\bevm\b|\berc", text, re.IGNORECASE)
        return tuple(f"0x{key}" for key in _digests(salt, "hash")) if hexed else _digests(salt, "hash")
    if not _CHAINED.search(text) or last not in ("address", "wallet", "mint", "pubkey", "account", "owner"):
        return ()
    if last in ("account", "owner") and not re.search(r"\baddress|\bpubkey|\bpublic key", text, re.IGNORECASE):
        return ()
    if _SOLANA.search(text):
        return _digests(salt, "base58")
    return _digests(salt, "bech32" if _BITCOIN.search(text) else "hex")


def told_examples(text: str) -> list[str]:
    """Return the values that a text gives as examples or as a list, of at most three words each.

    >>> told_examples("Nome da cidade (ex: Lisboa, Porto, Faro, etc.)")
    ['Lisboa', 'Porto', 'Faro']
    >>> told_examples('City name (e.g., "Istanbul", "London", "New York")')
    ['Istanbul', 'London', 'New York']
    >>> told_examples("a name such as the one given")
    []
    """
    match = _IN_BRACKETS.search(text) or _GIVEN.search(text) or _LISTED.search(text) or _CODES.search(text)
    if match is None or (match.re is _CODES and not re.search(r"\d[a-z]|[A-Z]{2}", match["what"])):
        return []
    what = re.sub(r"\bfor [A-Z].*$", "", match["what"])
    parts = re.split(r"[,，、|]|\bor\b|\band\b|\be\b|\betc\b|\.\.\.", what)
    parts = [re.sub(r"\([^)]*$", "", part).strip(" \t\"'`*") for part in parts]
    parts = [part for part in parts if part and part.lower() not in ("etc", "all")]
    if all(re.fullmatch(r"-?\d+\.\d+", part) for part in parts):
        return []  # one point, taken apart at its comma
    fit = all(_VALUE.fullmatch(p) or re.fullmatch(r"\^?[\w./:-]{1,30}", p) for p in parts)
    plain = fit and not any(_OPEN_WORDS & set(p.lower().split()) or len(p.split()) > 3 for p in parts)
    return list(dict.fromkeys(parts))[:_MOST] if parts and plain else []
