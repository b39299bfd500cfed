"""Expectation maximisation of the position-based model session by session, as one writes it down: the reference."""

from __future__ import annotations

from collections.abc import Sequence

Session = tuple[Sequence[int], Sequence[bool]]
"""The pairs of a list, and which were clicked."""


def plain_pbm(sessions: Sequence[Session], steps: int) -> tuple[dict[int, float], dict[int, float]]:
    """Examination by position from 0 and attraction by pair, each from 1 of 2 in every step."""
    theta: dict[int, float] = {}
    gamma: dict[int, float] = {}
    for _ in range(steps):
        seen: dict[int, list[float]] = {}
        liked: dict[int, list[float]] = {}
        for pairs, clicked in sessions:
            for k, (pair, click) in enumerate(zip(pairs, clicked, strict=True)):
                t, g = theta.get(k, 0.5), gamma.get(pair, 0.5)
                examined = 1.0 if click else t * (1 - g) / (1 - t * g)
                attracted = 1.0 if click else g * (1 - t) / (1 - t * g)
                for sums, key, value in ((seen, k, examined), (liked, pair, attracted)):
                    at = sums.setdefault(key, [1.0, 2.0])
                    at[0] += value
                    at[1] += 1
        theta = {key: min(part / whole, 1 - 1e-6) for key, (part, whole) in seen.items()}
        gamma = {key: min(part / whole, 1 - 1e-6) for key, (part, whole) in liked.items()}
    return theta, gamma
