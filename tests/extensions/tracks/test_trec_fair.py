"""The TREC Fair Ranking track's files as a study: golden rows, what is refused, and that saving loses nothing."""

from fairviz.evaluation.opening import open_study
from fairviz.extensions.tracks.trec_fair import read_trec_fair
from fairviz.extensions.tracks.trec_fair_files import read_fair_run, read_topics
from fairviz.study.study import save_study
from tests.conftest import refused
from tests.extensions.tracks.fair_track import ARTICLES, FIRST, TOPICS, lines, track_files

COLUMNS = "Write a run line as: id, a tab, page_id; or: id, a tab, seq_no, a tab, page_id."
WHOLE = "Write ids, seq_no and ranks as whole numbers, such as 1205."
TOGETHER = "Keep the lines of a ranking together, each page once."
SORTED = "Sort the lines of each ranking by rank, counted from 0 or from 1 without a gap, alike in all rankings."
HEADS = "Name the columns id and page_id, between them seq_no where there are sequences, and perhaps rank."
TOPIC = 'Write a topic as: {"id": 1, "title": "...", "keywords": ["..."], "rel_docs": [12, 25]}.'
ARTICLE = 'Write an article as: {"page_id": 12, "gender": ["female"]}, with an empty list where it has no gender.'


def test_the_files_become_a_study_that_can_be_saved(tmp_path):
    study = read_trec_fair(**track_files(tmp_path))
    saved = open_study(save_study(study, tmp_path / "study"))
    for held in (study, saved):
        assert held.systems == ("coordinators", "editors")
        assert held.draws == {"editors": ("editors/seed1", "editors/seed2")}
        assert held.queries["text"].tolist() == ["Chemistry", "Rowing"]
        assert held.queries["keywords"].tolist() == ["chemist, laboratory", "oar"]
        assert len(held.qrels) == 6
        runs = held.runs[held.runs["system"] == "coordinators"].sort_values(["query_id", "rank"])
        assert runs["doc_id"].tolist() == [*FIRST["1"], *FIRST["2"]]
        assert runs["rank"].tolist() == [1, 2, 3, 4] * 2
        assert runs["score"].tolist() == [-1, -2, -3, -4] * 2
        genders = dict(zip(held.documents["doc_id"], held.documents["gender"], strict=True))
        assert genders == {
            "11": "female",
            "12": "female|male",
            "13": "unknown",
            "14": "male",
            "15": "non-binary",
        }
        assert dict(zip(held.labels["doc_id"], held.labels["label"], strict=True)) == {
            "11": "female",
            "14": "male",
            "15": "non-binary",
        }
        assert dict(held.targets) == {"female": 0.495, "male": 0.495, "non-binary": 0.01}
        assert held.notices == (
            "Of 5 articles 1 have no known gender and 1 have several; measures of labels leave out both. The track's "
            "AWRF counts them (fairviz trec-fair).",
            "2 articles that runs or topics name have no attributes, and count nowhere.",
            "As the track does, a trans or cis woman counts as female, a trans or cis man as male, and every other "
            "gender identity as non-binary. Read here: 'cisgender male' as male (1), 'transgender "
            "male' as male (1), 'genderfluid' as non-binary (1).",
        )


def test_ranks_count_from_0_or_1_and_without_a_header_columns_are_the_track_s(tmp_path):
    path = tmp_path / "run.tsv"
    for content, system in (
        ("id\trank\tpage_id\n1\t0\t11\n1\t1\t12\n", "run"),
        ("id\trank\tpage_id\n1\t1\t11\n1\t2\t12\n", "run"),
        ("1\t11\n1\t12\n", "run"),
        ("1\t7\t11\n1\t7\t12\n", "run/seed7"),
        ("id,page_id\r\n1,11\r\n1,12\r\n", "run"),
    ):
        path.write_text(content)
        run = read_fair_run(path)
        assert run["system"].cat.categories.tolist() == [system]
        assert (run["doc_id"].tolist(), run["rank"].tolist()) == (["11", "12"], [1, 2])


