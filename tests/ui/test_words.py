"""The pages about words: what Words, GSR and Gender swap say in sentences and tables, and texts of data as HTML."""

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.gsr_validity.direct import MEASURES, Reliability
from fairviz.analyses.gsr_validity.parity import Parity
from fairviz.comparison.family import How
from fairviz.errors import DataError
from fairviz.evaluation.settings import Settings
from fairviz.statistics.families import parse_tests
from fairviz.ui.gender_swap.cards import EDITORS, beginning, edit_marks, lists_html
from fairviz.ui.gsr import cards as gsr_cards
from fairviz.ui.gsr import validity, wording
from fairviz.ui.kit.side_by_side import marked_text
from fairviz.ui.words import cards, lists
from fairviz.words.counterparts import Counterparts, find_edits, packaged
from fairviz.words.genderedness import debias, gender_direction, vocabulary_mean
from fairviz.words.sentences import plain
from fairviz.words.vectors import load_embedding
from tests.conftest import refused
from tests.pages.conftest import first_run, html_of

NAN = float("nan")
HOSTILE = '<script>alert("her")</script><img src=x onerror=alert(1)>'


# --- Words


def test_words_are_read_however_they_are_separated_and_too_many_are_refused():
    assert lists.parse_words(" nurse, poet;welder\nnurse  roofer,") == ("nurse", "poet", "welder", "roofer")
    assert lists.parse_words(" , ") == ()
    with refused("201 words are more than the page can show\nGive 200 or fewer."):
        lists.parse_words(" ".join(f"w{place}" for place in range(201)))
    assert cards.typed_last((), ("nurse", "poet")) == "poet"
    assert cards.typed_last(("nurse", "poet"), ("nurse", "plumber", "poet")) == "plumber"
    assert cards.typed_last(("nurse", "poet"), ("nurse",)) == ""


def test_two_lists_are_shown_until_something_is_chosen_and_one_of_two_editions_is_named_and_its_slips_said():
    def chosen(**settings):
        return lists.chosen(Settings(**settings))

    assert [each.table for each in chosen()] == ["A.4", "A.7"]
    assert [(each.female, each.male) for each in chosen(words="nurse")] == [(("nurse",), ())]
    both = chosen(words="nurse", against="poet", word_lists=("science-arts",))
    assert [each.table for each in both] == ["own", "A.5"]
    twice = chosen(word_lists=("career-family-printed", "career-family", "jobs"))
    names = ["family (as printed)", "career (as printed)", "family (corrected)", "career (corrected)"]
    assert [name for _, name, _ in lists.single_lists_of(twice)] == [*names, "jobs_f", "jobs_m"]
    for name in ("agency-communion", "agency-communion-printed"):
        assert lists.slips(chosen(word_lists=(name,))) == "A.4: The paper prints 'corageous'."
    assert lists.slips(chosen(word_lists=("jobs",))) == ""


def test_a_table_of_words_with_what_debiasing_leaves():
    direction = gender_direction(load_embedding("glove"))
    chosen = lists.chosen(Settings(words="nurse woman qqzzx"))
    plain_table = lists.word_table(direction, "none", chosen)
    assert plain_table["word"].tolist() == ["nurse", "woman", "qqzzx"]
    assert np.allclose(plain_table["g"][:2], direction.of(["nurse", "woman"]))
    assert (plain_table["ci_low"] <= plain_table["g"]).sum() == 2
    assert plain_table.loc[2, ["g", "ci_low", "before", "from_mean"]].isna().all()
    assert np.allclose((plain_table["g"] - plain_table["from_mean"])[:2], vocabulary_mean(direction))
    for kind, woman in (("regular", True), ("strong", False)):
        table = lists.word_table(direction, kind, chosen)
        assert table["before"].equals(plain_table["g"])
        assert abs(table["g"][0]) < 1e-5
        assert (abs(table["g"][1]) > 0.1) == woman
        assert table["ci_low"].isna().all()
    under = lists.debiased(direction, "strong")
    assert under.vector is direction.vector, "the same line over debiased vectors"
    assert under.embedding is debias(direction.embedding, "strong", direction)
    assert lists.debiased(direction, "none").embedding is direction.embedding


