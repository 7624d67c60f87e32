"""Word lists as people have them: in any script, with phrases, beginnings and marks; and those that match nothing."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import fairviz
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import Resolved
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.rankers.record import analyser
from fairviz.study.record import Study
from fairviz.words.counting import count_groups, document_text
from fairviz.words.gsr_words import count_words, text_words
from fairviz.words.tokenizers import TOKENIZERS
from tests.conftest import Call

SCRIPTS = {
    "Arabic": ("امرأة,female | رجل,male", "هٰذِهِ امْرَأَةٌ، وامرأةٌ أخرى. رَجُلٌ! امرأة"),
    "Armenian": ("կին,female | տղամարդ,male", "Կին, ԿԻՆ եւ տղամարդ։"),
    "Bengali": ("মহিলা,female | পুরুষ,male", "ঐ মহিলা ও পুরুষ; মহিলাটি নয়, মহিলা।"),
    "Chinese": ("她,female | 男人,male | 女人,female", "她说那个男人不是女人。"),
    "Devanagari": ("स्त्री,female | पति,male", "यह स्त्री और वह स्त्री, पति नहीं।"),
    "Ethiopic": ("ሴት,female | ወንድ,male", "ሴት፣ ሴት እና ወንድ።"),
    "Georgian": ("ქალი,female | კაცი,male", "ქალი და ქალი, კაცი."),
    "Greek": ("γυναίκα,female | άνδρας,male", "Η ΓΥΝΑΊΚΑ, η γυναι\u0301κα και ο ΆΝΔΡΑΣ."),
    "Hangul": ("여자*,female | 남자*,male", "여자는 남자를 보고, 여자가 웃었다."),
    "Hebrew": ("אישה,female | גבר,male", "אִישָׁה אחת, אישה שתיים, גֶּבֶר."),
    "Japanese": ("彼女,female | 彼,male", "彼女は学生です。彼も彼女を知る。"),
    "Khmer": ("ស្ត្រី,female | បុរស,male", "នាងជាស្ត្រីហើយស្ត្រីនោះស្គាល់បុរស។"),
    "Lao": ("ແມ່ຍິງ,female | ຜູ້ຊາຍ,male", "ແມ່ຍິງແລະຜູ້ຊາຍເຫັນແມ່ຍິງ"),
    "Malayalam": ("അവൾ,female | അവൻ,male", "അവൾ വന്നു, അവൻ പോയി; അവൾ."),
    "Persian": ("خانم‌ها,female | آقا,male", "خانم‌ها و خانمها، آقا."),
    "Tamil": ("பெண்,female | ஆண்,male", "ஒரு பெண், இரு பெண். ஆண்!"),
    "Thai": ("ผู้หญิง,female | ผู้ชาย,male", "ผู้หญิงและผู้ชายไปหาผู้หญิง"),
    "Turkish": ("kadın,female | işadamı,male", "KADIN, Kadın ve İŞADAMI."),
    "Ukrainian": ("її,female | м'ята,female | він,male", "ЇЇ м’ята і ВІН."),
    "Vietnamese": ("phụ nữ,female | đàn ông,male", "Phụ nữ và phu\u0323 nư\u0303, đàn ông."),
    "Burmese": ("အမျိုးသမီး,female | အမျိုးသား,male", "အမျိုးသမီး၊ အမျိုးသမီး အမျိုးသား။"),
    "Gurmukhi": ("ਇਸਤਰੀ,female | ਆਦਮੀ,male", "ਇਸਤਰੀ ਇਸਤਰੀ ਆਦਮੀ."),
    "Kannada": ("ಮಹಿಳೆ,female | ಪುರುಷ,male", "ಮಹಿಳೆ ಮಹಿಳೆ ಪುರುಷ."),
    "Telugu": ("స్త్రీ,female | పురుషుడు,male", "స్త్రీ స్త్రీ పురుషుడు."),
}


def study_of(folder: Path, words: str, texts: Mapping[str, str]) -> Study:
    """Write a study of one run over the texts and open it."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    (folder / "lexicon.csv").write_text("word,group\n" + words.replace(" | ", "\n"))
    (folder / "documents.tsv").write_text(
        "doc_id\ttext\n" + "".join(f"{name}\t{text}\n" for name, text in texts.items())
    )
    lines = (f"q Q0 {name} {rank} {-rank} a\n" for rank, name in enumerate(texts, start=1))
    (folder / "runs" / "a.run").write_text("".join(lines))
    return fairviz.open_study(str(folder))


