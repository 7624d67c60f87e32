"""A study under settings as checks read it: every table once, when the first check asks for it.

May import analyses and the rooms below it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.votes import Votes
from fairviz.annotation.voters import is_machine, members_of, votes_of
from fairviz.comparison.compare import Comparison, compared_as
from fairviz.comparison.family import How, how_of
from fairviz.correction.sampling import of_labels
from fairviz.evaluation.choices import Resolved, chosen_labels, chosen_queries, documents_with_words, selection_of
from fairviz.evaluation.questions import overview, questions_of, wants_collection
from fairviz.evaluation.scores import evaluate, share, summarise
from fairviz.evaluation.settings import Settings
from fairviz.installed import Owner
from fairviz.measures import Question, unfairness
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.ties import ties
from fairviz.study.checks import NearMiss, near_misses
from fairviz.study.record import Study
from fairviz.words.counting import Lexicon, ListUse, list_use


@dataclass(frozen=True, eq=False)
class Context:
    """A study under settings, and what checks share. A property is computed at its first use and kept.

    looked: the settings that a reader has looked at before these, each once, the first first; empty outside the app.
    arrays: those of `fairviz.evaluation.choices.align`, if they are made already. measures: those that a conclusion is
    about, as texts; by default those of Overview.
    Raises FairvizError where a property is read, for names that the study lacks.
    """

    study: Study
    settings: Settings
    looked: tuple[Settings, ...] = ()
    arrays: AlignedRankings | None = None
    measures: tuple[str, ...] = ()

    def lent(self, owner: Owner) -> "Context":
        """Return the context for code of others, whose changes of tables stay with it."""
        arrays = self.arrays.lent(owner) if self.arrays is not None and self.study.fingerprint else None
        return replace(self, study=self.study.lent(owner), arrays=arrays)

    # --- what the settings select ----------------------------------------------------------------------------------

    @cached_property
    def resolved(self) -> Resolved:
        """The annotator, the lexicon and the systems that the settings select."""
        return Resolved(self.study, self.settings)

    @property
    def annotator(self) -> str:
        """The annotator whose labels count; empty for none."""
        return self.resolved.annotator

    @property
    def lexicon(self) -> Lexicon:
        """The gender words that count."""
        return self.resolved.lexicon

    @cached_property
    def how(self) -> How:
        """How systems are compared, and which are tested."""
        return how_of(self.study, self.settings)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems that are shown and tested: conclusions are about these."""
        return tuple(name for name in self.resolved.systems if self.how.is_tested(name))

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries that every mean is over."""
        return chosen_queries(self.study, self.settings)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The measures that a conclusion is about: those given, else those of Overview that the study has data for."""
        if self.measures:
            return tuple(questions_of(self.measures, self.settings))
        return overview(self.study, self.settings).questions

    # --- values ----------------------------------------------------------------------------------------------------

    @cached_property
    def rankings(self) -> AlignedRankings:
        """The rankings of all runs with labels and words, as arrays."""
        return self.resolved.aligned(self.arrays, collection=wants_collection(self.questions, self.settings))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The values by measure, system and query, of `fairviz.evaluate`; systems that are not tested among them."""
        return evaluate(self.study, self.questions, self.settings, rankings=self.rankings)

    def scored(self, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
        """Return the values of these measures at other settings, of `fairviz.evaluate`."""
        return evaluate(self.study, measures, settings)

    @cached_property
    def means(self) -> pd.DataFrame:
        """The means of all systems that are shown, of `fairviz.summarise`."""
        return summarise(self.scores)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The means of the systems that are tested."""
        return self.means[self.means["system"].isin(self.systems)].reset_index(drop=True)

    @cached_property
    def comparison(self) -> Comparison:
        """All pairs of systems in each measure, tested as on the pages."""
        return compared_as(self.scores, self.how)

    @cached_property
    def tied(self) -> pd.DataFrame:
        """The smallest and largest means over all orders of documents with equal scores, of `fairviz.ties`."""
        return ties(self.study, [question.text for question in self.questions], self.settings, rankings=self.rankings)

    # --- labels ----------------------------------------------------------------------------------------------------

    @cached_property
    def labels(self) -> pd.DataFrame:
        """The labels that count: doc_id, annotator, label."""
        return chosen_labels(self.study, self.settings)

    @cached_property
    def labellers(self) -> tuple[str, ...]:
        """The annotators whose labels count, those of a consensus one by one."""
        return members_of(self.study, self.annotator, self.settings.voters)

    @cached_property
    def votes(self) -> Votes:
        """The votes of the voters of the settings, as arrays."""
        return votes_of(self.study, self.settings.voters)

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """A row a tested system: system, labelled, places (ranks within the cutoff) and share, NaN without a place."""
        return self._coverage("label", self.rankings.labelled).rename(columns={"known": "labelled"})

    @cached_property
    def text_coverage(self) -> pd.DataFrame:
        """A row a tested system: system, known (ranks within the cutoff whose document has text, if only an empty one),
        written (those with a word), places, and share of written ones."""
        words = self.rankings.words
        written = self._coverage("written", words.known & (words.tokens > 0)).rename(columns={"known": "written"})
        return written.assign(known=self._coverage("text", words.known)["known"])

    def _coverage(self, evidence_name: str, has_evidence: np.ndarray) -> pd.DataFrame:
        """Return for each tested system its ranks within the cutoff with evidence, all of them, and the share."""
        selection = selection_of(self.study, self.settings, self.rankings)
        cutoff = np.array([self.settings.cutoff])
        counted = self.rankings.known_places(evidence_name, has_evidence, cutoff)
        known, places = (selection.take(table[0].astype(float)).sum(axis=-1) for table in counted)
        table = pd.DataFrame({"system": selection.systems, "known": known, "places": places})
        return table.assign(share=share(known, places))[table["system"].isin(self.systems)].reset_index(drop=True)

    @cached_property
    def near_misses(self) -> tuple[NearMiss, ...]:
        """The ids of one part that nearly join those of another."""
        return near_misses(self.study)

    # --- words -----------------------------------------------------------------------------------------------------

    @cached_property
    def word_use(self) -> ListUse:
        """How the entries of the word list match under the tokenizer; which of them occur is not looked up."""
        return list_use(self.lexicon, self.settings.tokenizer, self.study.groups)

    @cached_property
    def word_hits(self) -> tuple[int, int]:
        """The numbers of documents with a word of the list, counted up to 5 % of all, and of all that have text."""
        return documents_with_words(self.study, self.lexicon, self.settings.tokenizer)


