"""The source of each set's choices: the passage of its document, paraphrased.

There is one line per set and topic; ``TOPICS`` lists the options that a topic decides. "Not stated"
marks a gap in a document, where the choice is ours.
"""

from __future__ import annotations

from scorer.rules.names import RuleSetName

#: Each set's document, by its common name.
DOCUMENTS = {
    RuleSetName.MAYDAY: "Mayday Games booklet",
    RuleSetName.COGITATE: "Cogitate Games rules",
    RuleSetName.TRADITIONAL: "Rules of Crokinole with variations",
    RuleSetName.FAMILY: "family description of crokinole",
    RuleSetName.NCA: "NCA reference manual",
}

#: Each set's common name.
TITLES = {
    RuleSetName.MAYDAY: "Mayday Games rules",
    RuleSetName.COGITATE: "Cogitate Games rules",
    RuleSetName.TRADITIONAL: "Traditional rules",
    RuleSetName.FAMILY: "Family rules",
    RuleSetName.NCA: "NCA rules",
}

#: The options that each topic decides.
TOPICS: dict[str, tuple[str, ...]] = {
    "discs": ("discs_singles", "discs_partner", "discs_alone"),
    "players": ("formats",),
    "two against one": ("two_v_one_order",),
    "starting player": ("first_starter", "next_starter"),
    "placement": (
        "placement_line",
        "placement_centre",
        "placement_quadrant",
        "placement_penalty",
    ),
    "contact": ("contact",),
    "shots without contact": ("miss_penalty", "penalty_takes_twenties"),
    "open board": ("open_target", "open_when", "open_disc"),
    "open board misses": ("open_penalty",),
    "discs that are out": ("out_at_rest",),
    "returning discs": ("bounce_back", "crossing"),
    "20s": ("twenty_owner",),
    "leaning discs": ("leaner",),
    "discs on a line": ("line_zone",),
    "round scoring": ("round_score",),
    "20s in match play": ("twenties_apart",),
    "single players": ("alone_score",),
    "game length": ("game_end", "game_points", "match_points", "game_rounds", "best_of"),
    "end of a game": ("end_checked",),
    "tie-breaks": ("end_tie", "shootout_shots", "shootout_shots_partner"),
    "round clock": ("time_out",),
    "beginners": ("reshoot", "reshoot_limit"),
    "called fouls": ("called_fouls",),
}

#: The topic of each option.
TOPIC_OF = {option: topic for topic, options in TOPICS.items() for option in options}

_MAYDAY = {
    "discs": "Two-, Three- and Four-Player Game: 12 discs per side, 6 per partner.",
    "players": (
        "Two-, Three- and Four-Player Game: 2 players; 3 (two against one, or each with their "
        "own set of discs); or 4 as partners."
    ),
    "two against one": (
        "Three-Player Game, Option One: the lone player shoots every other turn, always from "
        "one quadrant."
    ),
    "starting player": (
        "Two-Player and Four-Player Game: a different player starts every round; with "
        "four, the start moves clockwise."
    ),
    "placement": (
        "Rules of Play 2: flat and touching the starting line in the player's own quadrant, at "
        "most half over a quadrant line. The penalty for a wrong placement is not stated."
    ),
    "contact": (
        "Rules of Play 6: the shooting disc, or a friendly disc that it hits, must hit an "
        "opponent's disc."
    ),
    "shots without contact": (
        "Rules of Play 6 and Scoring 2: the shooting disc is removed, with the friendly discs "
        "it touched; a 20 made that way scores nothing."
    ),
    "open board": (
        "Rules of Play 5: with no opposing disc on the board, the shooting disc or one that it "
        "knocks must stop in the hole, or inside or touching the 15-circle."
    ),
    "open board misses": "Rules of Play 5: after a miss, all discs touched go to the ditch.",
    "discs that are out": (
        "Scoring 3: a disc at rest that touches the starting line goes to the ditch."
    ),
    "returning discs": (
        "Rules of Play 8: a disc that leaves the surface and bounces back is removed, and any "
        "discs it disturbed after that are put back."
    ),
    "20s": (
        "Rules of Play 7: a disc flat in the hole is set aside for its owner, even if an "
        "opponent knocked it in."
    ),
    "leaning discs": "Rules of Play 7: only a disc that comes to rest flat in the hole scores 20.",
    "discs on a line": "Scoring 3: a disc that touches a dividing circle scores the lower value.",
    "round scoring": "Scoring 5: the higher side scores the difference; a tie scores nothing.",
    "20s in match play": (
        "Optional Match-Play Rule: 2 for the higher side, 1 each for a tie; 20s are not counted "
        "separately."
    ),
    "single players": (
        "Three-Player Game, Option Two: 2, 1 and 0 points; 1 each if tied for first, 0 "
        "each if tied for second."
    ),
    "game length": "Scoring 6 and Match-Play Rule: 100 points, or 8 in match play.",
    "end of a game": "Scoring 5 and 6: points are added at the end of a round.",
    "tie-breaks": "Scoring 6: one final round decides a tie.",
    "round clock": "Not stated. We assume that rounds have no clock.",
    "beginners": (
        "Novice Note: a few discs may be shot again if all players agreed to it "
        "beforehand; otherwise none."
    ),
    "called fouls": (
        "Flicking, and Rules of Play 1, 3, 4 and 9: flick with a finger off the thumb; keep "
        "discs in view, not in hands; only the shooting hand may touch the board, and no disc "
        "may be placed early; keep one cheek on the chair and the chair in place; move nothing "
        "before the round is recorded."
    ),
}

