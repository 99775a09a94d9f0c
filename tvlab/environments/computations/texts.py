"""The catalogue's texts: hashes, encodings, JSON, counting and changing characters, numerals, colors."""

from __future__ import annotations

from tvlab.environments.computations.computation_forms import (
    FLAG,
    INTEGER,
    TEXT,
    Computation,
    choice,
    one,
    part,
)

_HELLO = "hello"
_ABC = {
    "md5": "900150983cd24fb0d6963f7d28e17f72",
    "sha1": "a9993e364706816aba3e25717850c26c9cd0d89d",
    "sha224": "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
    "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "sha384": "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
              "8086072ba1e7cc2358baeca134c825a7",
    "sha512": "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
              "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
}  # fmt: skip
_EMPTY = {
    "md5": "d41d8cd98f00b204e9800998ecf8427e",
    "sha1": "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "sha224": "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
    "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha384": "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da"
              "274edebfe76f65fbd51ad2f14898b95b",
    "sha512": "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
              "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
}  # fmt: skip
_ALGORITHMS = "md5 sha1 sha-1 sha224 sha-224 sha256 sha-256 sha384 sha-384 sha512 sha-512"
_NOT_PLAIN = r"salt|hmac|\bkey\b|verify|bcrypt|length|truncat|iterat|file"
_TWO_TEXTS = (
    part("a", "text", "a hash1 text1 string1 first hash_a first_hash str1 first_text first_string s1"),
    part("b", "text", "b hash2 text2 string2 second hash_b second_hash str2 second_text second_string s2"),
)


def _hashes() -> tuple[Computation, ...]:
    made = []
    for name in _ABC:
        spelled = f"sha {name[3:]}" if name.startswith("sha") else "md 5"
        names = (name, f"{name} hash", f"hash {name}", spelled, f"{name} digest", f"{spelled} hash")
        says = r"md-?5" if name == "md5" else rf"sha-?{name[3:]}"
        made.append(
            Computation(
                name, names, says, one("text", "payload plaintext"), f'digest({{x}}, "{name}")', TEXT,
                ((("abc",), _ABC[name]), (("",), _EMPTY[name])), unless=_NOT_PLAIN + "|base64",
            )
        )  # fmt: skip
    return tuple(made)