def fairest(question: Question, rows: pd.DataFrame) -> int:
    """Return the place of the row with the fairest value; no value is NaN."""
    return int(np.argmin(unfairness(question, rows["value"].to_numpy())))


def _has_text(study: Study) -> bool:
    return study.word_counts is not None or bool(study.documents["text"].notna().any())


# What a check can need: from the context to the reason why it does not apply, empty where it does.
NEEDS: Mapping[str, Callable[[Context], str]] = {
    "runs": lambda context: "" if context.study.has("runs") else "the study has no runs",
    "two systems": lambda context: "" if len(context.systems) > 1 else "fewer than two systems are tested",
    "measures": lambda context: "" if context.questions else "no measure has its data in this study",
    "measures of labels": lambda context: (
        "" if of_labels(context.questions) else "no measure of labels has its data in this study"
    ),
    "queries": lambda context: "" if context.study.has("queries") else "the study has no text of queries",
    "texts": lambda context: "" if _has_text(context.study) else "the study has no text of documents",
    "qrels": lambda context: "" if context.study.has("qrels") else "the study has no relevance judgements",
    "labels": lambda context: (
        "" if context.study.has("labels") and context.study.label_kind == "gender" else "the study has no gender labels"
    ),
    "machine labels": lambda context: (
        "" if any(is_machine(context.study, name) for name in context.labellers) else "no machine's labels count"
    ),
    "several annotators": lambda context: "" if len(context.votes.annotators) > 1 else "fewer than two annotators vote",
}
