"""Why a tool without a verb of known meaning is left out, so that the table of drop reasons informs.

Words of the name are looked at first, then the first verb of the description.  A reason is never a meaning:
every tool that gets here is dropped.
"""

from __future__ import annotations

import re

from tvlab.environments.domain.tool_parsing import ParsedTool
from tvlab.environments.language import first_sentences, sentence_words
from tvlab.environments.language.name_words import verb_kind
from tvlab.foundation.words import singular, split_name

INTERFACE = "interface automation"
EXECUTION = "execution of code or commands"
INSTALLATION = "deployment or installation"
WEB = "web fetch or scraping"
GENERATED = "generated content"
ANALYSIS = "validation or analysis of unstated rules"
COMPUTATION = "computation of uncertain meaning"
SESSION = "session and login"
SYSTEM = "system information"
TRANSFER = "file transfer or conversion"
DEVICE = "device or media control"
VERSIONS = "version control"
HISTORY = "undo, redo or repeat"
CLEARING = "clears or resets everything"
COPY = "copy, merge or reorder of records"
MANAGE = "several actions without a list of them"
PURCHASE = "purchase or order of unknown content"
QUERY = "query in a language"
INSIDE = "edit inside a content"
DISAGREE = "name and description disagree"
STRUCTURE = "primitive of a data structure"
SILENT = "no verb in the name and no description"
DIFFERENT = "name and description name different things"
UNCLEAR = "unclear verb"

_PRIMITIVE = re.compile(r"(?:[hlrszx](?:get|set|del|push|pop|range|add|rem|len|members|exists)(?:all)?|expire)")
_REASONING = ("thinking", "reasoning", "argumentation", "monitoring", "framework", "approach", "method")

#: words of the name by which a tool is told, strongest first
_NAME_WORDS: tuple[tuple[str, frozenset[str]], ...] = (
    (WEB, frozenset({"fetch_web"})),
    (INSIDE, frozenset("insert append prepend".split())),
    (INTERFACE, frozenset("browser playwright puppeteer click hover scroll screenshot snapshot navigate tap swipe "
                          "keyboard mouse stagehand clipboard selector simulator highlight zoom".split())),
    (VERSIONS, frozenset("git commit checkout rebase stash blame reflog worktree".split())),
    (COMPUTATION, frozenset("calculator sqrt sum mean median mode min max floor ceiling round power modulo addition "
                            "division factorial sin cos tan gcd lcm".split())),
    (SESSION, frozenset("login logout auth authenticate authentication token reauthorize".split())),
    (EXECUTION, frozenset("execute exec eval evaluate shell terminal powershell repl command script run invoke "
                          "kill debug gdb compile rpc terminate".split())),
    (INSTALLATION, frozenset("deploy install reinstall uninstall init initialize setup upgrade bootstrap".split())),
    (WEB, frozenset("scrape crawl scraping crawler scraper spider web visit".split())),
    (SYSTEM, frozenset("ping health version echo uptime heapsnapshot whoami hello environment dbsize".split())),
    (ANALYSIS, frozenset("validate analyze analyse analysis analyzer validator check test compare verify lint detect "
                         "classify diagnose score audit scan simulate predict estimate review evaluation inspector "
                         "monitor evaluate doctor measure compliance inspection nmap lookup is trace "
                         "threat risk".split())),
    (GENERATED, frozenset("generate gen generator generation summarize summarise translate think thinking reasoning "
                          "ask chat prompt explain render draw plot visualize sequentialthinking suggest recommend "
                          "recommender write speak image qrcode preview story guide assistant".split())),
    (HISTORY, frozenset("undo redo rerun retry replay rollback repeat regenerate resend".split())),
    (TRANSFER, frozenset("download upload export import convert backup sync push pull fetch extract extractor parse "
                         "migrate transform format pdf csv tail".split())),
    (CLEARING, frozenset("clear reset wipe clean cleanup purge flush".split())),
    (COPY, frozenset("copy duplicate clone merge unmerge split reorder sort swap resize".split())),
    (DEVICE, frozenset("open start play pause resume seek volume jump fly look dig equip restart reboot boot "
                       "shutdown toggle switch wait sleep launch quit select track".split())),
    (PURCHASE, frozenset("buy sell purchase renew claim pay".split())),
)  # fmt: skip
#: first verbs of a description, where the name says nothing
_SAID = {
    **dict.fromkeys("run execute evaluate call invoke trigger start perform use apply debug".split(), EXECUTION),
    **dict.fromkeys("analyze analyse validate check test compare scan detect monitor measure".split(), ANALYSIS),
    **dict.fromkeys("generate make build process suggest recommend explain render write ask plot".split(), GENERATED),
    **dict.fromkeys(sentence_words.COMPUTING_VERBS, COMPUTATION),
    **dict.fromkeys("download export import extract".split(), TRANSFER),
    **dict.fromkeys("click navigate take press type".split(), INTERFACE),
}


def unclear(tool: ParsedTool) -> str:
    """Return why a tool whose verb has no known meaning is left out."""
    said = first_sentences.read(tool.description)
    if tool.kind == "manage":
        return MANAGE
    if tool.verb == "query":
        return QUERY
    if verb_kind(tool.verb) not in ("", "unknown") and tool.verb not in ("insert", "mark"):
        return _SAID.get(said.verb, DISAGREE)
    words = {singular(word) for word in split_name(tool.name)}
    if said.verb in sentence_words.COMPUTING_VERBS and not words & {"token", "file"}:
        return COMPUTATION
    names = [tool.verb, *words]
    for own in ([tool.verb], names):
        for reason, known in _NAME_WORDS:
            if known & set(own):
                return reason
    if any(_PRIMITIVE.fullmatch(word) for word in words):
        return STRUCTURE
    if len(words) == 1 and tool.name.lower().endswith(_REASONING):
        return GENERATED
    if not tool.description.strip():
        return SILENT
    if said.kind in ("read", "list", "search", "count"):
        return DIFFERENT
    return _SAID.get(said.verb, UNCLEAR)
