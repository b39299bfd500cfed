"""Click models beside PyClick (commit 98e7e46), on the first 3,000 rows of the simulated logs: 2,000 train, 1,000 test.

The figures are PyClick's own, as printed in the data folder's README: 50 EM iterations, parameters from 1 of 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.clicks.lists import Lists
from assay.clicks.models.cascade import Cascade
from assay.clicks.models.dbn import SimplifiedDynamic
from assay.clicks.models.dcm import DependentClick
from assay.clicks.models.model import fit, quality, relevance_auc
from assay.clicks.models.pbm import PositionBased
from clicks.simulated import sessions, truth

pytestmark = pytest.mark.shared

LIKE_PYCLICK: dict[str, dict[str, Any]] = {"pbm": {"steps": 50, "gain": 0}, "ubm": {"steps": 50, "gain": 0}}

# log-likelihood (mean over sessions of the mean over ranks), perplexity (mean over ranks) of the test sessions
PYCLICK = {
    "pbm_60k": {
        "global-ctr": (-0.282188810218, 1.384069880590),
        "rank-ctr": (-0.219743385329, 1.271046284237),
        "document-ctr": (-0.237812361095, 1.283742434773),
        "cascade": (-6.908495892914, 1.251666193809),
        "dcm": (-0.235479817471, 1.248869920821),
        "sdbn": (-0.239023581536, 1.256567855837),
        "pbm": (-0.199070262463, 1.236876999087),
        "ubm": (-0.199992932302, 1.237255818939),
    },
    "dbn_60k": {
        "global-ctr": (-0.288914967008, 1.389427855161),
        "rank-ctr": (-0.225780178867, 1.279921447835),
        "document-ctr": (-0.238839877973, 1.283739998189),
        "cascade": (-7.911227702683, 1.237694641922),
        "dcm": (-0.225034181206, 1.238773574741),
        "sdbn": (-0.225386788977, 1.246256796835),
        "pbm": (-0.202642311761, 1.241594136272),
        "ubm": (-0.193615939569, 1.237579900614),
    },
}


def split(name: str) -> tuple[Lists, Lists]:
    log = sessions(name)
    return log.rows(slice(0, 2000)).distinct(), log.rows(slice(2000, 3000)).distinct()


def cascade_by_pyclick(model: Cascade, lists: Lists) -> float:
    """PyClick gives every rank below the first click, skipped or clicked, the chance 1e-6."""
    chance = model.marginal(lists.pair)
    above = np.cumsum(lists.clicked, axis=1) - lists.clicked == 0
    happened = np.where(above, np.where(lists.clicked, chance, 1 - chance), 1e-6)
    return float(lists.count @ np.log(happened).mean(1) / lists.count.sum())


@pytest.mark.parametrize("name", PYCLICK)
@pytest.mark.parametrize("model", PYCLICK["pbm_60k"])
def test_models_predict_as_pyclick_does(name: str, model: str) -> None:
    train, test = split(name)
    closed = {"dcm": DependentClick, "sdbn": SimplifiedDynamic}.get(model)
    fitted = closed.from_counts(train.cascade()) if closed else fit(model, train, **LIKE_PYCLICK.get(model, {}))
    found = quality(fitted, test)
    likelihood = cascade_by_pyclick(fitted, test) if isinstance(fitted, Cascade) else found.by_place
    assert likelihood == pytest.approx(PYCLICK[name][model][0], abs=1e-12)
    assert found.perplexity.mean == pytest.approx(PYCLICK[name][model][1], abs=1e-12)


@pytest.mark.parametrize(
    ("name", "examination"),
    [
        ("pbm_60k", [0.90441, 0.39212, 0.21446, 0.135233, 0.0932, 0.059153, 0.054254, 0.044942, 0.036751, 0.020159]),
        (
            "dbn_60k",
            [0.840818, 0.590912, 0.260323, 0.159069, 0.096077, 0.065693, 0.046659, 0.035697, 0.029914, 0.012256],
        ),
    ],
)
def test_examination_is_that_of_pyclick_after_50_steps(name: str, examination: list[float]) -> None:
    fitted = fit("pbm", split(name)[0], **LIKE_PYCLICK["pbm"])
    assert isinstance(fitted, PositionBased)
    assert fitted.theta == pytest.approx(examination, abs=6e-7)


@pytest.mark.parametrize(
    ("name", "continuation"),
    [
        ("pbm_60k", [0.386719, 0.207101, 0.162011, 0.14433, 0.090909, 0.021277, 0.068182, 0.058824, 0.033333, 0.0625]),
        ("dbn_60k", [0.182197, 0.147368, 0.211055, 0.106195, 0.185714, 0.115385, 0.111111, 0.076923, 0.136364, 0.1]),
    ],
)
def test_lambda_is_that_of_pyclick(name: str, continuation: list[float]) -> None:
    fitted = DependentClick.from_counts(split(name)[0].cascade())
    assert fitted.continuation == pytest.approx(continuation, abs=6e-7)


def test_attraction_puts_relevant_documents_higher_than_click_rates_do() -> None:
    log = sessions("pbm_60k").lists.distinct()
    grade = np.array(truth()["grade"], dtype=float).ravel()
    shown = np.unique(log.pair[log.shown])
    unseen = np.setdiff1d(np.arange(len(grade)), shown)
    grade[unseen] = np.nan  # a model says nothing of them
    areas = {
        name: relevance_auc(fit(name, log).relevance, grade, relevant=2) for name in ("pbm", "document-ctr", "rank-ctr")
    }
    assert areas["rank-ctr"] == 0.5
    assert areas["document-ctr"] < areas["pbm"]
    assert areas["pbm"] > 0.95  # the attraction that the log was made with follows the grades, and has an area of 1
    assert relevance_auc(np.array(truth()["gamma"]).ravel(), grade, relevant=2) == 1