def test_p_is_readable_and_never_0_and_words_without_a_vector_are_listed_once():
    texts = [cards.p_text(p) for p in (0.0216, 0.0018, 5.5e-4, 1.2e-12, 1.0, NAN)]
    assert texts == ["0.022", "0.0018", "5.5 × 10⁻⁴", "1.2 × 10⁻¹²", "1", "undefined"]
    table = pd.DataFrame({"word": ["a", "b", "b"], "before": [0.1, NAN, NAN]})
    assert cards.missing_text(table) == "Without a vector, and so without a genderedness: b."
    assert cards.missing_text(table[:1]) == ""


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ((0.26, 0.36, 0.1, 0.41), "none", "leans female (+0.36 [+0.10, +0.41] from the average word; g = +0.26)."),
        ((-0.05, 0.05, 0.01, 0.09), "none", "leans female (+0.05 [+0.01, +0.09] from the average word; g = −0.05)."),
        ((-0.3, -0.2, -0.4, -0.1), "none", "leans male (−0.20 [−0.40, −0.10] from the average word; g = −0.30)."),
        ((-0.11, -0.01, -0.2, 0.1), "none",
         "has no certain direction (−0.01 [−0.20, +0.10] from the average word; g = −0.11)."),
        ((0.26, 0.36, NAN, NAN), "none", "leans female (+0.36 from the average word; g = +0.26)."),
        ((NAN, NAN, NAN, NAN), "none", "has no vector, and so no genderedness."),
        ((0.3, 0.4, NAN, NAN), "regular",
         "leans female after regular debiasing (+0.40 from the average word; g = +0.30)."),
        ((1e-8, 1e-8, NAN, NAN), "strong",
         "is in the middle after strong debiasing (0.00 from the average word; g = 0.00)."),
    ],
)  # fmt: skip
def test_a_word_leans_from_the_average_word(values, kind, expected):
    assert plain(cards.verdict("nurse", *values, kind)) == f"nurse {expected}"


# --- GSR: how it counts, and what debiasing does


def test_what_differs_from_the_paper_is_told_and_a_file_becomes_its_stop_words() -> None:
    as_printed = {"query_terms": "exact", "list_weights": "equation", "stop_words": ""}
    for changed, told in (
        ({}, []),
        ({"list_weights": "code", "stop_words": "The"}, ["the code's weights", "1 stop word from a file"]),
        ({"query_terms": "lemma", "stop_words": "the of"}, ["lemmas", "2 stop words from a file"]),
    ):
        assert gsr_cards.differences({**as_printed, **changed}) == told
    assert gsr_cards.stop_words_text("../stop.txt", b" the\nOf\n") == "the of"
    with refused("stop.txt:1: expected 1 word, found 2: 'the of'\nWrite one word a line, and nothing else.", DataError):
        gsr_cards.stop_words_text("stop.txt", b"the of\n")


