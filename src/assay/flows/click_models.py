"""`assay click-models`: which law of clicking predicts a log best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, did_you_mean
from assay.flows.click_lists import MOST_SEARCHES, earlier_and_later
from assay.flows.click_logs import LogChoices, Paths, notes_of, nothing_left, opened, read_of
from assay.flows.workbench import Workbench
from assay.results import QUIET, Note, Progress, Source
from assay.tables import Judgment

if TYPE_CHECKING:
    from assay.clicks.lists import Lists
    from assay.clicks.models.compared import ModelsCompared
    from assay.clicks.pairs import F64


def click_models(
    log: Paths,
    *,
    models: str | Sequence[str] | None = None,
    qrels: Any = None,
    searches: int = MOST_SEARCHES,
    choices: LogChoices | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **options: Any,
) -> ModelsCompared:
    """Click models fitted to the earlier two thirds of a log, and held to the rest.

    Args:
        log: files, a folder or a glob of what was shown and done.
        models: names; all when None.
        qrels: judgments, with which the relevance that models find is compared.
        searches: how many are taken at most, evenly over time.
        choices: how the log is read; `options` when None.
        bench: where judgments are found.
        progress: told which model is fitted.
        command: how the result was asked for, kept in it.
        **options: see `LogChoices`.

    Returns:
        Each model with log-likelihood and perplexity of the later lists, the best first.

    Raises:
        InputError: the log or an option cannot be read.
        NotEnoughEvidence: the log has too few lists to be split.
    """
    from assay import __version__
    from assay.clicks.models.compared import Compared, ModelsCompared
    from assay.clicks.models.model import fit, quality, relevance_auc

    names = _names(models)
    choices = LogChoices(**options) if choices is None else choices
    bench = Workbench.open() if bench is None else bench
    table = None if qrels is None else bench.table(qrels, Judgment)
    here = opened(log, choices)
    try:
        if not here.has("impression_id"):
            raise InputError("click models need whole lists, and no column names the search", "--columns",
                             "pass --columns impression_id=COLUMN")  # fmt: skip
        parts = earlier_and_later(here, searches)
        if parts is None:
            raise nothing_left(here, "the log has too few whole lists to fit models to some and to predict others")
        read = read_of(here, choices)
    finally:
        here.engine.close()
    earlier, later = parts
    grades = None if table is None else _grades(table, earlier, here.known_as)
    found = []
    progress.start("fitting models", len(names))
    for name in names:
        model = fit(name, earlier)
        said = quality(model, later)
        auc = None if grades is None else relevance_auc(model.relevance, grades)
        found.append(Compared(
            name, said.by_list, said.by_place, said.perplexity.mean, said.perplexity.pooled, said.conditional.mean,
            None if auc is None or auc != auc else auc,
        ))  # fmt: skip
        progress.advance()
    progress.stop()
    notes: list[Note] = notes_of(read)
    return ModelsCompared(
        models=tuple(sorted(found, key=lambda one: -one.by_list)), earlier=round(float(earlier.count.sum())),
        later=round(float(later.count.sum())), log=read, notes=tuple(notes),
        source=Source(hashes=bench.inputs(), versions=(("assay", __version__),), command=command),
    )  # fmt: skip


def _names(models: str | Sequence[str] | None) -> list[str]:
    from assay.clicks.models.model import CLICK_MODELS

    known = CLICK_MODELS.names()
    if models is None:
        return list(known)
    names = [part.strip() for part in models.split(",")] if isinstance(models, str) else list(models)
    for name in names:
        if name not in known:
            raise InputError(f"no click model is called {name!r}{did_you_mean(name, known)}", "--models",
                             f"there are {', '.join(known)}")  # fmt: skip
    return names


def _grades(table: Any, lists: Lists, known_as: Callable[[str], str]) -> F64:
    """The mean grade of each pair; NaN where it is not judged. Queries go by the names that they have in the lists."""
    import numpy as np

    frame = table.polars().group_by("query_id", "doc_id").agg(grade=_mean())
    rows = frame.select("query_id", "doc_id", "grade").iter_rows()
    grade = {(known_as(query), doc): value for query, doc, value in rows}
    names = [lists.query_ids[query] for query in lists.query.tolist()]
    return np.array([grade.get(key, np.nan) for key in zip(names, lists.doc_ids, strict=True)], np.float64)


def _mean() -> Any:
    import polars as pl

    return pl.col("grade").mean()