_COGITATE = {
    "discs": "Chapters 4, 5 and 9: 12 discs per side, 6 per partner; with three sets, 8 or 12 "
    "each.",
    "players": (
        "Chapters 2 and 9: 2 players; 3 (two against one, or each with their own set of discs); "
        "or 4 as partners."
    ),
    "two against one": (
        "Chapter 9: the lone player shoots after each opponent, and so never starts."
    ),
    "starting player": (
        "Chapters 3 and 8: the first player is chosen by any kind of draw; then the "
        "next player clockwise starts, or the loser decides."
    ),
    "placement": (
        "Chapters 3 and 4: flat on the shooting line; the disc may touch a quadrant line from "
        "either side. The penalty for a wrong placement is not stated."
    ),
    "contact": (
        "Chapters 4 and 8: one of the shooter's discs must hit an opponent's; the order of hits "
        "does not matter."
    ),
    "shots without contact": (
        "Chapters 4 and 8: the shooting disc is removed, with all the shooter's discs involved, "
        "including 20s."
    ),
    "open board": (
        "Chapters 4 and 8: a free shot must leave one of the shooter's discs in the hole, or "
        "inside or touching the inner circle. For advanced players, only the shooting disc "
        "counts (open_disc=shooter-only); we read this as allowing other discs there too."
    ),
    "open board misses": (
        "Chapter 8: after a miss, the disc is removed; after a carom, so are all the "
        "shooter's discs that moved."
    ),
    "discs that are out": "Chapter 4: a disc that stops touching the shooting line is out.",
    "returning discs": (
        "Chapter 8, returning discs: a disc that comes back is removed, discs it hit "
        "stay where they are, and 20s count. Chapter 4: a disc that has left the "
        "playing area (inside the shooting line) stays out."
    ),
    "20s": (
        "Chapters 3 and 8: a disc completely in the hole goes to its owner's 20-bowl, even if "
        "an opponent knocked it in."
    ),
    "leaning discs": (
        "Chapter 8, almost 20: the disc stays, may be knocked in, and is worth 15 at the end."
    ),
    "discs on a line": (
        "Chapters 7 and 8: the lower value; look for clear board under the disc's edge."
    ),
    "round scoring": "Chapter 7: the difference, or simply each side's own points.",
    "20s in match play": (
        "Chapter 7, championship: 2 points for the winner of a round or 1 each for a tie, and "
        "20s are counted separately."
    ),
    "single players": "Chapter 9: with three sets, each player keeps their own points.",
    "game length": "Chapters 7 and 8: 100 points; or 50, 150 or 200; or best of three rounds.",
    "end of a game": "Chapters 4 and 7: a round is scored after all discs are shot.",
    "tie-breaks": "Chapter 8: if both reach the target, the higher score wins; if tied, both win.",
    "round clock": "Not stated. We assume that rounds have no clock.",
    "beginners": (
        "Chapter 9, re-shoot: if the players agree, an invalid shot that touched no "
        "disc may be repeated, unless it was a free shot; otherwise none."
    ),
    "called fouls": (
        "Chapters 3, 4, 8 and 9: flick with one finger; do not move the board or chairs, do not "
        "tip a chair, and keep one cheek on it."
    ),
}