def test_what_debiasing_does_stands_beside_effectiveness_and_in_a_sentence():
    rows = [("perfect", "perfect", ""), ("w2v_add", "w2v_add", "none")]
    rows += [(f"w2v_add-debias={kind}", "w2v_add", kind) for kind in ("regular", "strong")]
    ranked = pd.DataFrame(rows, columns=["system", "ranker", "debias"]).assign(**dict.fromkeys(MEASURES, 0.5))
    slopes = pd.DataFrame({"system": ["perfect", "w2v_add", "w2v_add · regular"], "slope": [0.2, 0.4, 0.3]})
    names = {"perfect": "perfect", "w2v_add": "w2v_add", "w2v_add-debias=regular": "w2v_add · regular"}
    assert gsr_cards.system_names(ranked, "regular") == names
    table = gsr_cards.before_and_after(slopes, ranked, "regular")
    assert table["system"].tolist() == [*names.values()]
    assert table["GSR"].tolist() == [0.2, 0.4, 0.3]
    assert np.allclose(table["change"], [NAN, NAN, -0.25], equal_nan=True)  # a number, so that it sorts as one
    assert [gsr_cards.change_text(value) for value in table["change"]] == ["", "", "−25 %"]
    assert list(table.columns) == ["system", "GSR", "change", *MEASURES]
    both = pd.concat([slopes, pd.DataFrame({"system": ["w2v_si", "w2v_si · regular"], "slope": [0.2, 0.3]})])
    assert plain(gsr_cards.debiasing_finding(both, "regular")) == (
        "Regular debiasing takes w2v_add from 0.40 to 0.30 (−25 %) and w2v_si from 0.20 to 0.30 (+50 %)."
    )
    assert plain(gsr_cards.debiasing_finding(slopes, "regular")).endswith("w2v_add from 0.40 to 0.30 (−25 %).")
    assert gsr_cards.debiasing_finding(slopes, "none") == ()
    assert gsr_cards.debiasing_finding(slopes.assign(slope=NAN), "regular") == ()


# --- GSR: how far it can be trusted

CALLED = ("glove", "mine.bin")
QUERIES = pd.DataFrame({"query_id": ["q1", "q2"], "first": [0.1, NAN], "second": [0.2, 0.3]})
SYSTEMS = pd.DataFrame({"system": ["one", "two"], "first": [0.3, 0.2], "second": [0.1, 0.4]})


def test_agreement_of_vectors_is_what_its_interval_allows_with_the_order_of_systems():
    def told(r=0.5, interval=(0.2, 0.7), systems=SYSTEMS):
        return plain(validity.reliability(Reliability(QUERIES, r, 0.01, systems, NAN, NAN, interval), CALLED))

    assert told() == (
        "glove and mine.bin agree on 1 query: Pearson's r 0.50, 95 % interval 0.20 to 0.70. "
        "The highest GSR has one by the first, two by the second."
    )
    assert "do not clearly agree on 1 query: Pearson's r 0.10, 95 % interval −0.20 to 0.40." in told(0.1, (-0.2, 0.4))
    assert "contradict each other on 1 query: Pearson's r −0.50" in told(-0.5, (-0.7, -0.2))
    assert "have no tested agreement on 1 query: Pearson's r 0.90. " in told(0.9, (NAN, NAN))
    assert told(systems=SYSTEMS.assign(second=[0.5, 0.4])).endswith(" By both one has the highest GSR.")
    assert told(systems=SYSTEMS[:1]).endswith("0.20 to 0.70.")
    assert told(NAN).endswith("cannot be compared: fewer than three common queries, or one never varies.")

    def order(rho, p):
        return validity.spearman(Reliability(QUERIES, 0.5, 0.01, SYSTEMS, rho, p, (0.2, 0.7)))

    assert order(NAN, NAN) == "An order of systems needs 3 with different slopes by both; here are 2."
    assert order(0.95, 0.0004).startswith("Order of 2 systems: Spearman's ρ 0.95, p < .001. Slopes by different vec")
    assert "ρ −0.50, p = .017." in order(-0.5, 0.0167)


def test_tables_name_the_vectors_by_their_folder_only_if_both_are_called_so():
    assert validity.names("glove", "/data/mine.bin") == CALLED
    assert validity.names("/a/mine.bin", "/b/mine.bin") == ("/a/mine.bin", "/b/mine.bin")
    table = validity.queries_table(QUERIES, {"q1": "who"}, CALLED)
    assert list(table.columns) == ["query_id", "text", "glove", "mine.bin"]
    assert table.loc[0].tolist() == ["q1", "who", 0.1, 0.2]
    systems = SYSTEMS.assign(first_low=[0.2, NAN], first_high=[0.4, NAN], second_low=0.0, second_high=0.5)
    systems.loc[1, "first"] = NAN
    shown = validity.systems_table(systems, CALLED)
    assert list(shown.columns[1:4]) == ["glove", "glove from", "glove to"]
    assert np.allclose(shown[["glove", "glove from", "glove to"]], [[0.3, 0.2, 0.4], [NAN] * 3], equal_nan=True)
    assert shown["mine.bin"].tolist() == [0.1, 0.4]


