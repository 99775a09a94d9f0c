"""Doubts: a decided meaning is looked at once more against name, description and schema, and refused if it fails.

The rules that decide are generous where a name fits; here each named doubt says what speaks against a meaning.
A doubted tool is dropped with the doubt's name as the reason: a gap costs yield and never truth.  A doubt looks
at one meaning (``doubts/texts.py``, ``doubts/reads.py``, ``doubts/writes.py``); twins are found among all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tvlab.environments.domain.domain import Domain
from tvlab.environments.doubts import answers as doubts_answers
from tvlab.environments.doubts import changes as doubts_changes
from tvlab.environments.doubts import contents as doubts_contents
from tvlab.environments.doubts import defaults as doubts_defaults
from tvlab.environments.doubts import effects as doubts_effects
from tvlab.environments.doubts import forms as doubts_forms
from tvlab.environments.doubts import keys as doubts_keys
from tvlab.environments.doubts import kinds as doubts_kinds
from tvlab.environments.doubts import limits as doubts_limits
from tvlab.environments.doubts import lists as doubts_lists
from tvlab.environments.doubts import parameters as doubts_parameters
from tvlab.environments.doubts import promises as doubts_promises
from tvlab.environments.doubts import reads as doubts_reads
from tvlab.environments.doubts import relations as doubts_relations
from tvlab.environments.doubts import rules as doubts_rules
from tvlab.environments.doubts import searches as doubts_searches
from tvlab.environments.doubts import shared as doubts_shared
from tvlab.environments.doubts import stated as doubts_stated
from tvlab.environments.doubts import texts as doubts_texts
from tvlab.environments.doubts import told as doubts_told
from tvlab.environments.doubts import untold as doubts_untold
from tvlab.environments.doubts import writes as doubts_writes
from tvlab.environments.drops import Drop
from tvlab.environments.meanings import inner_references, misread_filters, needed_places
from tvlab.environments.meanings.meanings import Meaning
from tvlab.environments.writing import alternatives

Test = Callable[[Meaning, Domain], str]


@dataclass(frozen=True)
class Doubt:
    """One reason to refuse a meaning: its name, and a test that returns what it found, "" if nothing."""

    reason: str
    test: Test


#: in this order; the first that holds is the reason
DOUBTS: tuple[Doubt, ...] = (
    Doubt("generated or computed answer", doubts_texts.generated),
    Doubt("session or sign-in", doubts_texts.signs_in),
    Doubt("acts on the web or a screen", doubts_texts.acts_outside),
    Doubt("description speaks of something else", doubts_texts.speaks_of_else),
    Doubt("description speaks of another thing", doubts_texts.other_thing),
    Doubt("verb is a noun of the name", doubts_texts.verb_is_noun),
    Doubt("stated rule is not honoured", doubts_texts.stated_rule),
    Doubt("dry run or preview by default", doubts_texts.dry_by_default),
    Doubt("parameter taken for what it is not", doubts_reads.parameter),
    Doubt("credential as data", doubts_texts.credential),
    Doubt("statistic or report", doubts_reads.statistic),
    Doubt("one answer read as a list", doubts_reads.one_as_list),
    Doubt("picked by an order that is not modelled", doubts_reads.picked),
    Doubt("part read as its parent", doubts_contents.part_of),
    Doubt("read of one thing without a key", doubts_reads.lost_key),
    Doubt("read of one thing without a key", doubts_reads.series),
    Doubt("read of one thing without a key", doubts_told.limited_one),
    Doubt("what is asked for was taken away", doubts_reads.lost_criterion),
    Doubt("id of another thing", doubts_reads.other_id),
    Doubt("search read as one record", doubts_reads.like_words),
    Doubt("nothing is known of the thing", doubts_contents.mere_field),
    Doubt("another area's things under one noun", doubts_lists.other_area),
    Doubt("query language read as text", doubts_answers.query_language),
    Doubt("nothing to search", doubts_answers.textless),
    Doubt("what is asked for was taken away", doubts_answers.aimless),
    Doubt("stated default is not kept", doubts_answers.defaults),
    Doubt("stated default is not kept", doubts_answers.unit),
    Doubt("stated default is not kept", doubts_answers.narrower),
    Doubt("one answer where many are promised", doubts_answers.one_of_many),
    Doubt("statistic or report", doubts_answers.report),
    Doubt("part read as its parent", doubts_answers.kin),
    Doubt("another list gives the same rows", doubts_answers.shadow),
    Doubt("stated rule is not honoured", doubts_answers.absent),
    Doubt("picked by an order that is not modelled", doubts_answers.ordered),
    Doubt("nothing is known of the thing", doubts_answers.values_of),
    Doubt("nothing is known of the thing", doubts_answers.opaque_part),
    Doubt("description speaks of another thing", doubts_answers.another_object),
    Doubt("named content is missing", doubts_answers.parts_apart),
    Doubt("search by equality", doubts_answers.part_of_name),
    Doubt("what is asked for was taken away", doubts_answers.undated),
    Doubt("a qualifier that no record bears", doubts_answers.files_of_a_kind),
    Doubt("free text as filter", doubts_reads.free_text),
    Doubt("separated list as one value", doubts_reads.separated),
    Doubt("wrapper object taken away", doubts_reads.lost_wrapper),
    Doubt("nothing is known of the thing", doubts_contents.empty),
    Doubt("named content is missing", doubts_contents.unkept),
    Doubt("nothing is known of the thing", doubts_contents.mere_name),
    Doubt("opaque body", doubts_writes.opaque),
    Doubt("wrapper object not taken apart", doubts_writes.nested),
    Doubt("many made as one", doubts_writes.many_as_one),
    Doubt("made without what it belongs to", doubts_writes.without_owner),
    Doubt("replaces what it would make", doubts_writes.replaces),
    Doubt("new name written over another key", doubts_writes.renames_key),
    Doubt("things of several types in one table", doubts_writes.generic_thing),
    Doubt("relative change", doubts_writes.relative),
    Doubt("opens or edits what it would make", doubts_writes.edits),
    Doubt("reference in place of content", doubts_writes.content_as_reference),
    Doubt("part of the key overwritten", doubts_writes.overwrites_key),
    Doubt("setting as a thing of its own", doubts_writes.loose_setting),
    Doubt("relation stored as a record", doubts_writes.relation_as_record),
    Doubt("starts in another state", doubts_changes.said_state),
    Doubt("made of a part alone", doubts_changes.part_made),
    Doubt("replaces what it would make", doubts_changes.uploaded_over),
    Doubt("wrapper object not taken apart", doubts_changes.spread),
    Doubt("makes or changes", doubts_changes.made_or_changed),
    Doubt("attached by making", doubts_changes.attached),
    Doubt("opens or edits what it would make", doubts_changes.shifts),
    Doubt("changes what lies inside", doubts_changes.places_value),
    Doubt("changes what lies inside", doubts_changes.adds_content),
    Doubt("moved beside where it is", doubts_changes.moved_beside),
    Doubt("a state for another thing", doubts_changes.switched_for),
    Doubt("a part of the thing that is not modelled", doubts_changes.told_part),
    Doubt("a part of the thing that is not modelled", doubts_changes.inner_part),
    Doubt("what happens is stored", doubts_changes.event_stored),
    Doubt("a change of everything", doubts_changes.resets_all),
    Doubt("nothing to update", doubts_changes.no_change),
    Doubt("description speaks of another thing", doubts_changes.other_object),
    Doubt("generated or computed answer", doubts_changes.upload_session),
    Doubt("bare id of another thing", doubts_keys.bare_id),
    Doubt("keyed by what holds it", doubts_keys.container_key),
    Doubt("file that no table holds", doubts_keys.unheld_file),
    Doubt("a name that is no key", doubts_keys.optional_name),
    Doubt("key of what holds it", doubts_keys.inner_key),
    Doubt("one of several containers", doubts_keys.ambiguous_container),
    Doubt("one parent in two columns", doubts_keys.two_parents),
    Doubt("verb taken as the thing", doubts_keys.verb_as_thing),
    Doubt("generated or computed answer", doubts_keys.prompted),
    Doubt("description speaks of something else", doubts_keys.labelled_read),
    Doubt("made without what it belongs to", doubts_keys.saved_elsewhere),
    Doubt("content without declared fields", doubts_keys.undeclared_fields),
    Doubt("opaque body", doubts_writes.untyped_map),
    Doubt("several values in one text", doubts_forms.json_list),
    Doubt("position of another thing left free", doubts_forms.free_position),
    Doubt("state change with unknown key", doubts_forms.never_made),
    Doubt("verb taken as the thing", doubts_forms.doer),
    Doubt("one answer where many are promised", doubts_forms.many_told),
    Doubt("named content is missing", doubts_forms.other_measure),
    Doubt("many made as one", doubts_forms.updates_stored),
    Doubt("a key with a fallback made required", doubts_forms.all_or_one),
    Doubt("opens or edits what it would make", doubts_forms.started),
    Doubt("part of the key overwritten", doubts_forms.address_changed),
    Doubt("reference left free", doubts_forms.free_reference),
    Doubt("another list gives the same rows", doubts_forms.list_of_lists),
    Doubt("named content is missing", doubts_forms.associated),
    Doubt("another key than the one taken", doubts_rules.other_key),
    Doubt("a key with a fallback made required", doubts_rules.fallback),
    Doubt("stated rule is not honoured", doubts_rules.stated),
    Doubt("stated rule is not honoured", doubts_rules.replaces_whole),
    Doubt("part of the key overwritten", doubts_rules.must_match),
    Doubt("generated or computed answer", doubts_rules.answered),
    Doubt("search by any word or likeness", doubts_rules.word_search),
    Doubt("one thing read as a list", doubts_rules.one_told),
    Doubt("a qualifier that no record bears", doubts_rules.of_state),
    Doubt("a part of the thing that is not modelled", doubts_rules.many_beside),
    Doubt("made without what it belongs to", doubts_rules.needed_place),
    Doubt("named content is missing", doubts_rules.counted),
    Doubt("moved beside where it is", doubts_rules.moved_in),
    Doubt("keyed by what holds it", doubts_rules.holder_key),
    Doubt("stated rule is not honoured", doubts_rules.needed_by_choice),
    Doubt("attached by making", doubts_rules.added_to),
    Doubt("part read as its parent", doubts_rules.part_or_view),
    Doubt("verb taken as the thing", doubts_shared.leading_verb),
    Doubt("nothing to update", doubts_shared.default_chosen),
    Doubt("stated rule is not honoured", doubts_shared.partial),
    Doubt("named content is missing", doubts_stated.returned_once),
    Doubt("stated rule is not honoured", doubts_stated.cleared_by_null),
    Doubt("stated rule is not honoured", doubts_stated.only_one),
    Doubt("search in other fields than those named", doubts_stated.other_texts),
    Doubt("named content is missing", doubts_stated.named_members),
    Doubt("wrapper object not taken apart", doubts_stated.layered),
    Doubt("changes what lies inside", doubts_stated.part_by_part),
    Doubt("part read as its parent", doubts_stated.as_written),
    Doubt("deleted and still there", doubts_effects.softly_deleted),
    Doubt("a copy without what is copied", doubts_effects.copied),
    Doubt("stated rule is not honoured", doubts_effects.made_beside),
    Doubt("named content is missing", doubts_effects.told_back),
    Doubt("stated default is not kept", doubts_effects.worked_out_default),
    Doubt("stated default is not kept", doubts_effects.unset_default),
    Doubt("stated rule is not honoured", doubts_effects.exclusive),
    Doubt("stated rule is not honoured", doubts_effects.fixed_fields),
    Doubt("opens or edits what it would make", doubts_effects.appended),
    Doubt("opens or edits what it would make", doubts_effects.merged_parts),
    Doubt("many made as one", doubts_effects.rows_as_one),
    Doubt("stated rule is not honoured", doubts_effects.limited),
    Doubt("makes or changes", doubts_effects.set_by_making),
    Doubt("what happens is stored", doubts_effects.decided_by_flag),
    Doubt("generated or computed answer", doubts_effects.generated_thing),
    Doubt("nothing to search", doubts_searches.open_content),
    Doubt("nothing to search", doubts_searches.listed_fields),
    Doubt("named content is missing", doubts_searches.always_there),
    Doubt("named content is missing", doubts_searches.masked),
    Doubt("one of several modes", doubts_searches.modes),
    Doubt("stated rule is not honoured", doubts_searches.any_key),
    Doubt("named content is missing", doubts_searches.first_rows),
    Doubt("named content is missing", doubts_searches.wordless_log),
    Doubt("stated default is not kept", doubts_searches.since_then),
    Doubt("what is asked for was taken away", doubts_searches.of_no_one),
    Doubt("one thing read as a list", doubts_kinds.one_list),
    Doubt("one of several containers", doubts_kinds.either_container),
    Doubt("named content is missing", doubts_kinds.files_alone),
    Doubt("different things under one noun", doubts_kinds.offered),
    Doubt("description speaks of another thing", doubts_kinds.other_rows),
    Doubt("different things under one noun", doubts_kinds.two_things),
    Doubt("made without what it belongs to", doubts_kinds.made_of_nothing),
    Doubt("one thing kept in two tables", doubts_kinds.child_of_rows),
    Doubt("a name that is no key", doubts_kinds.named_within),
    Doubt("description speaks of another thing", doubts_kinds.named_other),
    Doubt("two values in one column", doubts_kinds.one_column),
    Doubt("named content is missing", doubts_searches.told_beside),
    Doubt("stated rule is not honoured", doubts_effects.repeated_removal),
    Doubt("stated rule is not honoured", doubts_effects.unique_value),
    Doubt("reference left free", doubts_effects.named_thing),
    Doubt("named content is missing", doubts_promises.word_by_word),
    Doubt("stated rule is not honoured", doubts_promises.of_one_action),
    Doubt("a name that is no key", doubts_promises.keyed_within),
    Doubt("named content is missing", doubts_promises.linked),
    Doubt("what is asked for was taken away", doubts_promises.in_no_place),
    Doubt("stated default is not kept", doubts_defaults.left_out),
    Doubt("stated default is not kept", doubts_defaults.worked_out),
    Doubt("stated default is not kept", doubts_defaults.from_now),
    Doubt("stated rule is not honoured", doubts_defaults.needed_by_action),
    Doubt("starts in another state", doubts_defaults.told_states),
    Doubt("a key with a fallback made required", doubts_defaults.default_needed),
    Doubt("picked by an order that is not modelled", doubts_defaults.unordered),
    Doubt("generated or computed answer", doubts_defaults.figures_written),
    Doubt("stated rule is not honoured", doubts_defaults.unique_name),
    Doubt("another key than the one taken", doubts_defaults.known_by_more),
    Doubt("made without what it belongs to", doubts_defaults.nowhere),
    Doubt("stated rule is not honoured", doubts_defaults.unchecked_token),
    Doubt("one parent in two columns", doubts_defaults.never_found),
    Doubt("stated rule is not honoured", doubts_defaults.other_keys),
    Doubt("stated rule is not honoured", doubts_defaults.one_needed),
    Doubt("stated rule is not honoured", doubts_defaults.other_form),
    Doubt("stated default is not kept", doubts_defaults.others_told),
    Doubt("stated rule is not honoured", doubts_defaults.cascade),
    Doubt("a qualifier that no record bears", doubts_defaults.active_alone),
    Doubt("search in other fields than those named", doubts_defaults.by_other_field),
    Doubt("statistic or report", doubts_untold.counts_matches),
    Doubt("nothing to search", doubts_untold.searches_contents),
    Doubt("generated or computed answer", doubts_untold.works_out),
    Doubt("stated rule is not honoured", doubts_untold.completed),
    Doubt("named content is missing", doubts_untold.pages_of_text),
    Doubt("stated default is not kept", doubts_untold.starts_at),
    Doubt("stated rule is not honoured", doubts_untold.takes_over),
    Doubt("reference left free", doubts_untold.free_between),
    Doubt("stated rule is not honoured", doubts_untold.left_behind),
    Doubt("what is asked for was taken away", doubts_untold.of_given),
    Doubt("another key than the one taken", doubts_untold.other_place),
    Doubt("named content is missing", doubts_untold.timeless_rows),
    Doubt("named content is missing", doubts_untold.rates_of_one),
    Doubt("opaque body", doubts_limits.guessed_body),
    Doubt("stated rule is not honoured", doubts_limits.whole_series),
    Doubt("another key than the one taken", doubts_limits.key_in_two_forms),
    Doubt("changes what lies inside", doubts_limits.merged_map),
    Doubt("named content is missing", doubts_limits.without_metadata),
    Doubt("different things under one noun", doubts_limits.of_two_products),
    Doubt("one relation in two columns", doubts_relations.both_ways),
    Doubt("one relation in two columns", doubts_relations.linked_elsewhere),
    Doubt("relation stored as a record", doubts_relations.shown_by_none),
    Doubt("two values in one column", doubts_relations.in_parts),
    Doubt("reference left free", doubts_relations.ids_of_items),
    Doubt("several values in one text", doubts_relations.map_as_text),
    Doubt("parameter taken for what it is not", misread_filters.required_misread),
    Doubt("what is asked for was taken away", misread_filters.lost_place),
    Doubt("one thing kept in two tables", doubts_lists.kept_elsewhere),
)


def doubt(meaning: Meaning, domain: Domain) -> Drop | None:
    """Return the drop of a meaning that a doubt speaks against, None if none does.

    A multiplexed tool is looked at as a whole and branch by branch.
    """
    if meaning.operation == "compute":
        return None
    for one in (meaning, *meaning.branches.values()):
        for each in DOUBTS:
            found = each.test(one, domain)
            if found:
                return Drop(meaning.tool.name, "meaning", each.reason, found)
    return None


def settled(decisions: list[Meaning | Drop], domain: Domain) -> list[Meaning | Drop]:
    """Return the decisions with a drop in place of every doubted meaning."""
    result: list[Meaning | Drop] = []
    for decision in decisions:
        if isinstance(decision, Meaning):
            doubts_parameters.trim(decision, domain)
            alternatives.settle(decision, domain)
            doubts_stated.narrow_aliases(decision, domain)
            needed_places.require(decision, domain)
            inner_references.attach(decision, domain)
        refused = doubt(decision, domain) if isinstance(decision, Meaning) else None
        result.append(refused or decision)
    twins = doubts_lists.twins([d for d in result if isinstance(d, Meaning)])
    return [
        Drop(d.tool.name, "meaning", "another list gives the same rows", twins[d.tool.name])
        if isinstance(d, Meaning) and d.tool.name in twins
        else d
        for d in result
    ]
