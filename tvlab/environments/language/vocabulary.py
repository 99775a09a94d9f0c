"""Word lists of the rules: which English word in a tool or parameter name means what.

Lists only, no behaviour.  A word that is missing here makes a tool "unclear" and drops it: a gap costs yield
and never truth.
"""

from __future__ import annotations

#: verb -> kind of operation, before the parameters are looked at
VERBS: dict[str, str] = {
    **dict.fromkeys("create add new insert register make book schedule log record submit place draft "
                    "upload "
                    "raise compose define reserve request file save store report start post plan "
                    "order "
                    "enroll build issue hire write".split(), "create"),
    **dict.fromkeys("get read fetch retrieve show view describe lookup load inspect "
                    "display obtain obter obtener consultar mostrar obtenir".split(), "read"),
    **dict.fromkeys("list browse enumerate listar lister".split(), "list"),
    **dict.fromkeys("search find query filter discover buscar pesquisar rechercher".split(), "search"),
    **dict.fromkeys("update edit modify patch change set put configure adjust rename move reschedule assign "
                    "reassign transfer rate respond extend replace revise amend "
                    "atualizar actualizar modificar".split(), "update"),
    **dict.fromkeys("delete remove destroy drop erase purge unregister "
                    "deletar excluir eliminar apagar borrar supprimer".split(), "delete"),
    **dict.fromkeys("criar crear cadastrar adicionar agregar ajouter".split(), "create"),
    **dict.fromkeys("send reply publish notify broadcast forward".split(), "send"),
    **dict.fromkeys("link associate attach join invite subscribe follow tag label connect react grant "
                    "share".split(),
                    "link"),
    **dict.fromkeys("unlink dissociate disassociate detach leave uninvite unsubscribe unfollow untag unlabel "
                    "disconnect unassign unreact unshare".split(), "unlink"),
    **dict.fromkeys("count".split(), "count"),
    **dict.fromkeys("upsert".split(), "upsert"),
    **dict.fromkeys("convert calculate compute add_numbers hash encode decode subtract multiply "
                    "divide".split(),
                    "compute"),
    **dict.fromkeys("manage handle".split(), "manage"),
}  # fmt: skip

