"""Rules of many training sets, all asked about one independent test set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from trueness.fitting.answer_table import Answers, warning_note
from trueness.fitting.beforehand import check_failures, check_options
from trueness.fitting.engine import ScoresFrom, fit
from trueness.fitting.limit import TimeLimit
from trueness.fitting.one import Fitter, before_all_others, encoding_note, torch_seeded, train_encoding
from trueness.fitting.progress import Progress
from trueness.fitting.workers import run_chunks, workers_of
from trueness.sample.asked import AnswerTable, offers_of, response_of
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.sample.seeds import FIT, child
from trueness.typing import Array, Classifier, Workers

TASKS_PER_WORKER = 16


class RulesOnTestSet:
    """A model with a training set and a test set. The Fits have the cases of the test set, which no rule has seen;
    those of the rule trained on the whole training set are `once`.
    """

    def __init__(
        self,
        model: Classifier,
        training: Sample,
        test: Sample,
        scores: ScoresFrom,
        seed: np.random.SeedSequence,
        limit: TimeLimit | None = None,
    ) -> None:
        check_options(model, "auto", None)
        self.model, self.test, self.limit = model, test, limit
        own = child(seed, FIT, 0)
        whole, asked = ["the fit on the training set"], (model, training, own)
        ((_, (rule, self.training)),) = run_chunks(_trained, limit, whole, lambda _: asked, 1, limit=limit)
        self.asked = replace(test, classes=self.training.classes)
        self.response = response_of(offers_of(rule), scores, test)
        design = self._design(1, "the training set", seed)
        labels = replace(design, sample=self.asked.labels_only())
        once = torch_seeded(own, lambda: fit(rule, test.X, self.asked, labels, scores=scores))
        notes = (*encoding_note(training, self.training), *once.notes)
        self.once: Fits = replace(once, design=design, notes=notes)

    def many(
        self, counts: Array, seed: np.random.SeedSequence, plan: object, n_jobs: Workers, progress: bool | None
    ) -> Fits:
        """One rule per row of `counts` (F, n): how often each training case entered its training set."""
        design = self._design(len(counts), plan, seed)
        size = -(-len(counts) // (TASKS_PER_WORKER * workers_of(n_jobs)))
        parts = [range(start, min(start + size, len(counts))) for start in range(0, len(counts), size)]
        fitter = Fitter(self.model, self.training, self.response, False, self.asked, self.limit)

        def arguments(part: range) -> tuple[Array, list[np.random.SeedSequence]]:
            return counts[part.start : part.stop], [child(seed, FIT, f) for f in part]

        with Progress(len(counts), progress) as bar:
            answers = Answers(AnswerTable(design, self.test, scored=self.response != "none"), bar)
            for part, found in run_chunks(Fitter.fits, fitter, parts, arguments, n_jobs, limit=self.limit):
                answers.take(part, found)
        failed, warned = answers.troubles(len(counts))
        check_failures(failed, design)
        fits = answers.table.fits(self.response, failed, warned)
        return replace(fits, notes=warning_note(warned, len(counts)))

    def _design(self, n_fits: int, plan: object, seed: np.random.SeedSequence) -> Design:
        counts = np.zeros((n_fits, self.test.n), dtype=np.uint8)
        return Design("holdout", plan, self.test.labels_only(), False, stored=counts, seed=seed)


def _trained(
    limit: TimeLimit | None, model: Classifier, training: Sample, seed: np.random.SeedSequence
) -> tuple[Classifier, Sample]:
    with before_all_others(limit, f"the {training.n} training cases"):
        return train_encoding(model, training, np.arange(training.n), seed)