_TRADITIONAL = {
    "discs": "Two, Three and Four Players: 12 shots per side, 6 per partner.",
    "players": "Headings: 2 players; 3 (two against one); or 4 as partners.",
    "two against one": "Three Players: each side shoots one disc in turn.",
    "starting player": "Two Players: the players alternate who shoots first.",
    "placement": (
        "Two Players: on or behind the 5-circle, within the player's own quadrant. The penalty "
        "for a wrong placement is not stated."
    ),
    "contact": (
        "Two Players: the shooting disc must hit an opponent's; the variation lets it hit the "
        "player's own discs first."
    ),
    "shots without contact": (
        "Two Players: without contact, the shooting disc is removed; the variation "
        "removes all discs involved. No exception is made for a 20."
    ),
    "open board": (
        "Two Players: with no opponent's disc on the board, a disc may go anywhere; in the "
        "variation it must stop in the 15-circle."
    ),
    "open board misses": "Two Players, variation: the disc is removed before the next shot.",
    "discs that are out": (
        "Two Players: a disc hanging over the edge of the surface is removed; the variation "
        "removes discs on or outside the 5-circle."
    ),
    "returning discs": (
        "Two Players: a disc that left the surface and bounced back is removed; discs it hit "
        "stay where they are."
    ),
    "20s": (
        "Two Players: a disc in the hole is recorded, then removed. It counts for the disc's owner."
    ),
    "leaning discs": "Two Players: a 20 must lie flat and completely in the hole.",
    "discs on a line": "Scoring: a disc on a boundary line is in the lower zone.",
    "round scoring": "Scoring: the winner scores the difference; in the variation, 1 point.",
    "20s in match play": "Not stated. We assume that there is no match play.",
    "single players": (
        "Not stated, as nobody plays alone in these rules. We assume that players keep "
        "their own points."
    ),
    "game length": "Scoring: an agreed number of points or rounds, such as 100 points or 4 rounds.",
    "end of a game": (
        "Scoring: points are counted only at the end of a round, so a match can only end then."
    ),
    "tie-breaks": "Not stated. We assume one more round, as is common.",
    "round clock": "Not stated. We assume that rounds have no clock.",
    "beginners": "Not stated. We assume that no shot is repeated.",
    "called fouls": (
        "Two Players: flick with one finger and do not move the board; in the "
        "variation, also stay seated and do not move chairs "
        "(called_fouls=aid,moved-board,moved-chair,not-seated)."
    ),
}

_FAMILY = {
    "discs": "Paragraph 2: 24 discs, shared evenly among the players.",
    "players": "Paragraph 2: 2 players; 4 as partners; or 4 playing individually.",
    "two against one": "Not stated. We assume that the sides alternate.",
    "starting player": "Not stated. We assume that the sides take turns starting.",
    "placement": (
        "Paragraph 3: on the outer circle within the player's own quadrant. The penalty for a "
        "wrong placement is not stated."
    ),
    "contact": "Paragraph 3: the disc must touch an opponent's, or make another disc touch one.",
    "shots without contact": (
        "Paragraph 3: without contact, the disc is removed, with all discs touched in "
        "that turn. No exception is made for a 20."
    ),
    "open board": "Paragraph 3: anywhere; as an option, at least partly within the centre circle.",
    "open board misses": (
        "Paragraph 3, option: the disc is removed, with all discs touched in that turn."
    ),
    "discs that are out": "Paragraph 4: discs that touch or cross the outer circle are removed.",
    "returning discs": (
        "Paragraph 4: a disc that crosses the outer circle is removed, even if it bounces back. "
        "Nothing is said about discs it disturbs, so they stay where they are."
    ),
    "20s": "Paragraph 4: a disc in the hole is set aside for scoring. It counts for its side.",
    "leaning discs": "Not stated. We assume that only a disc that falls into the hole scores 20.",
    "discs on a line": "Paragraph 5: inside means not touching the circle.",
    "round scoring": "Paragraph 5: the higher side scores the difference.",
    "20s in match play": "Not stated. We assume that there is no match play.",
    "single players": (
        "Paragraph 5: each player except the lowest scores the difference from the lowest."
    ),
    "game length": "Not stated. We assume 100 points, as is common.",
    "end of a game": "Paragraph 5: scores are added once all discs are played.",
    "tie-breaks": "Not stated. We assume one more round, as is common.",
    "round clock": "Not stated. We assume that rounds have no clock.",
    "beginners": "Not stated. We assume that no shot is repeated.",
    "called fouls": "Paragraph 3: flick the disc with a finger; do not push it.",
}

