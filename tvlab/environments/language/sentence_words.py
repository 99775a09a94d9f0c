"""Word lists for the first sentences of descriptions, and for names that are read together with them.

Lists only, no behaviour, as in ``vocabulary.py``.
"""

from __future__ import annotations

#: verbs at the head of a sentence, beside those of names
SENTENCE_VERBS: dict[str, str] = {
    **dict.fromkeys("return provide".split(), "read"),
    "open": "unknown", "make": "unknown", "run": "unknown", "generate": "unknown", "build": "unknown",
    "write": "unknown", "start": "unknown", "report": "unknown", "order": "unknown", "log": "unknown",
    "plan": "unknown", "file": "unknown", "process": "unknown", "perform": "unknown", "take": "unknown",
}  # fmt: skip
#: verbs of sentences that compute: they only name a reason to leave a tool out
COMPUTING_VERBS = frozenset(
    "calculate compute convert encode decode encrypt decrypt hash round solve multiply divide subtract "
    "sum estimate".split()
)
#: verbs after "and" that make a read do a second thing
SECOND_ACTS = frozenset(
    "save store write download export send convert create update delete analyze summarize format cache open "
    "extract translate insert generate compare calculate".split()
)
#: first words of a sentence that stand before its verb
OPENERS = frozenset(
    "this tool function endpoint method api will can to quickly simply allows lets enables you easily "
    "efficiently please".split()
)
#: kinds of operation, and verbs of writing, that a first sentence may give to a noun phrase
TOLD_KINDS = frozenset("read list search create update delete send upsert".split())
TOLD_WRITES = frozenset("create add update set change delete remove upload send save upsert".split())
#: last words of a name whose check tells a stored state
CHECKED_NOUNS = frozenset("availability balance inventory stock holiday price quota".split())
#: nouns that lead on to the thing: "details of a planet"
HOLLOW_NOUNS = frozenset("detail info information data record metadata list number".split())
HOLLOW_ADJECTIVES = frozenset(
    "a an the every any some each both one two three more specific single detailed available current "
    "latest last new existing comprehensive full complete given specified particular certain various "
    "multiple persistent saved stored configured registered active complete recent recently its their "
    "your his her my our this these those basic general additional structured paginated filtered sorted "
    "known own individual matching up currently entire exact real-time realtime human-readable whole "
    "static".split()
)
#: words that end a noun phrase, beside prepositions
PHRASE_ENDS = frozenset(
    ", ( ) and or that which who whose where when if owned using based including is are was associated "
    "matching published written cited available given such it so required regarding containing inside "
    "through across along among after before since until without near around".split()
)
#: last words of a name that only say "the tool that finds it"
AGENT_NOUNS = frozenset(
    "searcher finder lookup getter fetcher retriever explorer tool latest historical helper reader "
    "screener".split()
)
#: words of names whose tools act on a screen, a repository or a language model, or compute: never a reading
NEVER_TOLD = frozenset(
    "browser playwright puppeteer stagehand scraping scraper web git regex jsonpath xpath prompt clipboard "
    "auth login logout cache window screen server system session ssh html".split()
)
#: verbs that are nouns just as well: behind a prefix they need a sentence that says the same
NOUN_VERBS = frozenset(
    "store report post file order plan log record issue book schedule draft place request build launch "
    "open start make compose generate write verify star pin flag tag label review rate filter archive "
    "comment link mail document export import register".split()
)
#: first verbs of a description that no name with another verb agrees with
CONTRARY = frozenset(
    "generate plot render deploy download export import convert calculate compute simulate predict translate "
    "summarize compile execute run scrape encode decode draw visualize validate".split()
)
#: parameters that say where in a content something is put
PLACES = frozenset("line row column position index paragraph cell range offset anchor location".split())
#: what an `open` makes
OPENED_NOUNS = frozenset("account ticket issue dispute case bill claim changeset incident request".split())
#: what is sent or forwarded
MESSAGE_NOUNS = frozenset(
    "message email mail sms text reply notification post invite invitation letter fax".split()
)
#: objects in a sentence that name nothing a search is about
NO_OBJECTS = frozenset(
    "url page website webpage web html internet sql query database content thing anything text engine "
    "answer question system graph file directory number data content".split()
)
#: last words of a prefix that only say what sort of code stands behind it
PREFIX_SUFFIXES = frozenset("controller service api tool handler manager".split())
#: openings of a first sentence in other scripts
FOREIGN_OPENINGS = {
    "获取": "read", "查询": "read", "取得": "read", "獲取": "read", "列出": "list", "搜索": "search",
}  # fmt: skip
