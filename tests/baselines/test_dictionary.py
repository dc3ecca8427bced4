"""The memoriser."""

from __future__ import annotations

from baselines.dictionary import Dictionary, Settings, predict, train
from baselines.protocol import Corpus, Quiet
from brat.model import Document, TextBound


def document(text: str, *bounds: tuple[str, int, int]) -> Document:
    given = (TextBound(f"T{n}", label, ((start, end),), text[start:end]) for n, (label, start, end) in enumerate(bounds))
    return Document("d", tuple(given), text)


def trained(given: Document, *triggers: str) -> Dictionary:
    return train(Corpus({"d": given}, triggers=frozenset(triggers)), Settings(), Quiet())


def test_it_tags_what_it_has_seen_and_the_longest_first() -> None:
    model = trained(document("acid red and red ink", ("A", 0, 8), ("B", 13, 16), ("C", 13, 20)))
    # `red` is B once; inside `acid red` it is part of an entity and counts for nothing.
    assert model.labels == {"acid red": "A", "red": "B", "red ink": "C"}
    run = predict(model, {"x": Document("x", (), "red ink, acid\n red, reds and red")}, Quiet())["x"]
    assert [(each.label, each.fragments, each.text) for each in run.text_bounds] == [
        ("C", ((0, 7),), "red ink"),
        ("A", ((9, 18),), "acid  red"),
        ("B", ((29, 32),), "red"),
    ]


def test_it_leaves_what_is_mostly_no_entity() -> None:
    once = document("lead to lead, lead on", ("A", 0, 4))
    assert trained(once).labels == {}
    assert trained(document("lead to lead", ("A", 0, 4))).labels == {"lead": "A"}, "half and half is enough"
    assert trained(once, "A").labels == {}
    assert predict(Dictionary({}), {"x": Document("x", (), "anything")}, Quiet())["x"].annotations == ()