#: verb -> (status values it leads to, flag field, flag value)
TRANSITIONS: dict[str, tuple[tuple[str, ...], str, bool]] = {
    "complete": (("completed", "complete", "done", "finished", "closed"), "completed", True),
    "uncomplete": (("open", "active", "todo", "pending", "in_progress"), "completed", False),
    "finish": (("finished", "completed", "done", "closed"), "finished", True),
    "close": (("closed", "done", "resolved", "completed"), "closed", True),
    "reopen": (("open", "reopened", "active", "todo", "new", "pending"), "closed", False),
    "cancel": (("cancelled", "canceled"), "cancelled", True),
    "approve": (("approved",), "approved", True),
    "reject": (("rejected", "declined", "denied"), "rejected", True),
    "archive": (("archived",), "archived", True),
    "unarchive": (("active", "open"), "archived", False),
    "restore": (("active", "open", "available"), "archived", False),
    "pin": (("pinned",), "pinned", True), "unpin": (("unpinned",), "pinned", False),
    "star": (("starred",), "starred", True), "unstar": (("unstarred",), "starred", False),
    "lock": (("locked",), "locked", True), "unlock": (("unlocked",), "locked", False),
    "mute": (("muted",), "muted", True), "unmute": (("unmuted",), "muted", False),
    "hide": (("hidden",), "hidden", True), "unhide": (("visible",), "hidden", False),
    "block": (("blocked",), "blocked", True), "unblock": (("unblocked", "active"), "blocked", False),
    "ban": (("banned",), "banned", True), "unban": (("active",), "banned", False),
    "flag": (("flagged",), "flagged", True), "unflag": (("unflagged",), "flagged", False),
    "favorite": (("favorite",), "favorite", True), "unfavorite": (("none",), "favorite", False),
    "enable": (("enabled", "active", "on"), "enabled", True),
    "disable": (("disabled", "inactive", "off"), "enabled", False),
    "activate": (("active", "activated", "enabled"), "active", True),
    "deactivate": (("inactive", "deactivated", "disabled"), "active", False),
    "publish": (("published", "live"), "published", True),
    "unpublish": (("draft", "unpublished"), "published", False),
    "pause": (("paused", "on_hold"), "paused", True),
    "resume": (("active", "running", "resumed", "in_progress", "playing"), "paused", False),
    "start": (("in_progress", "started", "running", "active"), "started", True),
    "stop": (("stopped", "inactive", "ended"), "started", False),
    "suspend": (("suspended",), "suspended", True), "unsuspend": (("active",), "suspended", False),
    "resolve": (("resolved", "closed", "done"), "resolved", True),
    "acknowledge": (("acknowledged",), "acknowledged", True),
    "escalate": (("escalated",), "escalated", True),
    "confirm": (("confirmed",), "confirmed", True),
    "accept": (("accepted",), "accepted", True),
    "decline": (("declined", "rejected"), "declined", True),
    "void": (("voided", "void"), "voided", True),
    "withdraw": (("withdrawn",), "withdrawn", True),
    "dismiss": (("dismissed",), "dismissed", True),
    "revoke": (("revoked",), "revoked", True),
    "ship": (("shipped",), "shipped", True),
    "deliver": (("delivered",), "delivered", True),
    "fulfill": (("fulfilled",), "fulfilled", True),
    "refund": (("refunded",), "refunded", True),
    "submit": (("submitted", "pending", "in_review"), "submitted", True),
    "trash": (("trashed", "deleted"), "trashed", True), "untrash": (("active",), "trashed", False),
    "freeze": (("frozen",), "frozen", True), "unfreeze": (("active",), "frozen", False),
    "abort": (("aborted", "cancelled"), "aborted", True),
    "terminate": (("terminated", "ended"), "terminated", True),
    "verify": (("verified",), "verified", True),
    "read": (("read",), "read", True), "unread": (("unread",), "read", False),
    "pay": (("paid",), "paid", True), "paid": (("paid",), "paid", True),
    "sold": (("sold",), "sold", True), "done": (("done", "completed", "closed"), "done", True),
    "completed": (("completed", "done", "complete"), "completed", True),
    "delivered": (("delivered",), "delivered", True), "shipped": (("shipped",), "shipped", True),
    "important": (("important",), "important", True), "spam": (("spam",), "spam", True),
    "unlist": (("unlisted",), "listed", False), "sign": (("signed",), "signed", True),
    "turn_on": (("on",), "on", True), "turn_off": (("off",), "on", False),
    "switch_on": (("on",), "on", True), "switch_off": (("off",), "on", False),
    "cordon": (("cordoned",), "unschedulable", True), "uncordon": (("ready",), "unschedulable", False),
    "undone": (("open", "todo", "pending"), "done", False),
    "check_in": (("checked_in",), "checked_in", True), "check_out": (("checked_out",), "checked_in", False),
}  # fmt: skip

#: words that are verbs wherever they stand: `order_get`, `people_batch_archive`
FIRM_VERBS = frozenset(
    "get create delete update remove add fetch retrieve edit modify set cancel send upsert insert list "
    "search find "
    "read write count approve reject archive unarchive patch put move rename register assign unassign "
    "reassign "
    "complete close reopen cancel pause resume activate deactivate enable disable publish unpublish restore "
    "lock unlock "
    "confirm accept decline check resolve acknowledge escalate suspend start stop submit trash revoke "
    "withdraw pin unpin "
    "listar obter obtener consultar buscar criar crear atualizar actualizar deletar excluir eliminar".split()
)

