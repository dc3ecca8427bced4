"""Events: paired through the partners of their triggers and arguments, so that nothing is matched a second time.

The definitions are those of the BioNLP shared tasks (Kim et al., Overview of BioNLP'09 Shared Task on Event Extraction,
2009): a predicted event is right when a gold one has a label that agrees, its trigger is the partner, and its arguments are
the same, as often, in the same roles. An argument that is an event is compared by *approximate recursion*: its label
agrees, its trigger is the partner, and its `Theme` arguments are the same in the same sense; it is not asked for others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluator.event_tables import Events, EventTable
from evaluator.hierarchy import Hierarchy
from evaluator.matching import Partners
from evaluator.pairing import Columns, pair_rows
from evaluator.refinement import multisets, refine
from evaluator.scores import Part
from evaluator.tables import Flags, Ints, first_of_each

_THEME = "Theme"


@dataclass(frozen=True, slots=True)
class EventLooks:
    """What events and their arguments look like from the other side, as numbers that are the same on both.

    Attributes:
        events: both sides.
        partners: of the text-bound annotations.
        classes: [labels] which labels of events agree (`evaluator.pairing.label_classes`).
        counted: [labels] which labels are counted.
        trigger: [n_gold], [n_run] of the trigger.
        whole: [n_gold], [n_run] of all arguments together.
        argument: [arguments of gold], [arguments of the run] of what each argument leads to.
    """

    events: Events
    partners: Partners
    classes: Ints
    counted: Flags
    trigger: Columns
    whole: Columns
    argument: Columns


def compare_events(events: Events, partners: Partners, classes: Ints, *, counted: Flags) -> EventLooks:
    """See both sides through the partners of their text-bound annotations; events in a circle are compared too."""
    gold, run = events.gold, events.run
    count = len(gold) + len(run)
    trigger = np.concatenate([partners.gold[gold.trigger], partners.run[run.trigger]])
    owner = np.concatenate([gold.owner, len(gold) + run.owner])
    role, nested = np.concatenate([gold.role, run.role]), np.concatenate([gold.nested, run.nested])
    leads_to = np.concatenate(
        [_leads_to(gold, partners.gold, first_event=0), _leads_to(run, partners.run, first_event=len(gold))]
    )
    theme = role == (events.roles.index(_THEME) if _THEME in events.roles else -1)
    plain, inner = theme & ~nested, theme & nested
    _, block = first_of_each(
        classes[np.concatenate([gold.label, run.label])], trigger, multisets(owner[plain], leads_to[plain], count)
    )
    roughly = refine(block, owner[inner], role[inner], leads_to[inner])
    argument = 2 * leads_to  # even numbers for text-bound annotations, odd ones for events
    argument[nested] = 2 * roughly[leads_to[nested]] + 1
    whole = multisets(owner, role * (int(argument.max(initial=0)) + 1) + argument, count)
    return EventLooks(
        events,
        partners,
        classes,
        counted,
        trigger=_split(trigger, len(gold)),
        whole=_split(whole, len(gold)),
        argument=_split(argument, len(gold.owner)),
    )


def event_part(looks: EventLooks, hierarchy: Hierarchy) -> Part:
    """Whole events, by their labels; of those that look alike from the other side, as many pairs as both sides have."""
    gold, run = looks.events.gold, looks.events.run
    g, r = np.flatnonzero(looks.counted[gold.label]), np.flatnonzero(looks.counted[run.label])
    keys = [_at(looks.trigger, g, r), _at(looks.whole, g, r)]
    pairs_gold, pairs_run = pair_rows(keys, (gold.label[g], run.label[r]), looks.classes)
    return Part(
        labels=looks.events.labels,
        gold=gold.label[g],
        run=run.label[r],
        gold_row=gold.trigger[g],
        run_row=run.trigger[r],
        pairs_gold=pairs_gold,
        pairs_run=pairs_run,
        hierarchy=hierarchy,
    )


def argument_part(looks: EventLooks) -> Part:
    """The distinct (event label, trigger, role, target) whose trigger has a partner, by their roles."""
    gold, run = looks.events.gold, looks.events.run
    g = _distinct_arguments(gold, looks.counted[gold.label] & looks.partners.gold_found[gold.trigger])
    r = _distinct_arguments(run, looks.counted[run.label] & looks.partners.run_found[run.trigger])
    events = gold.owner[g], run.owner[r]
    keys = [_at(looks.trigger, *events), (gold.role[g], run.role[r]), _at(looks.argument, g, r)]
    pairs_gold, pairs_run = pair_rows(keys, (gold.label[events[0]], run.label[events[1]]), looks.classes)
    return Part(
        labels=looks.events.roles,
        gold=gold.role[g],
        run=run.role[r],
        gold_row=gold.trigger[events[0]],
        run_row=run.trigger[events[1]],
        pairs_gold=pairs_gold,
        pairs_run=pairs_run,
    )


def modification_part(looks: EventLooks) -> Part:
    """What is said of events that are right as a whole, and not of others: (event, label, value), by their labels."""
    gold, run = looks.events.gold, looks.events.run
    g = np.flatnonzero(looks.counted[gold.label[gold.modified]])
    r = np.flatnonzero(looks.counted[run.label[run.modified]])
    events = gold.modified[g], run.modified[r]
    keys = [
        _at(looks.trigger, *events),
        _at(looks.whole, *events),
        (gold.modification[g], run.modification[r]),
        (gold.value[g], run.value[r]),
    ]
    pairs_gold, pairs_run = pair_rows(keys, (gold.label[events[0]], run.label[events[1]]), looks.classes)
    return Part(
        labels=looks.events.modifications,
        gold=gold.modification[g],
        run=run.modification[r],
        gold_row=gold.trigger[events[0]],
        run_row=run.trigger[events[1]],
        pairs_gold=pairs_gold,
        pairs_run=pairs_run,
    )


def _leads_to(side: EventTable, partner: Ints, *, first_event: int) -> Ints:
    """[arguments] the number of a text-bound annotation's partner, or that of an event among those of both sides."""
    found = side.target + first_event
    found[~side.nested] = partner[side.target[~side.nested]]
    return found


def _distinct_arguments(side: EventTable, wanted: Flags) -> Ints:
    """Places of arguments, each once, of those events that are wanted."""
    place = np.flatnonzero(wanted[side.owner])
    owner = side.owner[place]
    once, _ = first_of_each(
        side.label[owner], side.trigger[owner], side.role[place], side.nested[place].astype(np.int64), side.target[place]
    )
    return place[once]


def _split(both: Ints, gold: int) -> Columns:
    return both[:gold], both[gold:]


def _at(columns: Columns, gold: Ints, run: Ints) -> Columns:
    return columns[0][gold], columns[1][run]