def leanings(female, male):
    rows = [("one", leaning, "female", *values) for leaning, values in (("female", female), ("male", male))]
    rows += [("one", leaning, "male", 0, 9, 0.0, 0.0, 0.1) for leaning in ("female", "male")]
    return pd.DataFrame(rows, columns=["system", "leaning", "over", "count", "queries", "share", "ci_low", "ci_high"])


def test_direct_stereotypes_are_what_a_test_allows():
    for male, verdict in (
        ((1, 10, 0.1, 0.02, 0.4), "it follows the stereotype (Fisher's exact test, p = .017)"),
        ((5, 10, 0.5, 0.3, 0.7), "the two shares are not significantly different (Fisher's exact test, p = .705)"),
        ((10, 10, 1.0, 0.9, 1.0), "it goes against the stereotype (Fisher's exact test, p = .029)"),
    ):
        told = plain(validity.direct(leanings((12, 20, 0.6, 0.45, 0.8), male), "one"))
        assert told.startswith(
            "one over-represents female documents for 60 % (45 % to 80 %) of the 20 queries that lean female, and for "
        )
        assert told.endswith(f" of the 10 that lean male: {verdict}.")
    one_sided = leanings((1, 2, 0.5, 0.1, 0.9), (0, 0, NAN, NAN, NAN))
    for system in ("one", "two"):
        assert plain(validity.direct(one_sided, system)) == (
            "There are no queries on both sides of the vocabulary's mean."
        )


def test_parity_says_over_what():
    sample = pd.DataFrame({"gsr": [0.1, -0.2, 0.7], "stereotypical": [0.5, 0.5, 0.9]})
    found = Parity(0.849, 9, ("nurse", "maid"), ("driver",), sample)
    assert plain(validity.parity(found)) == (
        "On the paper's toy data GSR follows the share of stereotypical documents (r = 0.85 over 9 answers; paper "
        "0.92)."
    )
    note = validity.parity_note(found)
    assert "3^2 answers. r is exact over all of them. The figure shows 3, drawn at random with a fixed seed." in note
    assert "At equal shares GSR still runs from −0.20 to 0.10. Without a vector: driver." in note
    never = Parity(NAN, 1, (), (), sample[:0])
    assert plain(validity.parity(never)).startswith("With these vectors, GSR or the share")
    assert "equal shares" not in validity.parity_note(never)


# --- GSR: the finding

LIST = ["system", "query_id", "query", "list"]
NO_POINTS = pd.DataFrame(columns=LIST).astype({"system": "str", "query": "f8", "list": "f8"})


def lines(**slopes):
    """A row a system: its slope, and the ends of its interval."""
    rows = [(name, *values) for name, values in slopes.items()]
    return pd.DataFrame(rows, columns=["system", "slope", "ci_low", "ci_high"])


def curves(**slopes):
    rows = [(system, number, slope) for system, row in slopes.items() for number, slope in enumerate(row)]
    return pd.DataFrame(rows, columns=["system", "left_out", "slope"])


def told(table, curve=None, left_out=0, shown=None, points=NO_POINTS, how=How()):  # noqa: B008
    curve = curves(**{row.system: [row.slope] for row in table.itertuples()}) if curve is None else curve
    return plain(wording.finding(table, points, curve, shown or tuple(table["system"]), left_out, how))


def points(*, noise=0.0, **slopes):
    """Ten queries; each system's list lies on its line, odd and even queries off it by the noise times its place."""
    rows = [
        (system, f"q{n}", n / 10, slope * n / 10 + noise * place * (-1) ** n)
        for place, (system, slope) in enumerate(slopes.items())
        for n in range(10)
    ]
    return pd.DataFrame(rows, columns=LIST)


