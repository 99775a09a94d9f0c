"""Word lists of facts: what a named quantity holds, what a noun promises, what no table can hold.

Lists only, no behaviour.  A quantity that is missing here gives a fact one column less; a noun that stands in
no list makes a fact of its described fields alone.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def _number(low: float, high: float) -> Schema:
    return {"type": "number", "minimum": low, "maximum": high}


def _integer(low: int, high: int) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high}


def _one_of(text: str) -> Schema:
    return {"type": "string", "values": text.split(", ")}


_TEXT: Schema = {"type": "string"}
_DAY: Schema = {"type": "string", "format": "date"}
_MOMENT: Schema = {"type": "string", "format": "date-time"}
_TIME: Schema = {"type": "string", "format": "time"}
_MONEY, _BIG, _PERCENT = _number(5, 900), _integer(1_000_000, 900_000_000), _number(-9, 9)
_COUNT = _integer(1, 9000)

#: last word of a field's name, in the singular -> its values
FIELD_WORDS: dict[str, Schema] = {
    **dict.fromkeys("description headline snippet developer biography slogan".split(), _TEXT),
    **dict.fromkeys(
        "price cost fee fare open high low close bid ask strike target nav earning eps dividend premium "
        "amount balance salary payment".split(),
        _MONEY,
    ),
    **dict.fromkeys(
        "revenue income expense profit cash asset liability equity debt capitalization cap compensation tvl "
        "budget liquidity cashflow ebitda capital inflow outflow".split(),
        _BIG,
    ),
    **dict.fromkeys("change percent percentage growth performance return loss gain".split(), _PERCENT),
    **dict.fromkeys("ratio yield margin beta multiple pe pb ps".split(), _number(0.1, 40)),
    **dict.fromkeys("rate".split(), _number(0.2, 5)),
    **dict.fromkeys("volume supply share holding population".split(), _integer(2000, 900_000)),
    **dict.fromkeys(
        "count view like star fork download follower subscriber comment vote review citation win goal point "
        "visit play employee member install assist rebound contributor issue".split(),
        _COUNT,
    ),
    **dict.fromkeys("rank position".split(), _integer(1, 100)),
    **dict.fromkeys("score".split(), _integer(1, 100)),
    "rating": _number(1, 5),
    "loss_count": _COUNT,
    "temperature": _number(-10, 38),
    "humidity": _integer(20, 100),
    "pressure": _integer(980, 1040),
    "speed": _integer(0, 80),
    "visibility": _integer(1, 20),
    "precipitation": _number(0, 20),
    "rainfall": _number(0, 20),
    "elevation": _integer(0, 4000),
    "altitude": _integer(0, 4000),
    "distance": _number(1, 900),
    "duration": _integer(1, 240),
    "weight": _number(1, 120),
    "height": _number(1, 250),
    "age": _integer(16, 80),
    "level": _integer(1, 99),
    "size": _integer(100, 90_000),
    "area": _integer(10, 90_000),
    "capacity": _integer(10, 900),
    "latitude": _number(-60, 60),
    "longitude": _number(-170, 170),
    "year": _integer(2015, 2025),
    "gas": _integer(21_000, 900_000),
    "nonce": _integer(1, 900),
    "confirmation": _integer(1, 900),
    "condition": _one_of("sunny, cloudy, rain, snow, fog, windy"),
    "sentiment": _one_of("positive, neutral, negative"),
    "currency": _one_of("USD, EUR, GBP, JPY"),
    "sector": _one_of("Technology, Healthcare, Energy, Financials, Utilities, Industrials"),
    "industry": _one_of("Software, Banks, Semiconductors, Biotechnology, Airlines, Retail"),
    "exchange": _one_of("NASDAQ, NYSE, LSE, XETRA"),
    "license": _one_of("MIT, Apache-2.0, BSD-3-Clause, GPL-3.0"),
    "severity": _one_of("low, medium, high, critical"),
    "priority": _one_of("low, medium, high"),
    "genre": _one_of("Action, Comedy, Drama, Fantasy, Horror, Romance"),
    "nationality": _one_of("Brazilian, British, French, German, Indian, Japanese, Spanish"),
    "gender": _one_of("female, male"),
    "venue": _one_of("City Arena, Harbour Stadium, North Park, Olympic Hall, Riverside Ground"),
    **dict.fromkeys(
        "name title author source publisher country city address email phone website url link company symbol "
        "ticker code version language timezone domain username owner manufacturer brand currency_code "
        "continent".split(),
        _TEXT,
    ),
    **dict.fromkeys("id identifier hash doi isbn cik".split(), _TEXT),
    **dict.fromkeys("date deadline".split(), _DAY),
    **dict.fromkeys("timestamp datetime".split(), _MOMENT),
    **dict.fromkeys("time sunrise sunset departure arrival".split(), _TIME),
}  # fmt: skip

_WEATHER = {
    "temperature_c": FIELD_WORDS["temperature"],
    "condition": FIELD_WORDS["condition"],
    "humidity": FIELD_WORDS["humidity"],
    "wind_kph": FIELD_WORDS["speed"],
}
_OHLC = {"open": _MONEY, "high": _MONEY, "low": _MONEY, "close": _MONEY, "volume": FIELD_WORDS["volume"]}
_QUOTE = {"price": _MONEY, "change_percent": _PERCENT, "volume": FIELD_WORDS["volume"]}
_NEWS = {"title": _TEXT, "source": _TEXT, "url": _TEXT, "published_date": _DAY}
_PAPER = {"title": _TEXT, "author": _TEXT, "year": FIELD_WORDS["year"], "url": _TEXT}
_INCOME = {"revenue": _BIG, "operating_income": _BIG, "net_income": _BIG, "eps": _number(0.2, 9)}
_SHEET = {"total_assets": _BIG, "total_liabilities": _BIG, "total_equity": _BIG}
_CASH = {"operating_cash_flow": _BIG, "capital_expenditure": _BIG, "free_cash_flow": _BIG}
_PACKAGE = {"version": _TEXT, "license": FIELD_WORDS["license"], "downloads": _COUNT}
_TEMPERATURE, _PRICE = {"temperature_c": FIELD_WORDS["temperature"]}, {"price": _MONEY}
_DRIVER = {"name": _TEXT, "nationality": FIELD_WORDS["nationality"]}
_PERSON = {"name": _TEXT, "email": _TEXT}
_COMPANY = {
    "company_name": _TEXT, "industry": FIELD_WORDS["industry"], "sector": FIELD_WORDS["sector"],
    "country": _TEXT,
}
_FIXTURE = {"home_team": _TEXT, "away_team": _TEXT, "venue": FIELD_WORDS["venue"]}

#: words at the end of a noun phrase -> the columns that the phrase promises
NOUN_FIELDS: dict[str, dict[str, Schema]] = {
    **dict.fromkeys("weather, forecast, weather forecast, live weather".split(", "), _WEATHER),
    "temperature": _TEMPERATURE, "temp": _TEMPERATURE,
    **dict.fromkeys(
        "candle, kline, ohlc, ohlcv, candlestick, historical price, stock price history, price history, bar, "
        "historical data, chart, full chart, historical stock price, price date range, hist data".split(", "),
        _OHLC,
    ),
    **dict.fromkeys("quote, ticker, rich quote, stock quote, market data".split(", "), _QUOTE),
    "price": _PRICE, "spot price": _PRICE, "current price": _PRICE,
    **dict.fromkeys("news, article, headline, press release".split(", "), _NEWS),
    **dict.fromkeys("income statement, income stmt".split(", "), _INCOME),
    **dict.fromkeys("balance sheet, balance sheet statement".split(", "), _SHEET),
    **dict.fromkeys("cash flow, cashflow, cash flow statement, cashflow statement".split(", "), _CASH),
    **dict.fromkeys("company profile, company overview, company".split(", "), _COMPANY),
    **dict.fromkeys("hour data, minute data, eod data, daily data, intraday data".split(", "), _OHLC),
    "dividend": {"dividend": _number(0.05, 3), "payment_date": _DAY},
    "split": {"ratio": _one_of("2:1, 3:1, 4:1, 10:1, 3:2")},
    "earning": {"eps_estimate": _number(0.2, 9), "eps_actual": _number(0.2, 9), "revenue": _BIG},
    "market cap": {"market_cap": _BIG},
    "market capitalization": {"market_cap": _BIG},
    "holder": {"holder_name": _TEXT, "shares": FIELD_WORDS["share"]},
    "insider trade": {"insider_name": _TEXT, "shares": FIELD_WORDS["share"], "price": _MONEY},
    "insider transaction": {"insider_name": _TEXT, "shares": FIELD_WORDS["share"], "price": _MONEY},
    "trade": {"price": _MONEY, "quantity": _number(0.1, 20), "time": _MOMENT},
    "recent trade": {"price": _MONEY, "quantity": _number(0.1, 20), "time": _MOMENT},
    "exchange rate": {"rate": FIELD_WORDS["rate"]},
    "rate": {"rate": FIELD_WORDS["rate"]},
    "fee": {"fee": _MONEY},
    "fare": {"fare": _MONEY},
    "balance": {"balance": _number(0, 5000)},
    "tvl": {"tvl": _BIG},
    "volume": {"volume": _BIG},
    "supply": {"supply": _BIG},
    "population": {"population": FIELD_WORDS["population"]},
    "elevation": {"elevation_m": FIELD_WORDS["elevation"]},
    "humidity": {"humidity": FIELD_WORDS["humidity"]},
    "rating": {"rating": FIELD_WORDS["rating"]},
    "rank": {"rank": FIELD_WORDS["rank"]},
    "air quality": {"aqi": _integer(5, 250)},
    "aqi": {"aqi": _integer(5, 250)},
    "greed index": {"value": _integer(1, 99)},
    "nationality": {"nationality": FIELD_WORDS["nationality"]},
    "gender": {"gender": FIELD_WORDS["gender"]},
    "age": {"age": FIELD_WORDS["age"]},
    "tide": {"high_tide": _TIME, "low_tide": _TIME, "height_m": _number(0.5, 7)},
    "sunrise": {"sunrise": _TIME},
    "sunset": {"sunset": _TIME},
    "phone": {"phone": _TEXT},
    "email": {"email": _TEXT},
    "version": {"version": _TEXT},
    "block number": {"block_number": _integer(18_000_000, 21_000_000)},
    "loser": {"symbol": _TEXT, "price": _MONEY, "change_percent": _number(-30, -1)},
    "gainer": {"symbol": _TEXT, "price": _MONEY, "change_percent": _number(1, 30)},
    "driver standing": {"position": _integer(1, 20), "driver_name": _TEXT, "points": _integer(1, 400)},
    "indicator": {"value": _number(0.1, 90)},
    "player count": {"players": _integer(1000, 90_000)},
}  # fmt: skip

#: the same for phrases that must be the whole noun
WHOLE_NOUNS: dict[str, dict[str, Schema]] = {
    **dict.fromkeys("profile, user profile, me, myself, whoami, self, own profile".split(", "), _PERSON),
    **dict.fromkeys("user, member, current user, authenticated user".split(", "), _PERSON),
    **dict.fromkeys("fixture, match".split(", "), _FIXTURE),
    **dict.fromkeys("paper, publication, preprint, citation".split(", "), _PAPER),
    "block": {"block_number": _integer(18_000_000, 21_000_000), "block_hash": _TEXT, "timestamp": _MOMENT},
    "transaction": {"from_address": _TEXT, "to_address": _TEXT, "value": _number(0.01, 90)},
    "location": {"city": _TEXT, "latitude": FIELD_WORDS["latitude"], "longitude": FIELD_WORDS["longitude"]},
    "geolocation": {
        "city": _TEXT, "latitude": FIELD_WORDS["latitude"], "longitude": FIELD_WORDS["longitude"],
    },
    "active": {"symbol": _TEXT, "price": _MONEY, "volume": _BIG},
    "release": {"version": _TEXT, "release_date": _DAY},
    "standing": {"position": _integer(1, 20), "team": _TEXT, "points": _integer(1, 90)},
    "video": {"title": _TEXT, "url": _TEXT, "views": _COUNT},
    "movie": {"title": _TEXT, "year": FIELD_WORDS["year"], "rating": _number(1, 10)},
    "book": {"title": _TEXT, "author": _TEXT, "year": FIELD_WORDS["year"]},
    "podcast": {"title": _TEXT, "author": _TEXT},
    "repository": {"name": _TEXT, "url": _TEXT, "stars": _COUNT},
    **dict.fromkeys("package, gem, rubygem, crate, npm package, library".split(", "), _PACKAGE),
    "driver": _DRIVER, "driver information": _DRIVER,
    "circuit": {"name": _TEXT, "country": _TEXT, "length_km": _number(3, 7)},
    "arp table": {"ip_address": _TEXT, "mac_address": _TEXT},
    "mac table": {"mac_address": _TEXT, "vlan": _integer(1, 400), "port": _integer(1, 48)},
    "route": {"name": _TEXT},
    "chapter": {"title": _TEXT},
    "athlete profile": {"name": _TEXT, "city": _TEXT, "country": _TEXT},
    "postal code": {"city": _TEXT, "state": _TEXT, "street": _TEXT},
    "zip code": {"city": _TEXT, "state": _TEXT},
    "coin": {"name": _TEXT, "price": _MONEY, "market_cap": _BIG},
    "token": {"name": _TEXT, "symbol": _TEXT, "price": _MONEY},
    "stock": {"company_name": _TEXT, "price": _MONEY, "volume": FIELD_WORDS["volume"]},
    "crypto": {"name": _TEXT, "symbol": _TEXT, "price": _MONEY},
    "most active": {"symbol": _TEXT, "price": _MONEY, "volume": _BIG},
    "author": {"name": _TEXT, "affiliation": _TEXT, "citations": _COUNT},
    "employee count": {"employee_count": FIELD_WORDS["member"]},
    "share float": {"float_shares": FIELD_WORDS["share"], "outstanding_shares": FIELD_WORDS["share"]},
}

#: nouns whose rows are told by date
SERIES = frozenset(
    "history historical candle kline ohlc ohlcv candlestick chart bar dividend split earning trade "
    "intraday eod hist statement sheet".split()
)
#: words that promise the newest rows first
NEWEST = frozenset("latest recent newest".split())
#: words of an order in which the rows of the table stand
RANKED = frozenset("trending popular top gainer loser active hot best ranking ranked leading".split())

#: last word of a parameter that picks a fact
KEY_WORDS = frozenset(
    "symbol ticker code name city country location place station address username user login handle slug "
    "isbn doi cik cusip isin sku domain hostname device package crate library owner protocol chain "
    "network token pool exchange team player league season year month quarter date day sector industry "
    "region state province currency pair coin airport number zip zipcode postcode cep cnpj ip "
    "email species breed pokemon character champion item medicine drug disease gene protein compound "
    "latitude longitude lat lon lng title key hash uuid tag category genre platform brand model type "
    "period interval timeframe market id login pubkey wallet account uf dataset mart slot stop route "
    "line district county base identifier identificador".split()
)
#: enumerations that only steer how an answer looks
FORMS = frozenset(
    "format unit units sort order mode view expand include detail level output style encoding language lang "
    "locale verbosity fields sortby sortorder orderby direction".split()
)
#: nouns of what would have to be invented as prose, read off a machine or a screen, or computed
REFUSED = frozenset(
    "documentation docs doc guide help tutorial prompt instruction example code source snippet html xml "
    "markdown content text transcript image screenshot png svg picture icon logo thumbnail photo file "
    "folder directory log console error process cpu disk memory ram system os window tab cursor selection "
    "element page dom view canvas simulator emulator screen orientation frontmost clipboard "
    "random recommendation suggestion prediction analysis insight summary plan verse bible quran law joke "
    "poem horoscope fortune lyrics definition meaning translation word synonym thought schema query sql qr "
    "session login link url token pdf template tool command capability status health state "
    "connection time datetime clock weekday timezone opinion answer question diff output result "
    "component css theme style frontmatter notebook cell sheet range formula stack trace breakpoint thread "
    "debug decompilation disassembly function class method variable import export register "
    "instance hook request network console cookie storage credential secret password key auth oauth "
    "knowledge context danmaku subtitle caption message conversation chat mail email_body "
    "skill resource rule bytecode assembly abi hex bin binary chunk embedding vector stream "
    "wikipedia wiki google bing duckduckgo baidu web internet browser scholar "
    "semantic surah ayah hadith tafsir scripture commentary advice tip explanation overview "
    "permission proof probability difference comparison correlation simulation optimization "
    "sample fragment property attribute parameter argument setting configuration config "
    "preference option mode flag layout structure tree graph topology diagram "
    "dashboard xlsx json csv".split()
)
#: last words of what a write of the same server would change: a seeded number beside it would be wrong
DERIVED = frozenset(
    "balance inventory stock quantity total score leaderboard ranking history audit usage availability "
    "progress activity count queue cart timeline changelog event notification position portfolio".split()
)
#: words that say some of the records: those of a view, in an order or a state
VIEWS = frozenset(
    "pending due overdue upcoming next unread last latest recent active open free empty assigned my".split()
)