#: verbs whose meaning the rules do not know, or that act on a screen, a shell or a network
UNKNOWN_VERBS = frozenset(
    "check execute run click navigate scroll type press screenshot browse crawl scrape download export "
    "import sync analyze analyse summarize summarise translate render debug evaluate train predict "
    "recommend suggest login logout authenticate install deploy compile test validate simulate optimize "
    "ask chat think undo redo reset clear refresh merge clone fork push pull commit checkout rebase stage "
    "wait retry rerun play skip restart reboot duplicate copy compare explain preview extract detect "
    "classify transcribe draw plot visualize open launch generate append prepend ensure toggle scan "
    "monitor restart wipe clean backup switch select use apply resize hover fill tap swipe disassemble "
    "decompile invoke call exec eval kill purchase setup renew regenerate resend claim repair suggest "
    "highlight sort swap reorder initialize init trigger measure reindex uninstall reinstall upgrade ping".split()
)

#: unknown verbs that stand in names as nouns just as well: `google_play_reviews`, `build_logs`, `call_history`
NOUN_TOO = frozenset("play chat test call export import run stage download fork commit scan backup watch".split())

ARTICLES = frozenset("a an the my all any this that your our me of".split())
PREPOSITIONS = frozenset(
    "by for from in to on at with into under within per as via using between of about".split()
)
BATCH_WORDS = frozenset("batch bulk multiple many".split())

#: nouns that only say "what is known of it"; `get_order_details` reads an order
GENERIC_NOUNS = frozenset(
    "detail info information data record content metadata profile status state object summary overview full "
    "by id".split()
)

#: words cut short, each with the whole word
ABBREVIATIONS = frozenset(
    [("config", "configuration"), ("repo", "repository"), ("org", "organization"), ("org", "organisation"),
     ("doc", "document"), ("env", "environment"), ("app", "application"), ("db", "database"), ("msg", "message"),
     ("img", "image"), ("spec", "specification"), ("info", "information"), ("dir", "directory"), ("param", "parameter"),
     ("attr", "attribute"), ("acc", "account"), ("conv", "conversation"), ("txn", "transaction")]
)  # fmt: skip
#: words before a noun that change nothing about which thing it is
FILLERS = frozenset(
    "all any available supported specific existing new given single individual own my current or and find get list "
    "a an the user registered known configured multiple full".split()
)
#: words before a noun that pick some of its records by a rule or a state that the call does not give
SELECTORS = frozenset(
    "overdue upcoming trending popular top hot hottest best worst cheapest similar related random active "
    "inactive open closed pending completed incomplete unfinished finished failed failing expired "
    "expiring unavailable archived deleted trashed favorite favourite favorites starred pinned unread "
    "unassigned assigned blocked nearest nearby featured recommended suggested unused public published "
    "enabled disabled missing duplicate due today todays tomorrow yesterday live ongoing running stopped "
    "common stale orphaned shared dead longest largest smallest highest lowest slowest".split()
)

#: nouns of statistics and reports: their values follow from a history that is not modelled
STATISTICS = frozenset(
    "count statistic stat summary report trend analysis analytic metric usage insight history breakdown "
    "performance distribution ranking leaderboard comparison benchmark aggregate total exist".split()
)
#: nouns whose text is code or a question in some language, never a key
LANGUAGES = frozenset("query sql script code prompt expression cypher graphql jql formula statement".split())