def test_a_slope_is_called_the_most_only_where_it_is_significantly_higher_than_all_others():
    table = lines(a=(0.3, 0.2, 0.4), b=(0.1, 0.05, 0.25), random=(0.4, 0.1, 0.6))
    assert told(table, points=points(a=0.3, b=0.1, random=0.4, noise=0.001)) == (
        "Slope of the line = GSR. a reinforces most: slope 0.30. There is no slope of relevant documents to set it "
        "against. It is significantly different from the other system (p = .002; 1 pair, maxT)."
    )
    table = lines(a=(0.3, 0.2, 0.4), b=(0.29, 0.05, 0.25), c=(0.1, 0.05, 0.15))
    text = told(table, points=points(a=0.3, b=0.29, c=0.1, noise=0.02))
    assert "a has the highest slope: 0.30. " in text
    assert text.endswith(" It is not significantly different from b (all 3 pairs, maxT).")


def test_a_draft_is_in_no_sentence_and_a_baseline_named_beforehand_alone_is_tested():
    table = lines(a=(0.3, 0.2, 0.4), b=(0.1, 0.05, 0.25), c=(0.05, 0.01, 0.1), mine=(0.4, 0.3, 0.5))
    slopes = {"a": 0.3, "b": 0.1, "c": 0.05}

    def of(*tests, **named):
        how = How(*map(parse_tests, tests), outside=("mine",), **named)
        return told(table, points=points(**slopes, mine=0.4, noise=0.001), how=how)

    assert of() == told(table[:3], points=points(**slopes, noise=0.001))
    assert "a reinforces most: slope 0.30. " in of()
    assert "mine reinforces most: slope 0.40. " in of(ticked=("mine",))
    against = of("maxT(baseline='b')")
    assert "a has the highest slope: 0.30" in against
    assert "It is significantly different from b (p" in against
    gone = of("maxT(baseline='gone')")
    assert gone.endswith(" No difference of slopes is tested: the baseline of the tests, gone, is not shown.")


def test_the_steepest_system_is_set_against_the_relevant_documents():
    table = lines(bm25=(0.1, 0.05, 0.15), w2v=(0.3, 0.2, 0.4), perfect=(0.12, 0.1, 0.14))
    curve = curves(bm25=[0.1] * 6, w2v=[0.3, 0.3, 0.3, 0.3, 0.3, 0.25], perfect=[0.12] * 5 + [0.1])
    assert told(table, curve).endswith(
        "w2v has the highest slope: 0.30, 2.5 times that of the relevant documents themselves (dashed); without the "
        "five queries that are most gendered, 2.5 times."
    )
    of_shown = told(table, shown=("bm25",))
    assert "bm25 is the only system: slope 0.10, 0.8 times" in of_shown, "the hidden perfect one is spoken of"
    assert "times" not in told(lines(w2v=(0.3, 0.2, 0.4), perfect=(0.01, -0.1, 0.12)))
    assert told(lines(perfect=(0.2, 0.1, 0.3))) == told(lines(w2v=(NAN, NAN, NAN))) == wording.NOTHING


def test_without_a_perfect_system_slopes_are_told_as_they_are():
    table = lines(bm25=(0.1, -0.05, 0.25), qlm=(0.05, 0.0, 0.1))
    assert told(table, curves(bm25=[0.1, 0.05, 0.04], qlm=[0.05] * 3)).endswith(
        "bm25 has the highest slope: 0.10; without the 2 queries that are most gendered, 0.04. There is no slope of "
        "relevant documents to set it against. Its interval holds 0."
    )
    table = lines(w2v=(0.2, 0.1, 0.3), qlm=(0.1, 0.05, 0.15))
    left_out = told(table, curves(w2v=[0.3, 0.2], qlm=[0.1, 0.1]), 1)
    assert "w2v has the highest slope: 0.20 without the most gendered query; with all, 0.30. There" in left_out
    assert "w2v is the only system: slope 0.30" in told(lines(w2v=(0.3, 0.2, 0.4)))
    below_0 = (-0.3, -0.4, -0.2)
    assert "w2v does not reinforce: slope −0.30" in told(lines(w2v=below_0))
    two = told(lines(w2v=below_0, qlm=(-0.4, -0.5, -0.35)))
    assert "w2v has the highest slope, and does not reinforce: slope −0.30" in two


