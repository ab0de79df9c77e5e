"""Bare worn pieces, which show no rim that would tell of a gap: the gap with which the best board scores most."""

from __future__ import annotations

from ganzzle.grid import Grid
from ganzzle.pieces import rim_of, with_rim
from ganzzle.solving.boards import Laid
from ganzzle.solving.evidence import Evidence
from ganzzle.solving.search import FEW, one_puzzle

LADDER = (0.03, 0.05, 0.08, 0.13)  # gaps that are tried, as shares of a slot's shorter side
DOUBTFUL = 0.85  # share of the best score there can be below which a gap is looked for
BETTER = 0.15  # share of it by which a board must score more with a gap


def may_have_gap(evidence: Evidence, laid: Laid) -> bool:
    """Whether the best board is bad, and nothing else is seen that would explain it."""
    bad = laid.score < DOUBTFUL * 2 * len(evidence) * evidence.terms.most
    return bad and not evidence.noisy and evidence.worn == 0


def likely_gap(evidence: Evidence, score: float, seed: int, known: Grid | None) -> float:
    """The gap with which some board scores clearly more than without; 0 if there is none."""
    best, most = 0.0, score + BETTER * 2 * len(evidence) * evidence.terms.most
    for gap in LADDER:
        pieces = with_rim(evidence.pieces, rim_of(evidence.size, gap))
        seen = Evidence(pieces, evidence.solver, evidence.counts)
        top = max(laid.score for laid in one_puzzle(seen, seed, known, most=FEW))
        if top > most:
            best, most = gap, top
    return best