#: last word of a parameter that makes it an id
ID_WORDS = frozenset("id ids uid uids uuid uuids guid gid sid identifier identifiers".split())
#: weaker id words: they need a noun before them
SOFT_ID_WORDS = frozenset("slug key".split())
#: ids that name no entity
PLAIN_ID_NOUNS = frozenset(
    "idempotency request correlation trace external client_request transaction_ref operation color locale "
    "timezone reference tax vat national passport google apple api access secret public private primary sort "
    "partition foreign encryption license auth answer hot registry cache".split()
)
#: names of the parameter that chooses what a multiplexed tool does
ACTION_NAMES = frozenset("action operation mode command op method".split())
#: names of an object parameter that only wraps the fields of the thing
WRAPPERS = frozenset(
    "body data fields properties payload params input request attributes model resource object "
    "record entity spec values details definition".split()
)
#: words before the noun of a reference that do not change the entity
REFERENCE_MODIFIERS = frozenset(
    "source target from to new old current destination origin original primary secondary parent child "
    "related "
    "default first second linked selected previous next inward outward".split()
)
#: roles that people play in a record
PERSON_ROLES = frozenset(
    "assignee owner author creator reporter requester sender recipient reviewer responder approver organizer "
    "manager invitee host lead actor participant attendee assigned".split()
)
PERSON_ENTITIES = (
    "user",
    "member",
    "person",
    "agent",
    "employee",
    "contact",
    "customer",
    "team_member",
    "account",
)

#: flags by which a part of a thing is turned on and off
SWITCHES = frozenset("enabled active locked muted".split())

#: what a record says; never the key of another one
CONTENT_WORDS = frozenset("text content body message value description prompt comment caption summary html".split())

#: natural keys in the order of preference
NATURAL_KEYS = ("sku", "slug", "path", "symbol", "ticker", "code", "key", "number", "name", "title", "email",
                "username", "handle", "isbn", "url", "uri", "identifier", "address", "phone")  # fmt: skip

#: natural keys of people and accounts alone
PERSONAL_KEYS = frozenset("username email handle phone".split())

PAGING: dict[str, str] = {
    **dict.fromkeys("limit max_results page_size per_page max_records max_items size top first max "
                    "maxresults "
                    "pagesize perpage num_results n result_limit count number_of_results results max_count "
                    "take "
                    "num results_per_page items_per_page page_limit num_items max_entries".split(), "limit"),
    **dict.fromkeys("offset skip start_at start_index start from_index".split(), "offset"),
    **dict.fromkeys("page page_number page_num page_no page_index pagenumber".split(), "page"),
    **dict.fromkeys("cursor page_token next_token next_cursor start_cursor starting_after after pagetoken "
                    "continuation_token next_page_token pagination_token".split(), "cursor"),
    **dict.fromkeys("sort_by sort order_by sortby orderby sort_field sort_column".split(), "sort"),
    **dict.fromkeys("order sort_order direction order_type sort_direction sort_dir descending "
                    "order_direction "
                    "desc reverse".split(), "direction"),
}  # fmt: skip

QUERY_WORDS = frozenset(
    "query q search search_term searchterm keyword keywords text term search_query searchquery phrase "
    "search_text "
    "query_string search_string pattern search_title name_contains contains".split()
)

#: options that change how a call is carried out or shown, not what it means
OPTION_WORDS = frozenset(
    "include expand verbose format force async wait timeout fields properties return with show hide "
    "detailed detail "
    "exclude raw pretty dry validate notify recursive language lang locale timezone market embed populate "
    "full debug cache refresh "
    "crop highlight matching exact "
    "idempotency confirm background retry skip use send extra projection select strict".split()
)

#: words of a range filter -> comparison
RANGE_WORDS = {
    **dict.fromkeys("before lt".split(), "<"),
    **dict.fromkeys("until to max maximum end lte".split(), "<="),
    **dict.fromkeys("after gt".split(), ">"),
    **dict.fromkeys("since from min minimum start gte".split(), ">="),
}
#: first words of a parameter that changes a stored value in a way other than setting it, or only steers the
#: call
NOT_SETTING = frozenset(
    "add remove append delete clear unset increment decrement copy replace insert merge apply reset auto "
    "preview "
    "dry validate only ignore override overwrite skip include exclude keep preserve force check sync if "
    "expected "
    "allow modification save overwrite upsert dedupe duplicate".split()
)