def test_what_a_query_does_to_the_slope():
    rows = [("a", "q1", 0.25, -0.05), ("a", "q2", 0.31, 0.01), ("a", "q3", NAN, NAN), ("b", "q1", 0.1, 0.5)]
    held = pd.DataFrame(rows, columns=["system", "query_id", "without", "change"])
    text = wording.query_influence(held, "a", "q2")
    assert text == "Without it the slope would be 0.310 instead of 0.300 (2nd of 3 queries by influence)."
    assert wording.query_influence(held, "a", "q3") == wording.query_influence(held, "a", "elsewhere") == ""
    assert wording.most_influential(held, "a") == "q1"
    assert wording.most_influential(held, "nobody") == ""
    ordinals = [wording._ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
    assert ordinals == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]
    assert [wording.number(value) for value in (-0.456, NAN)] == ["−0.46", "undefined"]
    assert [wording.interval(low, 0.2) for low in (-0.1, NAN)] == ["−0.10 to 0.20", ""]


# --- Gender swap: pairs that a reader changes, and two lists and two texts as HTML, of which nothing runs

PAIRS = Counterparts((("her", "him"), ("woman", "<b>man</b>")), ())


def test_own_pairs_and_back_to_the_packaged_ones() -> None:
    assert EDITORS["words"].in_file("../own.csv", b"female,male\nshe,he\n") == (("she", "he"),)
    expected = "own.csv:1: expected 2 columns, found 1: 'she'\nWrite a line as: female,male, such as: she,he."
    with refused(expected, DataError):
        EDITORS["words"].in_file("own.csv", b"she\n")
    page = first_run("gender_swap.py", study="football", counterfactual_words="he-xe")
    assert "Xe" in html_of(page)
    button = next(each for each in page.button if each.label == "The packaged ones" and not each.disabled)
    button.click().run()
    assert "Xe" not in html_of(page)
    assert "She" in html_of(page)
    assert all(each.disabled for each in page.button if each.label == "The packaged ones")
    assert EDITORS["names"].usual() == packaged().names


def test_changed_words_are_marked_before_and_after_and_texts_and_pairs_of_data_are_no_markup() -> None:
    def shown(text: str) -> list[str]:
        return [marked_text(text, edit_marks(text, find_edits(text, PAIRS), after)) for after in (False, True)]

    before, after = shown("I saw her & Ann.")
    assert before.startswith("I saw <mark ")
    assert before.endswith('title="him">her</mark> &amp; Ann.')
    assert after.endswith('title="her">him</mark> &amp; Ann.')
    for text in (*shown(HOSTILE), *shown(f"A woman. {HOSTILE}")):
        assert not any(tag in text for tag in ("<script", "<img", "<b>man"))
        assert "<mark " in text
    assert beginning(["A title", "a text"]) == "A title a text"
    assert beginning(["word " * 40]).endswith("word …")


def test_lists_side_by_side() -> None:
    html = lists_html([["a", "b", "c"], ["b", "a", "d"]], [{"a": "Her", "b": HOSTILE}, {"a": "His"}], 3)
    rows = html.split("<tr>")[2:]
    assert "<script" not in html
    assert "<img" not in html
    assert all(part in rows[0] for part in ("<b>a</b> <span data-document>Her</span>", ">↑1</td>"))
    assert all(part in rows[1] for part in ("<b>a</b> <span data-document>His</span>", ">↓1</td>"))
    assert ">✳</td>" in rows[2]
    assert lists_html([["a"], []], [{}, {}], 3).count("no document") == 1
    assert lists_html([["a", "b"], ["a", "b"]], [{}, {}], 1).count("<tr>") == 2
    assert lists_html([[], []], [{}, {}], 3) == (
        '<div class="fv-quiet">Neither list holds a document for this query.</div>'
    )