def counts(study: Study, tokenizer: str = "word") -> dict[str, list[int]]:
    """The counts of female and male words of each document, equal with and without compiled code."""
    texts = document_text(study.documents)
    fast, slow = (count_groups(texts, study.lexicon, tokenizer, study.groups, fast=fast) for fast in (True, False))
    assert fast.counts.tolist() == slow.counts.tolist()
    assert fast.tokens.tolist() == slow.tokens.tolist()
    return dict(zip(study.documents["doc_id"], slow.counts.tolist(), strict=True))


def findings(folder: Path, call: Call) -> dict[str, str]:
    """The lines of `fairviz check` on the word list: the item, and the rest."""
    lines = [line.split(",", 2) for line in call("check", folder, "--format csv").out.splitlines()]
    return {item: rest for part, item, rest in lines if part == "lexicon"}


def test_words_are_counted_in_sentences_of_their_script(tmp_path: Path, call: Call) -> None:
    """By a list of that script alone, and by one list of all."""
    for script, (words, sentence) in SCRIPTS.items():
        assert counts(study_of(tmp_path / "one", words, {script: sentence})) == {script: [2, 1]}
    words = " | ".join(words for words, _ in SCRIPTS.values())
    study = study_of(tmp_path / "all", words, {script: sentence for script, (_, sentence) in SCRIPTS.items()})
    assert counts(study) == {script: [2, 1] for script in SCRIPTS}
    found = findings(tmp_path / "all", call)
    assert "13 entries in scripts without blanks match inside sentences: tokenizer characters." in found.pop(
        "words of lexicon"
    )
    assert not found


def test_marks_of_arabic_and_the_dotted_i_of_turkish(tmp_path: Path) -> None:
    words = "هي,female | امرأة,female | عورت,female | هو,male | رجل,male | أنتَ,male | أنتِ,female"
    texts = {"plain": "هي امرأة. عورت", "vowels": "هِيَ اِمْرَأَةٌ", "man": "هُوَ رَجُلٌ", "you": "أنتَ أنتِ أنتِ أنت"}
    assert counts(study_of(tmp_path, words, texts)) == {
        "plain": [3, 0], "vowels": [2, 0], "man": [0, 2], "you": [2, 1],
    }  # fmt: skip
    words = "kadın,female | KADIN,female | kız,female | işkadını,female | erkek,male | işadamı,male | İŞADAMI,male"
    women = ("işkadını kadın kız", "İŞKADINI KADIN KIZ", "İşkadını Kadın Kız")
    study = study_of(tmp_path, words, dict(zip("abcd", (*women, "İŞADAMI"), strict=True)))
    assert counts(study) == counts(study, "whitespace")
    assert [*counts(study).values()] == [[3, 0], [3, 0], [3, 0], [0, 1]]


def test_apostrophes_hyphens_and_phrases(tmp_path: Path, call: Call) -> None:
    words = (
        "ma'am,female | ex-wife,female | stay-at-home mum,female | police woman,female | ex-husband,male | "
        "police man,male | wo/man,male"
    )
    texts = {
        "apostrophe": "Yes ma'am she said", "curly": "Yes ma’am", "hyphen": "His ex-wife left",
        "phrase": "A police woman and a stay-at-home mum", "man": "The police man, her ex-husband",
    }  # fmt: skip
    study = study_of(tmp_path, words, texts)
    expected = {"apostrophe": [1, 0], "curly": [1, 0], "hyphen": [1, 0], "phrase": [2, 0], "man": [0, 2]}
    assert counts(study) == expected
    assert counts(study, "whitespace") == expected | {"man": [0, 1]}  # man, is no man
    found = findings(tmp_path, call)
    assert "7 phrases match as sequences of words" in found["words of lexicon"]
    assert found["words in no document"].startswith("1,wo/man,")


