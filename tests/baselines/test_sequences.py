"""Sentences, tokens and labels, and back to spans: offsets survive whatever a model says."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.sequences import Lost, as_documents, flatten, spans_of, tag_sentences, untagged
from brat.model import Document, TextBound
from brat.write import write
from evaluator.tokens import sentences_of, split_long, split_sentences, split_tokens

texts = st.text(st.sampled_from("ab Z9.!?\n()-é𝛼,"), max_size=60)
labels = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])


def bound(label: str, *fragments: tuple[int, int]) -> TextBound:
    return TextBound("T1", label, fragments, "")


@given(texts, st.data())
@settings(max_examples=60)
def test_any_labels_give_spans_whose_text_is_the_documents(text: str, data: st.DataObject) -> None:
    documents = {"d": Document("d", (), text)}
    sentences = untagged(documents, longest=5)
    given_ = [data.draw(st.lists(labels, min_size=n, max_size=n)) for n in (len(each.sentence.tokens) for each in sentences)]
    run = as_documents(documents, sentences, given_)["d"]
    for each in run.text_bounds:
        (start, end) = each.fragments[0]
        assert each.text == text[start:end].replace("\n", " ")
        assert text[start:end].strip() == text[start:end] != ""
    assert len({each.id for each in run.text_bounds}) == len(list(run.text_bounds))


@given(texts)
@settings(max_examples=60)
def test_every_token_is_in_one_sentence(text: str) -> None:
    tokens = [token for each in sentences_of(text) for piece in split_long(each, 3) for token in piece.tokens]
    assert tokens == split_tokens(text)
    assert "".join(text[start:end] for start, end in tokens) == "".join(text.split())


@given(texts, st.data())
@settings(max_examples=60)
def test_spans_on_whole_tokens_come_back(text: str, data: st.DataObject) -> None:
    spans, taken = [], 0
    for sentence in sentences_of(text):
        tokens = sentence.tokens
        while taken < len(tokens):
            size = data.draw(st.integers(1, 3))
            if data.draw(st.booleans()):
                part = tokens[taken : taken + size]
                spans.append((data.draw(st.sampled_from(["X", "Y"])), (part[0][0], part[-1][1])))
            taken += size
        taken = 0
    document = Document("d", tuple(TextBound(f"T{i}", label, (span,)) for i, (label, span) in enumerate(spans)), text)
    tagged, lost = tag_sentences({"d": document})
    assert lost == Lost()
    assert [each for one in tagged for each in spans_of(one.labels, one.sentence.tokens)] == spans


def test_what_cannot_be_held_is_counted() -> None:
    text = "one two three. Four five"
    document = Document(
        "d",
        (
            bound("A", (0, 7)),  # longer than the next, which lies on it
            bound("B", (4, 7)),
            bound("C", (8, 9), (12, 13)),  # becomes `three`, from its first character to its last
            bound("D", (13, 19)),  # over the end of the sentence: `.` and `Four`
            bound("E", (20, 22)),  # a part of `five`
            bound("F", (3, 3)),  # nothing
        ),
        text,
    )
    tagged, lost = tag_sentences({"d": document})
    assert [each.labels for each in tagged] == [("B-A", "I-A", "B-C", "B-D"), ("B-D", "B-E")]
    assert lost == Lost(overlapping=1, filled=1, split=1, moved=1)
    assert str(lost) == (
        "1 overlapping spans left out, 1 discontinuous spans filled, 1 spans cut at the end of a sentence, "
        "1 spans stretched to whole tokens"
    )
    assert flatten(document, {"A"})[0][0].label == "B"


def test_text_columns_have_no_tabs_and_no_line_ends() -> None:
    text = "an\tacid\rof \x0bit"
    documents = {"d": Document("d", (), text)}
    sentences = untagged(documents)
    run = as_documents(documents, sentences, [["B-X", *["I-X"] * (len(each.sentence.tokens) - 1)] for each in sentences])["d"]
    assert [each.text for each in run.text_bounds] == ["an acid of  it"]
    assert write(run) == "T1\tX 0 14\tan acid of  it\n"


def test_many_spans_are_flattened_in_no_time() -> None:
    spans = tuple(TextBound(f"T{i}", "X", ((2 * i, 2 * i + 3),)) for i in range(50_000))
    kept, lost = flatten(Document("d", spans, "x" * 100_001))
    assert len(kept) + lost.overlapping == 50_000
    assert all(a.fragments[0][1] <= b.fragments[0][0] for a, b in pairwise(kept))


def test_sentences_end_where_they_do() -> None:
    text = "At 3.5 g of acid, e.g. HCl was added. It was stirred (cf. Fig. 2). J. Smith did it!\n\nYield: 4 %"
    assert [text[a:b] for a, b in split_sentences(text)] == [
        "At 3.5 g of acid, e.g. HCl was added.",
        "It was stirred (cf. Fig. 2).",
        "J. Smith did it!",
        "Yield: 4 %",
    ]
    assert split_sentences("  ") == []