_NCA = {
    "discs": "Parts 2 and 3: 8 or 12 discs each in singles, 6 per partner, 12 each with three "
    "sets.",
    "players": (
        "Part 3: 2 players; 3 (two against one, or each with their own set of discs); or 4 as "
        "partners."
    ),
    "two against one": (
        "Part 4: play goes clockwise; the order is not stated, so we assume that the sides "
        "alternate."
    ),
    "starting player": (
        "Part 3: the first player is chosen at random; then the next player clockwise starts."
    ),
    "placement": (
        "Part 4, turn 1: flat, touching or behind the outer line, at most half over a quadrant "
        "line. The penalty for a wrong placement is not stated."
    ),
    "contact": "Part 5, valid shot: contact with an opponent's disc, directly or through a chain.",
    "shots without contact": (
        "Part 5, penalty: the shooting disc and all discs it touched are removed, including 20s."
    ),
    "open board": (
        "Part 5, no hiding: the shooting disc or one it hits must stop in the hole, or inside "
        "or touching the 15-ring."
    ),
    "open board misses": (
        "Part 5, penalty: the shooting disc and all discs it touched are removed, including 20s."
    ),
    "discs that are out": (
        "Part 5, out of bounds: a disc that touches or crosses the outer line is out."
    ),
    "returning discs": (
        "Part 5: a disc that bounces back off the backboard or off an out-of-play disc "
        "is out, but discs it moved stay where they are. A disc that comes back after "
        "touching only the surface stays in play (spinning disc)."
    ),
    "20s": "Parts 4, 6 and 7: a disc fully in the hole is set aside for its owner, whoever shot.",
    "leaning discs": "Part 6: a 20 must lie flat and completely in the hole.",
    "discs on a line": (
        "Part 6: the lower value, judged by the disc's bottom edge, not as seen from above."
    ),
    "round scoring": "Part 6: the higher side scores the difference.",
    "20s in match play": (
        "Part 6, match play: 2 to the winner of a round, 1 each for a tie; 20s are not counted "
        "separately."
    ),
    "single players": (
        "Part 7: 2, 1 and 0 points; 1 each if tied for first, 0 each if tied for second."
    ),
    "game length": "Part 6: first to 100 points, 4 rounds, or match play to 8.",
    "end of a game": "Parts 4 and 6: a game ends only after all discs of a round have been shot.",
    "tie-breaks": "Part 6: 8 shots per side, 4 per partner; only 20s count, 1 each.",
    "round clock": "Part 7: when time runs out, one more shot is taken to even up the turns.",
    "beginners": "Not stated. We assume that no shot is repeated.",
    "called fouls": (
        "Parts 4, 5 and 7: wait until everything has stopped; keep one cheek on the "
        "chair and its legs on the floor; do not use the floor for support; only the "
        "shooting arm may touch the board; shoot with a finger and without aids; do "
        "not distract anyone; only the partner may coach; do not move the board or "
        "chairs; only officials may wax the board."
    ),
}

PASSAGES: dict[RuleSetName, dict[str, str]] = {
    RuleSetName.MAYDAY: _MAYDAY,
    RuleSetName.COGITATE: _COGITATE,
    RuleSetName.TRADITIONAL: _TRADITIONAL,
    RuleSetName.FAMILY: _FAMILY,
    RuleSetName.NCA: _NCA,
}


def source_of(name: RuleSetName, option: str) -> str:
    """Document and passage that decide an option of a set."""
    return f"{DOCUMENTS[name]}, {PASSAGES[name][TOPIC_OF[option]]}"