def test_beginnings_of_words(tmp_path: Path, call: Call) -> None:
    words = "Nurtur*,female | emotiona*,female | self-relian*,male | competit*,male | *woman,female | ♀,female"
    texts = {"d1": "A nurturing and emotional team that nurtures", "d2": "Competitive and self-reliant", "d3": "woman"}
    assert counts(study_of(tmp_path, words, texts)) == {"d1": [3, 0], "d2": [0, 2], "d3": [0, 0]}
    found = findings(tmp_path, call)
    assert "4 entries with * match every word that begins so." in found["words of lexicon"]
    assert found["words that can never match"].startswith('2,"*woman, ♀",')
    assert "words in no document" not in found


def test_a_list_of_which_nothing_occurs_is_no_perfect_neutrality(tmp_path: Path, call: Call) -> None:
    study = study_of(tmp_path, "Frau,female | Mann,male", {"d1": "she", "d2": "he"})
    for measure in ("NFaiRR", "TExFAIR", "RaB"):
        with pytest.raises(FairvizError, match="no word of the list 'lexicon' occurs in any of 2 documents"):
            fairviz.evaluate(study, measure)
    call("evaluate", tmp_path, "NFaiRR", status=1)
    assert "Measures of words are undefined" in findings(tmp_path, call)["words in no document"]
    assert fairviz.evaluate(study, "NFaiRR@2", lexicon="gsr")["value"].item() == 1


def test_words_in_few_documents_are_noted(tmp_path: Path, call: Call) -> None:
    texts = {f"d{number}": "she" if number < 2 else "a tree" for number in range(41)}
    study_of(tmp_path / "rare", "she,female | he,male", texts)
    study_of(tmp_path / "common", "she,female | he,male", texts | {"d2": "he"})
    rare, common = (call("evaluate", tmp_path / name, "NFaiRR --format csv").err for name in ("rare", "common"))
    assert "Words of the list 'lexicon' are in 2 of 41 documents only" in rare
    assert "only" not in common


def test_accents_count_unless_asked(tmp_path: Path, call: Call) -> None:
    study = study_of(tmp_path, "élève,female | homme,male | היא,female", {"d": "ELEVE, élève, un hómme", "h": "הִיא"})
    assert counts(study) == {"d": [1, 0], "h": [1, 0]}
    assert counts(study, "unaccented") == {"d": [2, 1], "h": [1, 0]}
    assert findings(tmp_path, call)["words in no document but with other accents"].startswith("1,homme,")


def test_words_of_rankers_and_of_genderedness_keep_their_marks() -> None:
    assert analyser()("वह महिला हिन्दी की शिक्षिका है") == ["वह", "महिला", "हिन्दी", "की", "शिक्षिका", "है"]
    assert text_words("महिला_हिन्दी e\u0301lan 2nd") == ["महिला", "हिन्दी", "élan"]
    words = count_words(["महिला शिक्षिका", "महिला"])
    assert dict(zip(words.vocabulary, words.counts.sum(axis=0).tolist()[0], strict=True)) == {"महिला": 2, "शिक्षिका": 1}


def test_settings_and_notes_have_the_tokenizers(football: Study) -> None:
    for name, tokenizer in TOKENIZERS.items():
        assert Settings(tokenizer=name).tokenizer == tokenizer.name
    assert Resolved(football, Settings()).notes_on([ask("NFaiRR", Settings())]) == ""
