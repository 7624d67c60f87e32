"""The measure grammar: what can be written, its canonical text, and the exact words for what cannot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.measures import MEASURES, parse, unfairness
from tests.conftest import refused

CANONICAL = {
    " CWEx ( alpha = 0.50 ) @ 10 ": "CWEx(alpha=0.5)@10",
    'RaB(magnitude="tc")@7': "RaB(magnitude='tc')@7",
    "AWRF()@3": "AWRF@3",
    "AWRF(distance='l1')@3": "AWRF@3",
    "CWEx@10": "CWEx(alpha=0.5)@10",
    "CWEx(alpha=1.0)@10": "CWEx(alpha=1)@10",
    "CWEx(alpha=-0.0)@10": "CWEx(alpha=0)@10",
    "TExFAIR(rbdf=True)@10": "TExFAIR@10",
    "NFaiRR(background='candidates',tau=1)@10": "NFaiRR(tau=1)@10",
    "NFaiRR(background='collection',tau=0.0)@10": "NFaiRR(tau=0,background='collection')@10",
    "GSR(depth='cutoff')@10": "GSR@10",
    "GSR(depth='relevant')@10": "GSR(depth='relevant')",
    "GSR(weights='code', query_terms='lemma')": "GSR(query_terms='lemma',weights='code')@20",
    "GSR(stop_words='own',weights='equation')@5": "GSR(stop_words='own')@5",
    "nDCG(dcg='log2')@10": "nDCG@10",
    "P(judged_only=True,rel=2)@5": "P(rel=2,judged_only=True)@5",
    "P(rel=1)@5": "P@5",
    "AP": "AP@20",
    "TExFAIR": "TExFAIR@20",
    **{text: text for text in (
        "CWEx(alpha=0.5)@10", "TExFAIR(rbdf=False)@10", "Exposure(group='non-binary')@10",
        "NFaiRR(tau=1,background='run:BM25')@10", "nDCG@10", "nDCG(dcg='exp-log2')@10", "Rprec", "P(rel=2)@5",
    )},
}  # fmt: skip


def test_canonical_text() -> None:
    for text, canonical in CANONICAL.items():
        assert parse(text, cutoff=20).text == parse(canonical).text == canonical


def test_a_question_is_known_by_its_text_its_own_cutoff_and_what_was_chosen() -> None:
    question = parse("NFaiRR@3", cutoff=20)
    assert question.cutoff == 3
    assert question.parameters == {"of": "words", "tau": 1, "background": "candidates"}
    assert (question.family, question.direction) == ("words", "higher")
    assert parse("RR", cutoff=5).family == "effectiveness"
    assert parse("CWEx", 10, {"alpha": 0.7, "tau": 2}).text == "CWEx(alpha=0.7)@10"
    assert parse("CWEx(alpha=0.2)", 10, {"alpha": 0.7}).text == "CWEx(alpha=0.2)@10"
    assert parse("CWEx", 10, {"alpha": 0.5}).text == "CWEx(alpha=0.5)@10"
    assert parse("NFaiRR", 10, {"background": "run:a"}).text == "NFaiRR(tau=1,background='run:a')@10"
    assert parse("GSR", 10, {"depth": "relevant"}).text == "GSR(depth='relevant')"
    assert parse("GSR(depth='cutoff')@10", 20, {"depth": "relevant"}).text == "GSR(depth='cutoff')@10"
    one, other = parse("CWEx", 10, {"alpha": 0.7}), parse(" CWEx(alpha=0.70)@10 ")
    assert one == other
    assert {one: "found"}[other] == "found"
    assert one != parse("CWEx@10")
    assert len({parse("nDCG@10"), parse("nDCG", 10), parse("nDCG@5")}) == 2


def test_a_question_with_other_values_is_that_of_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, values, expected in (
        ("CWEx@10", {"alpha": 0.1234567}, "CWEx(alpha=0.1234567)@10"),
        ("CWEx(alpha=0.1)@10", {"alpha": 1.0}, "CWEx(alpha=1)@10"),
        ("CWEx(alpha=0.1)@10", {"cutoff": 3}, "CWEx(alpha=0.1)@3"),
        ("NFaiRR(tau=2,background='run:a@3')@10", {"cutoff": 5}, "NFaiRR(tau=2,background='run:a@3')@5"),
        ("TExFAIR@10", {"rbdf": False}, "TExFAIR(rbdf=False)@10"),
        ("GSR(depth='relevant')", {"weights": "code"}, "GSR(depth='relevant',weights='code')"),
        ("nDCG(dcg='exp-log2')@10", {"cutoff": 5}, "nDCG(dcg='exp-log2')@5"),
        ("P(rel=2)@5", {"cutoff": 7}, "P(rel=2)@7"),
    ):
        question, same = parse(text), parse(expected)
        with monkeypatch.context() as patch:
            patch.delattr("fairviz.measures.grammar.parse_arguments")
            changed = question.changed(**values)
        assert changed == same
        assert {**changed.parameters, "measure": None} == {**same.parameters, "measure": None}
        assert (changed.cutoff, changed.written) == (same.cutoff, same.written)
        assert str(changed.parameters.get("measure")) == str(same.parameters.get("measure"))


VALUES = {
    "number": st.sampled_from([0, 0.0, 0.25, 0.5, 1, 1.0]),
    "integer": st.sampled_from([0, 1, 1.0, 2]),
    "flag": st.booleans(),
    "group": st.sampled_from(["neutral", "female", "a 'b', (c)@5"]),
    "background": st.sampled_from(["candidates", "collection", "run:bm25"]),
    "sets": st.sampled_from(["", "h_index", "h_index+origin"]),
}


@given(st.data())
def test_one_question_has_one_text(data: st.DataObject) -> None:
    """However its parameters are ordered and whether defaults are given; and it can be read again."""
    measure = MEASURES[data.draw(st.sampled_from(sorted(MEASURES)))]
    known = {each.name: each for each in measure.parameters}
    names = data.draw(st.permutations(sorted(known)))
    values = {name: data.draw(VALUES.get(known[name].kind, st.sampled_from(known[name].choices))) for name in names}
    names = [name for name in names if name in {each.name for each in measure.form(values).parameters}]
    values = {name: values[name] for name in names}
    chosen = {
        "alpha": data.draw(VALUES["number"]),
        "tau": data.draw(VALUES["integer"]),
        "background": data.draw(VALUES["background"]),
        "depth": data.draw(st.sampled_from(["relevant", "cutoff"])),
    }
    everything = f"{measure.name}({', '.join(f'{name}={values[name]!r}' for name in names)})@7"
    told = {name: value for name, value in values.items() if value != chosen.get(name, known[name].default)}
    short = f"{measure.name}({','.join(f'{name}={value!r}' for name, value in told.items())})@7"
    one, two = parse(everything, 3, chosen), parse(short, 3, chosen)
    again = parse(one.text, 3, chosen)
    assert one.text == two.text == again.text
    assert one.parameters == two.parameters == again.parameters == values
    assert one.cutoff == two.cutoff == again.cutoff


KNOWN = f"Use one of {', '.join(MEASURES)}, or an effectiveness measure such as nDCG@10, RR@10, AP or P@5."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((f"{name}@{cutoff}",
           f"the cutoff of '{name}@{cutoff}' is '{cutoff}'\nUse a whole number from 1 to 100,000, as in nDCG@10.")
          for name, cutoff in (("nDCG", "0"), ("nDCG", "-1"), ("CWEx", "1.5"), ("CWEx", "ten"), ("P", "9" * 30))),
        ("CWEx(alpha=2)@10", "alpha in 'CWEx(alpha=2)@10' is 2\nUse a number from 0 to 1."),
        ("CWEx(alpha='a')@10", "alpha in \"CWEx(alpha='a')@10\" is 'a'\nUse a number from 0 to 1."),
        ("NFaiRR(tau=1.5)@10", "tau in 'NFaiRR(tau=1.5)@10' is 1.5\nUse a whole number from 0 to 1,000,000."),
        ("TExFAIR(rbdf=1)@10", "rbdf in 'TExFAIR(rbdf=1)@10' is 1\nUse True or False."),
        ("RaB(magnitude='log')@10",
         "magnitude in \"RaB(magnitude='log')@10\" is 'log'\nUse one of 'tf', 'tc', 'bool'."),
        *((f"GSR({name}='all')@5", f"{name} in \"GSR({name}='all')@5\" is 'all'\nUse one of {choices}.")
          for name, choices in (("depth", "'cutoff', 'relevant'"), ("weights", "'equation', 'code'"),
                                ("query_terms", "'exact', 'lemma'"), ("stop_words", "'built-in', 'own'"))),
        ("CWEx(beta=1)@10", "CWEx has no parameter 'beta' (in 'CWEx(beta=1)@10')\nLeave it out: it takes alpha."),
        ("RBDF(tau=1)@10", "RBDF has no parameter 'tau' (in 'RBDF(tau=1)@10')\nLeave it out: it takes none."),
        ("@10", "cannot read the measure '@10'\nWrite it as CWEx(alpha=0.5)@10 or nDCG@10."),
        ("", "cannot read the measure ''\nWrite it as CWEx(alpha=0.5)@10 or nDCG@10."),
        ("NFair@10", f"unknown measure 'NFair' in 'NFair@10'\nDid you mean NFaiRR? {KNOWN}"),
        ("Qyxwv", f"unknown measure 'Qyxwv'\n{KNOWN}"),
        ("P(rel=0)@5", "rel of P is 0\nUse a whole number from 1 to 2,147,483,647."),
        ("P(colour='red')@5", "P has no parameter 'colour'\nIt takes judged_only, rel, and a cutoff as in P@10."),
        *((text, f"cannot read the parameters of {text!r}\n"
           "Write name=value, each name once, text in quotes: Exposure(group='female')@10.")
          for text in ("CWEx(0.5)@10", "Exposure(group=a b)@10", "CWEx(alpha=0.1)(alpha=0.9)@10",
                       "CWEx(alpha=0.1,alpha=0.9)@10", "CWEx(**{'alpha': 0.1})@10", "CWEx(alpha={[]: 1})@10",
                       "CWEx(alpha={{}})@10", "CWEx(alpha='\\d')@10", "CWEx(alpha=1if 1else 2)@10",
                       "CWEx(alpha=" + "9" * 900 + "9**9)@10", "CWEx(alpha=" + "[" * 400 + "]" * 400 + ")@10",
                       "CWEx(alpha=" + "(" * 900 + ")@10", "CWEx(alpha=" + "-" * 900 + "1j)@10",
                       "CWEx(alpha='\0')@10", "Exposure(group='\udc80')@10")),
        ("INST(max_rel=1)",
         "INST is not computed: it comes from the package cwl-eval, which is not part of fairviz\n"
         "Use nDCG, RR, AP, P, R or Success."),
    ],
)  # fmt: skip
def test_what_cannot_be_read(text: str, message: str) -> None:
    with refused(message, UsageError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CWEx" + " " * 2000, f"a measure of 2,004 letters, which begins {'CWEx' + ' ' * 26!r}"),
        (f"CWEx(alpha=0x{'f' * 5000})@10", f"a measure of 5,017 letters, which begins 'CWEx(alpha=0x{'f' * 17}'"),
        ("nDCG@" + "9" * 100_000, "a measure of 100,005 letters, which begins 'nDCG@9999999999999999999999999'"),
        ("(" * 100_000, f"a measure of 100,000 letters, which begins {'(' * 30!r}"),
        ("nDCG\0@10", "cannot read the measure 'nDCG\\x00@10'"),
        ("\ud800@10", "cannot read the measure '\\ud800@10'"),
        ("nDCG@10 @10", "cannot read the measure 'nDCG@10 @10'"),
        ("nDCG@", "cannot read the measure 'nDCG@'"),
        ("nDCG)", "cannot read the measure 'nDCG)'"),
        ("nDCG(", "cannot read the measure 'nDCG('"),
        ("CWEx@999999999", "the cutoff of 'CWEx@999999999' is '999999999'"),
        ("CWEx@100001", "the cutoff of 'CWEx@100001' is '100001'"),
        ("NFaiRR(tau=1e400)@5", "tau in 'NFaiRR(tau=1e400)@5' is inf"),
        ("NFaiRR(background='candidates\\n')@5",
         "background in \"NFaiRR(background='candidates\\\\n')@5\" is 'candidates\\n'"),
        (f"NFaiRR(tau={'9' * 400})@5", f"tau in 'NFaiRR(tau={'9' * 400})@5' is {'9' * 400}"),
    ],
)  # fmt: skip
def test_a_text_that_would_take_long_or_much_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(text)
    assert error.value.message == message


def test_the_limits_themselves_are_taken_and_a_cutoff_is_needed() -> None:
    assert parse("CWEx@100000").cutoff == 100_000
    assert parse(f"CWEx{' ' * 993}@10").text == "CWEx(alpha=0.5)@10"
    with pytest.raises(UsageError, match=r"^the cutoff is 100001\nUse a whole number from 1 to 100,000\.$"):
        parse("CWEx", 100_001)
    for text, named in (("CWEx", "'CWEx'"), ("GSR", "'GSR'"), ("P", "P")):
        with pytest.raises(UsageError, match=f"{named} has no cutoff"):
            parse(text)
    assert parse("GSR(depth='relevant')").cutoff is None


def test_the_fairest_value_comes_first_in_each_direction() -> None:
    assert unfairness(parse("CWEx@5"), [0.1, 0.2]).argmin() == 1
    assert unfairness(parse("TED@5"), [0.1, 0.2]).argmin() == 0
    assert unfairness(parse("RaB@5"), [-0.3, 0.2]).argmin() == 1
    assert unfairness(parse("GroupExposureRatio@5"), [0.5, 1.5]).argmin() == 1, "half is further from 1 than 1.5"