BAD_RUNS = [
    ("id\tpage_id\n1\t11\t3\n", f"r.tsv:2: expected 2 columns, found 3: '1 11 3'\n{COLUMNS}"),
    ("id\tpage_id\n1\tx\n", f"r.tsv:2: the page_id is not a whole number: 'x'\n{WHOLE}"),
    (
        "id\tpage_id\n1\t5\n1\t5\n",
        f"r.tsv:3: the ranking of topic 1 has this page in line 2 already: '5'\n{TOGETHER}",
    ),
    (
        "id\tpage_id\n1\t5\n2\t5\n1\t6\n",
        f"r.tsv:4: the ranking of topic 1 began in line 2, and another ranking is in between\n{TOGETHER}",
    ),
    (
        "id\tseq_no\trank\tpage_id\n1\t1\t0\t5\n1\t1\t2\t6\n",
        f"r.tsv:3: 1 is the next rank of topic 1, seq_no 1: '2'\n{SORTED}",
    ),
    (  # the first line of topic 2 is lost, and no rank after it is named again
        "id\trank\tpage_id\n1\t0\t5\n1\t1\t6\n2\t1\t5\n2\t2\t6\n",
        f"r.tsv:4: 0 is the next rank of topic 2: '1'\n{SORTED}",
    ),
    ("topic\tdoc\n1\t5\n", f"r.tsv:1: the column 'id' is missing: 'topic, doc'\n{HEADS}"),
    ("id\tpage_id\n", f"r.tsv: the file has a header and no line below it\n{COLUMNS}"),
    ("1 Q0 5 1 0.5 tag\n", f"r.tsv:1: expected 2 or 3 columns, found 1: '1 Q0 5 1 0.5 tag'\n{COLUMNS}"),
]
BAD_TOPICS = [
    ('{"title": "A"}', f"t.json:1: the id is missing or not a whole number\n{TOPIC}"),
    ('{"id": 1, "title": 7}', f"t.json:1: the title is not text: '7'\n{TOPIC}"),
    ('{"id": 1, "keywords": "a"}', f"t.json:1: keywords is not a list of texts: 'a'\n{TOPIC}"),
    ('{"id": 1, "rel_docs": ["a"]}', f"t.json:1: rel_docs is not a list of page ids: '[\"a\"]'\n{TOPIC}"),
    ('{"id": 1}\n{"id": 1}', f"t.json:2: this topic is in line 1 already: '1'\n{TOPIC}"),
]
BAD_ARTICLES = [
    ('{"page_id": 11, "gender": 3}', f"a.json:1: the gender is not a list of texts: '3'\n{ARTICLE}"),
    ('{"gender": []}', f"a.json:1: the page_id is missing or not a whole number\n{ARTICLE}"),
    ('{"page_id": 11', f"a.json:1: not a JSON object: '{{\"page_id\": 11'\n{ARTICLE}"),
    (
        lines([ARTICLES[0], {"page_id": 11, "gender": ["male"]}]),
        f"a.json:2: this article has another gender in line 1: '11'\n{ARTICLE}",
    ),
    (
        '{"page_id": 5}',
        "a.json: the file holds none of the 7 articles that the runs and topics name\nCheck that it is the "
        "attributes of the same year's articles.",
    ),
    (
        '{"page_id": 11}',
        "a.json: no article that the runs and topics name has the attribute gender\nName the file with the "
        "attribute gender; that of 2021 came with the evaluation topics.",
    ),
]


def test_bad_lines_are_named(tmp_path):
    for content, message in BAD_RUNS:
        (tmp_path / "r.tsv").write_text(content)
        with refused(message):
            read_fair_run(tmp_path / "r.tsv", tmp_path)
    for content, message in BAD_TOPICS:
        (tmp_path / "t.json").write_text(content)
        with refused(message):
            read_topics(tmp_path / "t.json", tmp_path)
    files = track_files(tmp_path)
    for content, message in BAD_ARTICLES:
        (tmp_path / "a.json").write_text(content)
        with refused(message):
            read_trec_fair(files["topics"], files["runs"], tmp_path / "a.json")


def test_topics_come_from_several_files_and_strangers_are_refused(tmp_path):
    files = track_files(tmp_path)
    (tmp_path / "titles.jsonl").write_text(lines({"id": t["id"], "title": t["title"]} for t in TOPICS))
    (tmp_path / "judged.jsonl").write_text(lines({"id": t["id"], "rel_docs": t["rel_docs"]} for t in TOPICS))
    both = [tmp_path / "titles.jsonl", tmp_path / "judged.jsonl"]
    study = read_trec_fair(both, files["runs"], files["attributes"])
    assert (len(study.queries), len(study.qrels)) == (2, 6)
    with refused(
        "topic '1' has neither title nor keywords (2 such topics)\nName the file of topics with titles as well as "
        "that with rel_docs."
    ):
        read_trec_fair(both[1], files["runs"], files["attributes"])
    (tmp_path / "one.jsonl").write_text(lines(TOPICS[:1]))
    with refused(
        "the run 'coordinators' ranks topic '2', which no file of topics has (1 such)\nName the file of these topics, "
        "too: training and evaluation topics are two files."
    ):
        read_trec_fair(tmp_path / "one.jsonl", files["runs"], files["attributes"])
