"""Words that say nothing by themselves in a tool's description: grammar, and the talk of tools and calls.

A list only, no behaviour, as in ``vocabulary.py``; read by ``untrue_sentences.py``.
"""

from __future__ import annotations

from tvlab.foundation.words import stem

_WORDS = """
a an the of to in on at by for from with and or not no nor is are was were be been being it its this that these those
as if when where which who whom whose what how any all each every one ones two both either neither some more most
other others another same such than then there here into onto over under up down out off per via about between within
without across after before during while until also only just can cannot could may might will would shall should must
do does did done don has have had having you your yours user users we our they them their he she his her i me my use
used using uses call calls called calling caller tool tools api apis return returns returned returning get gets got
retrieve retrieves fetch list lists listing show shows view views see look looks give gives given specify specifies
specified specific specifying provide provides provided providing supply supplied following detail details detailed
information info data value values name names named id ids identifier identifiers uuid key keys optional optionally
required require requires default defaults string strings number numbers integer boolean bool true false null none
array arrays object objects json str int float dictionary dict type types typed format formats formatted e g etc
example examples note notes important warning tip args arg arguments argument parameters parameter params result
results response responses output outputs input inputs based available existing exist exists existed new current
currently multiple single full complete entire whole several set sets setting filter filters filtered filtering search
searches searching find finds found create creates created creating creation update updates updated updating delete
deletes deleted deleting deletion remove removes removed removing removal add adds added adding addition change
changes changed changing modify modifies modified make makes made item items record records entry entries field fields
first last next previous page pages paging paginated pagination limit limits offset maximum max minimum min count
counts total cursor order orders ordered sort sorts sorted sorting ascending descending asc desc success successful
successfully error errors fail fails failed failure message please let lets want wants need needs needed like so too
very work works working way permanently permanent undone undo irreversible irreversibly reversible confirm
confirmation confirmed operation operations action actions request requests requested allow allows allowed enable
enables help helps support supports supported pass passes passed read reads reading write written send sends sent save
saves saved store stores stored present body enough attribute attributes partial unchanged omit omits omitted yyyy mm
dd hh ss iso utc date dates time times day pattern case sensitive insensitive empty blank valid invalid least match
matches matching matched exact exactly partially contain contains containing contained include includes included
including text word words start starts starting started end ends ending ended begin kind accept accepts accepted know
known belong belongs belonging associated related corresponding respective particular certain simple simply quick
quickly easily directly automatically already still yet again once ever never always often instead otherwise unless
whether because since though although however therefore thus even well back own left right possible able unable effect
idempotent purpose usage description summary zero three ten hundred many much few long short large small big different
various common commonly typical typically usually normally general generally point points place places part parts
thing things group groups level levels mode modes option options second seconds minute minutes hour hours days week
weeks month months year years today now later earlier recent recently latest newest oldest old real live comma
separated semicolon space characters character length digit digits letter letters numeric url urls link links email
emails path paths
""".split()

PLAIN_STEMS = frozenset(stem(word) for word in _WORDS)
