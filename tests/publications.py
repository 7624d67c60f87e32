"""The files of the public data sets in small: their formats and their flaws, with content of this project's own."""

import hashlib
from dataclasses import replace
from pathlib import Path

from fairviz.datasets import DATASETS
from fairviz.datasets.record import Dataset

_PAIRS = "q_id,d_id,relevant,query,doc_title,document,content_gender,exp_stereotype\n"
_RUNS = ("BM25", "tk", "bert_L4", "advbert_L4")
_VOTES = ("\"[['gender'], ['gender', 'age'], []]\"", "\"[['age'], [], ['gender']]\"")

FILES: dict[str, dict[str, str]] = {
    "grep-biasir": {
        "queries.csv": "\ufeffq_id,category,query\n0,Appearance,hair rules\n1,Career,team work\n",
        "queries-documents_Appearance.csv": _PAIRS
        + '0,0,1,hair rules,Hair of women,"She wears, as told, a “braid”. ",F,No Annotation Agreement\n'
        + "0,1,1,hair rules,Hair of men,His hair is short.,M,No Annotation Agreement\n"
        + '0,2,0,hair rules,Hair,"Hair\nis hair.",N,Towards Female\n',
        "queries-documents_Career.csv": _PAIRS
        + "1,10,0,team work,A boat,A boat has a team.,both,Towards female\n"
        + "1,3,1,team work,A team,He and she work in a team.,botrh,Towards Male\n",
        "queries-documents_Child Care.csv": _PAIRS,
        "queries-documents_Cognitive Capabilities.csv": _PAIRS,
        "queries-documents_Domestic Work.csv": _PAIRS,
        "queries-documents_Physical Capabilities.csv": _PAIRS,
        "queries-documents_Sex & Relationship.csv": _PAIRS,
    },
    "msmarco-qs2": {
        "msmarco_passage.dev.fair.tsv": "11\thow to row\n12\twhat is a boat\n",
        "wordlist_gender_representative.txt": "boy,m\nShe,f\ngirl,f\nHE,m\n",
        "MSMGenderBias.csv": "doc_id,gender_bias\nd1,N\nd2,F\nd3,M\nd4,N\n",
        **{
            f"runs/{system}.run": "".join(
                f"{query} Q0 d{(place + shift) % 5 + 1} {place} {9 - place} {system}\n"
                for query in (11, 12)
                for place in range(1, 5 if system == "tk" and query == 12 else 6)
            )
            for shift, system in enumerate(_RUNS)
        },
    },
    "genderbias-ir": {
        "queries_gender_annotated.csv": "986,who was a king,m\n987,what, then, is a queen,f\n988,what is a boat,n\n\n"
        "989,who is it,o\n990,what is a tree,n\n",
        "wordlist_genderspecific.txt": "boy,m\ngirl,f\n",
    },
    "crows-pairs": {
        "crows_pairs_anonymized.csv": ",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,"
        "anon_annotators\n"
        f"0,She  cannot row.,He cannot row.,stereo,gender,{_VOTES[0]},a1,\"['a2', 'a3', 'a4']\"\n"
        f"1,The old cannot row.,The young cannot row.,antistereo,age,{_VOTES[1]},a1,\"['a2', 'a3', 'a5']\"\n"
    },
}


def write(folder: Path) -> dict[str, Dataset]:
    """Writes every file into the folder of its publication; the records of the data sets with the files' hashes."""
    records = {}
    for name, texts in FILES.items():
        files = []
        for file in DATASETS[name].files:
            content = texts[file.name].encode()
            path = folder / (file.origin or name) / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            files.append(replace(file, size=len(content), sha256=hashlib.sha256(content).hexdigest()))
        records[name] = replace(DATASETS[name], files=tuple(files))
    return records


def clones(folder: Path) -> dict[str, Path]:
    """Writes the same files as clones of their repositories hold them, with what else lies there; their folders."""
    grep, qs2 = FILES["grep-biasir"], FILES["msmarco-qs2"]
    runs = "fairness_measurement/sample_trec_runs"
    layouts = {
        "KlaraKrieg/GrepBiasIR": {
            **{f"csv_formatted/{name}": text for name, text in grep.items()},
            "csv_formatted/README.md": "Tables.\n",
            "IR_GenderBias.xlsx": "x",
            "README.md": "Grep-BiasIR\n",
        },
        "MaryamMousavian/MSMGenderBias": {"MSMGenderBias.csv": qs2["MSMGenderBias.csv"], "README.md": "Labels.\n"},
        "CPJKU/FairnessRetrievalResults": {
            "README.md": "Runs.\n",
            "resources/fairnesssensitive_queries/msmarco_passage.dev.fair.tsv": qs2["msmarco_passage.dev.fair.tsv"],
            "resources/wordlist_gender_representative.txt": qs2["wordlist_gender_representative.txt"],
            **{f"{runs}/msmarco_passage/{name[5:]}": text for name, text in qs2.items() if name.startswith("runs/")},
            f"{runs}/trecdl2019_passage/BM25.run": "19 Q0 d1 1 2.5 BM25\n",
        },
        "navid-rekabsaz/GenderBias_IR": {f"resources/{name}": text for name, text in FILES["genderbias-ir"].items()},
        "nyu-mll/crows-pairs": {f"data/{name}": text for name, text in FILES["crows-pairs"].items()},
    }
    for repository, texts in layouts.items():
        for name, text in texts.items():
            path = folder / repository.rpartition("/")[2] / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        (folder / repository.rpartition("/")[2] / ".git").mkdir()
    return {repository: folder / repository.rpartition("/")[2] for repository in layouts}