_HASHES = (
    *_hashes(),
    Computation(
        "hash", ("hash", "hash with algorithm", "generate hash", "create hash"), r"\bhash", (
            *one("text", "payload plaintext"),
            choice("algorithm", "algorithm algo hash_algorithm method hash_type type", _ALGORITHMS),
            choice("encoding", "encoding output_encoding output_format digest", "hex base64", '"hex"'),
        ),
        "digest({x}, {algorithm}, {encoding})", TEXT,
        ((("abc", "sha256", "hex"), _ABC["sha256"]), (("abc", "md5", "hex"), _ABC["md5"]),
         (("abc", "sha512", "hex"), _ABC["sha512"]), (("abc", "sha1", "hex"), _ABC["sha1"]),
         (("abc", "sha256", "base64"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
         (("", "sha256", "hex"), _EMPTY["sha256"])), unless=_NOT_PLAIN,
    ),
    Computation(
        "same_hash", ("compare hashes", "hashes equal", "compare strings", "strings equal", "compare hash"),
        r"compar|equal", _TWO_TEXTS, "{a} == {b}", FLAG,
        ((("abc", "abc"), True), (("abc", "abd"), False), (("abd", "abc"), False)),
        unless="similar|differenc|distance|case|diff|word",
    ),
)  # fmt: skip

_ENCODINGS = (
    Computation(
        "base64_encode", ("base64 encode", "encode base64", "to base64", "encode to base64", "base64 encoder"),
        r"base-?64", (*one("text"), part("safe", "flag", "url_safe urlsafe", "False")),
        "base64_encoded({x}, {safe})", TEXT, ((("hello", False), "aGVsbG8="), (("", False), ""),
        (("\u00fc?>~", True), "w7w_Pn4="), (("\u00fc?>~", False), "w7w/Pn4=")),
        unless="decod(?!e a base64 string back)|image|file|binary|buffer",
    ),
    Computation(
        "base64_decode", ("base64 decode", "decode base64", "from base64", "decode from base64", "base64 decoder"),
        r"base-?64", (*one("text", "encoded base64 encoded_text encoded_string base64_string base64_text"),
                      part("safe", "flag", "url_safe urlsafe", "False")),
        "base64_decoded({x}, {safe})", TEXT, ((("aGVsbG8=", False), "hello"), (("", False), ""),
        (("w7w_Pn4=", True), "\u00fc?>~"), (("w7w/Pn4=", False), "\u00fc?>~")),
        refused=(("!!!", False), ("aGVsbG8", False)), unless="encod(?!ed|e text)|image|file|bytes|buffer",
    ),
    Computation(
        "hex_encode", ("hex encode", "encode hex", "to hex", "encode to hex"), r"hex", one("text"),
        "utf8({x}).hex()", TEXT, ((("hello",), "68656c6c6f"), (("\u00fc",), "c3bc")),
        needs="text|string|utf", unless=r"decod|color|number|decimal|integer|0x|rgb",
    ),
    Computation(
        "hex_decode", ("hex decode", "decode hex", "from hex"), r"hex", one("text", "hex hex_string encoded"),
        "hex_decoded({x})", TEXT, ((("68656c6c6f",), "hello"), (("c3bc",), "\u00fc")), refused=(("xyz",),),
        needs="text|string|utf", unless=r"encod(?!ed)|color|number|decimal|integer|rgb|transaction",
    ),
    Computation(
        "url_encode", ("url encode", "encode url", "percent encode", "encode uri component", "encodeuri component"),
        r"ur[li]|percent", one("text", "url"), "url_encoded({x})", TEXT,
        ((("a b&c",), "a%20b%26c"), (("\u00fc",), "%C3%BC")), unless=r"decod|plus|\+|form-url|query string|param",
    ),
    Computation(
        "url_decode", ("url decode", "decode url", "percent decode", "decode uri component"), r"ur[li]|percent",
        one("text", "url encoded"), "url_decoded({x})", TEXT, ((("a%20b%26c",), "a b&c"), (("%C3%BC",), "\u00fc")),
        unless=r"plus|\+|form-url|query string|short", refused=(("%ff",),),
    ),
    Computation(
        "html_encode", ("html encode", "encode html", "escape html", "html escape", "encode html entities"),
        r"html", one("text", "html"), "html_encoded({x})", TEXT,
        ((("<b>a & b</b>",), "&lt;b&gt;a &amp; b&lt;/b&gt;"), (("plain",), "plain")), unless=r"decod|markdown|page|url",
    ),
    Computation(
        "html_decode", ("html decode", "decode html", "unescape html", "html unescape", "decode html entities"),
        r"html", one("text", "html encoded"), "html_decoded({x})", TEXT,
        ((("&lt;b&gt; &amp; &#39;",), "<b> & '"), (("plain",), "plain")), unless="markdown|page|url",
    ),
    Computation(
        "json_format", ("json format", "format json", "pretty print json", "json pretty print", "json prettify",
                        "prettify json", "json beautify", "beautify json"), r"json",
        (*one("text", "json json_string json_text json_data"),
         part("indent", "whole", "indent indentation spaces", "2"),
         part("sort", "flag", "sort_keys", "False")),
        "json_formatted({x}, {indent}, {sort})", TEXT,
        ((('{"b":1,"a":[]}', 2, False), '{\n  "b": 1,\n  "a": []\n}'),
         (('{"b":1,"a":[]}', 2, True), '{\n  "a": [],\n  "b": 1\n}'),
         (('{"b":1,"a":[]}', 4, False), '{\n    "b": 1,\n    "a": []\n}'), (("3", 2, False), "3")),
        refused=(("{", 2, False),), unless="minif|file|path|schema|convert|fix|repair",
    ),
    Computation(
        "json_minify", ("json minify", "minify json", "compact json", "json compact"), r"json",
        one("text", "json json_string json_text json_data"), "json_formatted({x}, None)", TEXT,
        ((('{ "b": 1,\n "a": [] }',), '{"b":1,"a":[]}'), (("3",), "3")), refused=(("{",),), unless="file|path|beautif",
    ),
    Computation(
        "json_validate", ("json validate", "validate json", "is valid json", "check json"), r"json",
        one("text", "json json_string json_text json_data"), "is_json({x})", FLAG,
        ((('{"a": 1}',), True), (("{a: 1}",), False)), unless="schema|file|path|format|error|line",
    ),
)  # fmt: skip

_CHARACTERS = (
    Computation(
        "echo", ("echo", "echo message", "echo back"), r"echo|\bback\b|same|repeat", one("text", "msg"), "{x}", TEXT,
        (((_HELLO,), _HELLO), (("",), "")), unless=r"prefix|prepend|upper|timestamp|times|server|delay|with a|revers",
    ),
    Computation(
        "reverse", ("reverse",), r"revers|backward", one("text"), "{x}[::-1]", TEXT,
        ((("stressed",), "desserts"), (("ab",), "ba")), unless="word order|words|lookup|dns|geocod|number|list",
    ),
    Computation(
        "uppercase", ("uppercase", "to uppercase", "upper", "to upper", "upper case", "convert to uppercase"),
        r"upper", one("text"), "{x}.upper()", TEXT, ((("Ab1",), "AB1"), (("",), "")), unless="lower|first letter|snake",
    ),
    Computation(
        "lowercase", ("lowercase", "to lowercase", "lower", "to lower", "lower case", "convert to lowercase"),
        r"lower", one("text"), "{x}.lower()", TEXT, ((("Ab1",), "ab1"), (("",), "")), unless="upper|first letter|snake",
    ),
    Computation(
        "count_words", ("count words", "word count", "word counter", "words count", "number of words"), r"word",
        one("text"), "word_count({x})", INTEGER, ((("one  two\nthree",), 3), (("",), 0)),
        unless=r"characters?\b|frequen|each|unique|sentence|clipboard|document|line|language|stop",
    ),
    Computation(
        "count_characters", ("count characters", "character count", "length", "count chars", "char count"),
        r"character|length|chars", one("text"), "character_count({x})", INTEGER, (((_HELLO,), 5), (("",), 0)),
        unless=r"words?\b|frequen|each|without|excluding|spaces|occurrenc|byte|clipboard|playlist|vowel",
    ),
    Computation(
        "count_occurrences", ("count occurrences", "occurrences", "count substring"), r"occurrenc|times|count", (
            *one("text"), part("sub", "text", "substring word pattern search term target char character"),
        ), "occurrences({x}, {sub})", INTEGER, ((("banana", "an"), 2), (("aaa", "b"), 0)),
        unless="case|regex|overlap|whole word|ignor|doc|pattern", refused=((_HELLO, ""),),
    ),
    Computation(
        "trim", ("trim", "strip", "trim whitespace", "strip whitespace"), r"trim|strip|whitespace", one("text"),
        "{x}.strip()", TEXT, ((("  a b \n",), "a b"), (("",), "")), unless="html|tags|inner|extra|video|length",
    ),
    Computation(
        "replace", ("replace", "find replace"), r"replac", (
            *one("text"), part("old", "text", "old search find old_text target from old_str"),
            part("new", "text", "new replace replacement new_text to new_str replace_with"),
        ), "replaced({x}, {old}, {new})", TEXT, ((("a-b-c", "-", "+"), "a+b+c"), ((_HELLO, "l", ""), "heo")),
        needs="all|every|occurrences", unless="first occurrence|regex|pattern|case|file|doc",
        refused=((_HELLO, "", "x"),),
    ),
    Computation(
        "repeat", ("repeat",), r"repeat", (*one("text"), part("times", "whole", "times count n repetitions repeat")),
        "repeated({x}, {times})", TEXT, ((("ab", 3), "ababab"), (("cd", 2), "cdcd"), (("ab", 0), "")),
        refused=(("ab", -1),),
        unless="separator|echo|line|interval",
    ),
    Computation(
        "concatenate", ("concat", "concatenate", "join strings", "join two"), r"concat|join", _TWO_TEXTS, "{a} + {b}",
        TEXT, ((("ab", "cd"), "abcd"), (("", "x"), "x")), unless="separator|space|file|video|audio|delimiter|comma",
    ),
)  # fmt: skip

_NUMERALS = (
    Computation(
        "to_roman", ("to roman", "to roman numerals", "to roman numeral", "convert to roman", "int to roman",
                     "convert to roman numerals", "roman numeral"), r"roman", one("whole"),
        "roman({x})", TEXT, (((1994,), "MCMXCIV"), ((4,), "IV"), ((3999,), "MMMCMXCIX")), refused=((0,),),
        unless="both|either|or vice",
    ),
    Computation(
        "from_roman", ("from roman", "roman to", "roman to integer", "roman to int", "roman to decimal",
                       "convert roman to", "roman numeral to", "from roman numerals"), r"roman",
        one("text", "roman numeral roman_numeral"), "from_roman({x})", INTEGER,
        ((("MCMXCIV",), 1994), (("IV",), 4)), refused=(("IIII",), ("abc",)),
    ),
    Computation(
        "from_binary", ("binary to decimal", "convert binary to decimal", "binary to int"), r"binary",
        one("text", "binary binary_string binary_number"), "in_base({x}, 2)", INTEGER,
        ((("1010",), 10), (("0b11",), 3)), refused=(("12",),), unless="hex|text|ascii|fraction|octal",
    ),
    Computation(
        "from_hexadecimal", ("hex to decimal", "convert hex to decimal", "hex to int", "hexadecimal to decimal"),
        r"hex", one("text", "hex hex_string hex_number hex_value"), "in_base({x}, 16)", INTEGER,
        ((("ff",), 255), (("0x10",), 16)), refused=(("xyz",),), unless="signed|color|binary|octal|endian|bytes",
    ),
    Computation(
        "hex_to_rgb", ("hex to rgb", "convert hex to rgb", "hex color to rgb"), r"rgb",
        one("text", "hex hex_color color hex_code"), "rgb({x})",
        {"type": "object", "properties": {name: {"type": "integer"} for name in "rgb"}, "required": list("rgb")},
        ((("#ff8000",), {"r": 255, "g": 128, "b": 0}), (("fff",), {"r": 255, "g": 255, "b": 255})),
        refused=(("red",),), unless="hsl|rgba|alpha|css", covers=True,
    ),
    Computation(
        "rgb_to_hex", ("rgb to hex", "convert rgb to hex"), r"hex",
        (part("r", "whole", "r red"), part("g", "whole", "g green"), part("b", "whole", "b blue")),
        "hex_color({r}, {g}, {b})", TEXT, (((255, 128, 0), "#ff8000"), ((0, 0, 10), "#00000a")),
        refused=((256, 0, 0),), unless="hsl|rgba|alpha",
    ),
    Computation(
        "luhn", ("luhn", "luhn check", "validate luhn", "check luhn", "validate credit card", "is valid luhn"),
        r"luhn", one("text", "card_number number card digits"), "passes_luhn({x})", FLAG,
        ((("4539 1488 0343 6467",), True), (("8273 1232 7352 0569",), False)), needs="luhn",
        unless="issuer|card type|brand|generate",
    ),
)  # fmt: skip

COMPUTATIONS = (*_HASHES, *_ENCODINGS, *_CHARACTERS, *_NUMERALS)
