"""A club's ladder: neighbours play, and the winner of a match takes the higher place."""

from __future__ import annotations

from scorer.tournament.state import TournamentState


def order_ladder(state: TournamentState, stage: int) -> tuple[int, ...]:
    """The entries of a ladder from its top, after all results so far."""
    order = list(state.stages[stage].entries)
    for match in state.matches_of_stage(stage):
        if match.winner is None or match.second is None:
            continue
        upper, lower = sorted(order.index(entry) for entry in match.entries)
        if order[lower] == match.winner:
            order[upper], order[lower] = order[lower], order[upper]
    return tuple(order)


def pair_ladder(order: tuple[int, ...], round_number: int) -> tuple[tuple[int, int], ...]:
    """Neighbours from the top, and in every other round from the second place."""
    playing = order[round_number % 2 :] if len(order) > 2 else order
    return tuple(zip(playing[::2], playing[1::2], strict=False))
