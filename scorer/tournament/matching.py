"""A maximum-weight matching of entries (Edmonds 1965), by ``networkx``."""

from __future__ import annotations

from collections.abc import Mapping

Pair = tuple[int, int]


def match_entries(weights: Mapping[Pair, int]) -> set[Pair]:
    """The matching with the most pairs and, among those, the greatest weight; a pair may be in
    either order.
    """
    # Importing it takes as long as all pages together, and most servers never pair entries.
    import networkx as nx

    graph = nx.Graph()
    graph.add_weighted_edges_from((*pair, weight) for pair, weight in weights.items())
    matching: set[Pair] = nx.max_weight_matching(graph, maxcardinality=True)
    return matching
