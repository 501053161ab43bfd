"""The source of each set's choices: the passage of its document, paraphrased.

One line a set and topic; ``TOPICS`` says which options a topic decides. "Silent" marks what a
document leaves open, so that the choice made for it is known as ours.
"""

from __future__ import annotations

from scorer.rules.names import RuleSetName

#: Each set's document, as people know it.
DOCUMENTS = {
    RuleSetName.MAYDAY: "Mayday Games booklet",
    RuleSetName.COGITATE: "Cogitate Games rules",
    RuleSetName.TRADITIONAL: "Rules of Crokinole with variations",
    RuleSetName.FAMILY: "family description of crokinole",
    RuleSetName.NCA: "NCA reference manual",
}

#: What people call each set.
TITLES = {
    RuleSetName.MAYDAY: "Mayday Games rules",
    RuleSetName.COGITATE: "Cogitate Games rules",
    RuleSetName.TRADITIONAL: "Traditional rules",
    RuleSetName.FAMILY: "Family rules",
    RuleSetName.NCA: "NCA rules",
}

#: Which options each topic decides.
TOPICS: dict[str, tuple[str, ...]] = {
    "discs": ("discs_singles", "discs_partner", "discs_alone"),
    "players": ("formats",),
    "two against one": ("two_v_one_order",),
    "start": ("first_starter", "next_starter"),
    "placement": (
        "placement_line",
        "placement_centre",
        "placement_quadrant",
        "placement_penalty",
    ),
    "contact": ("contact",),
    "miss": ("miss_penalty", "penalty_takes_twenties"),
    "open board": ("open_target", "open_when", "open_disc"),
    "open board penalty": ("open_penalty",),
    "out at rest": ("out_at_rest",),
    "bounce back": ("bounce_back", "crossing"),
    "twenty": ("twenty_owner",),
    "leaner": ("leaner",),
    "line": ("line_zone",),
    "round score": ("round_score",),
    "match play": ("twenties_apart",),
    "alone": ("alone_score",),
    "game end": ("game_end", "game_points", "match_points", "game_rounds", "best_of"),
    "end looked at": ("end_checked",),
    "tie-break": ("end_tie", "shootout_shots", "shootout_shots_partner"),
    "time": ("time_out",),
    "beginners": ("reshoot", "reshoot_limit"),
    "called fouls": ("called_fouls",),
}

#: The topic of each option.
TOPIC_OF = {option: topic for topic, options in TOPICS.items() for option in options}

_MAYDAY = {
    "discs": "Two-, Three- and Four-Player Game: 12 discs a side, 6 for each partner.",
    "players": "Two-, Three- and Four-Player Game: 2, 3 as two against one or with three sets, 4 "
    "as partners.",
    "two against one": "Three-Player Game, Option One: the lone player shoots every other turn, "
    "always from one quadrant.",
    "start": "Two-Player and Four-Player Game: the first player changes every round; with four, "
    "clockwise.",
    "placement": "Rules of Play 2: flat and touching the starting line in the own quadrant, at "
    "most half over a quadrant line. What follows a wrong placement is left open.",
    "contact": "Rules of Play 6: an opponent's disc must be struck by the disc shot or by a "
    "friendly disc that it drives.",
    "miss": "Rules of Play 6 and Scoring 2: the disc shot goes, with the friendly discs it "
    "touched; a 20 made that way is worth nothing.",
    "open board": "Rules of Play 5: with no opposing disc on the board, the disc shot or one that "
    "it knocks must end in the hole, or inside or touching the 15-circle.",
    "open board penalty": "Rules of Play 5: otherwise all discs contacted go to the ditch.",
    "out at rest": "Scoring 3: a disc at rest that touches the starting line goes to the ditch.",
    "bounce back": "Rules of Play 8: a disc that leaves the surface and bounces back goes, and "
    "what it disturbed after that is put back.",
    "twenty": "Rules of Play 7: a disc flat in the hole is taken off and kept for its owner, "
    "even when an opponent knocked it in.",
    "leaner": "Rules of Play 7: only a disc that settles flat in the hole counts 20.",
    "line": "Scoring 3: a disc that touches a dividing circle has the lower value.",
    "round score": "Scoring 5: the difference goes to the higher side; a tie adds nothing.",
    "match play": "Optional Match-Play Rule: 2 for the higher side, 1 each for a tie; 20s are not "
    "counted apart.",
    "alone": "Three-Player Game, Option Two: 2, 1, 0; level for first 1 each, level for second 0.",
    "game end": "Scoring 6 and Match-Play Rule: 100 points, or 8 in match play.",
    "end looked at": "Scoring 5 and 6: points are added at the end of a round.",
    "tie-break": "Scoring 6: one final round decides a tie.",
    "time": "Silent: rounds have no clock.",
    "beginners": "Novice Note: a few discs may be shot again where all agreed before; none unless "
    "agreed.",
    "called fouls": "Flicking, and Rules of Play 1, 3, 4 and 9: a finger snaps off the thumb; "
    "discs are in view, not in hands; only the shooting hand touches the board, and no disc is "
    "placed early; one cheek stays on the chair, and chairs stay where they are; nothing is moved "
    "before the round is recorded.",
}

_COGITATE = {
    "discs": "Chapters 4, 5 and 9: 12 discs a side, 6 for each partner; 8 with three sets, or 12.",
    "players": "Chapters 2 and 9: 2, 3 as two against one or with three sets, 4 as partners.",
    "two against one": "Chapter 9: the lone player shoots after each of the two others, and so "
    "never starts.",
    "start": "Chapters 3 and 8: any draw, then the next player clockwise; or the loser decides.",
    "placement": "Chapters 3 and 4: flat on the shooting line; the disc may touch a quadrant line "
    "from either side. What follows a wrong placement is left open.",
    "contact": "Chapters 4 and 8: any own disc must strike an opposing one; the order of strikes "
    "does not matter.",
    "miss": "Chapters 4 and 8: the disc shot goes, with every own disc involved, 20s too.",
    "open board": "Chapters 4 and 8: a free shot must leave one of the shooter's discs in the "
    "hole, or inside or touching the inner circle. For advanced players only the disc shot may "
    "(open_disc=shooter-only); other discs may be there, too, by our reading.",
    "open board penalty": "Chapter 8: otherwise the disc goes, and after a carom all own discs "
    "that moved.",
    "out at rest": "Chapter 4: a disc that stops touching the shooting line is out.",
    "bounce back": "Chapter 8, returning discs: a disc that comes back goes, what it hit stays, "
    "20s count. Chapter 4: what left the playing area, which the line bounds, stays out.",
    "twenty": "Chapters 3 and 8: a disc wholly in the hole goes to its owner's 20-bowl, also when "
    "an opponent struck it in.",
    "leaner": "Chapter 8, almost 20: it stays, may be knocked in, and is worth 15 at the end.",
    "line": "Chapters 7 and 8: the lesser value; look under the disc for clean board.",
    "round score": "Chapter 7: the difference, or simply each side's own points.",
    "match play": "Chapter 7, championship: 2 or 1 each, and 20s are counted apart.",
    "alone": "Chapter 9: with three sets each player keeps the own points.",
    "game end": "Chapters 7 and 8: 100 points, or 50, 150, 200, or two of three rounds.",
    "end looked at": "Chapters 4 and 7: a round is scored after all discs are shot.",
    "tie-break": "Chapter 8: both past the line, more points win; level, both win.",
    "time": "Silent: rounds have no clock.",
    "beginners": "Chapter 9, re-shoot: a shot that met no disc and was not valid may be shot "
    "again, but no free shot; none unless agreed.",
    "called fouls": "Chapters 3, 4, 8 and 9: one finger flicks; board and chairs stay where they "
    "are, no chair is tipped, and one cheek stays on the chair.",
}

_TRADITIONAL = {
    "discs": "Two, Three and Four Players: 12 shots a side, 6 for each partner.",
    "players": "The heading of each part: 2, 3 as two against one, 4 as partners.",
    "two against one": "Three Players: each side shoots one disc in turn.",
    "start": "Two Players: the players alternate who shoots first.",
    "placement": "Two Players: on or behind the 5-circle, within the own quadrant. What follows a "
    "wrong placement is left open.",
    "contact": "Two Players: the disc shot must strike an opponent's; the variation allows own "
    "discs between.",
    "miss": "Two Players: otherwise the disc shot is removed; the variation removes all discs "
    "involved. A 20 made that way is not excepted.",
    "open board": "Two Players: with no opponent's disc on the board a disc may go anywhere; the "
    "variation asks for the 15-circle.",
    "open board penalty": "Two Players, variation: the disc is removed before the next shot.",
    "out at rest": "Two Players: a disc that overhangs the surface's edge is removed; the "
    "variation removes those on or outside the 5-circle.",
    "bounce back": "Two Players: a disc that left the surface and bounced back is removed; what "
    "it hit stays.",
    "twenty": "Two Players: a disc in the hole is recorded, then removed. Whose it is follows the "
    "disc.",
    "leaner": "Two Players: a 20 must lie flat and completely in the hole.",
    "line": "Scoring: a disc on a boundary line is in the lower zone.",
    "round score": "Scoring: the winner scores the difference; the variation counts one.",
    "match play": "Silent: there is no match play here.",
    "alone": "Silent: nobody plays alone here, so own points are kept.",
    "game end": "Scoring: agreed points or rounds, such as 100 points or 4 rounds.",
    "end looked at": "Scoring: points are counted only at the end of a round, and so ends a match.",
    "tie-break": "Silent: one more round, as is common.",
    "time": "Silent: rounds have no clock.",
    "beginners": "Silent: no shot is shot again.",
    "called fouls": "Two Players: one finger flicks, and the board is not moved; in the variation "
    "chairs are not moved either, and players stay seated "
    "(called_fouls=aid,moved-board,moved-chair,not-seated).",
}

_FAMILY = {
    "discs": "Paragraph 2: 24 discs, shared evenly among those who play.",
    "players": "Paragraph 2: 2, 4 as partners, or 4 each alone.",
    "two against one": "Silent: sides alternate.",
    "start": "Silent: the start alternates.",
    "placement": "Paragraph 3: on the outer circle within the own quadrant. What follows a wrong "
    "placement is left open.",
    "contact": "Paragraph 3: the disc must touch an opponent's, or make another disc touch one.",
    "miss": "Paragraph 3: otherwise it goes with all discs touched in that turn. A 20 made that "
    "way is not excepted.",
    "open board": "Paragraph 3: anywhere; by an option, at least partly within the centre circle.",
    "open board penalty": "Paragraph 3, option: it goes with all discs touched in that turn.",
    "out at rest": "Paragraph 4: discs that touch or cross the outer circle are removed.",
    "bounce back": "Paragraph 4: a disc that crosses the outer circle is removed, also one that "
    "bounces back. What it disturbs is left open, so it stays.",
    "twenty": "Paragraph 4: a disc in the hole is set aside for scoring. It counts for its side.",
    "leaner": "Silent: only a disc that fell into the hole counts 20.",
    "line": "Paragraph 5: inside means not touching the circle.",
    "round score": "Paragraph 5: the difference goes to the higher side.",
    "match play": "Silent: there is no match play here.",
    "alone": "Paragraph 5: each player but the lowest scores the difference to the lowest.",
    "game end": "Silent: 100 points, as is common.",
    "end looked at": "Paragraph 5: scores are added once all discs are played.",
    "tie-break": "Silent: one more round, as is common.",
    "time": "Silent: rounds have no clock.",
    "beginners": "Silent: no shot is shot again.",
    "called fouls": "Paragraph 3: a disc is flicked with a finger and not pushed.",
}

_NCA = {
    "discs": "Parts 2 and 3: 8 discs each in singles, or 12; 6 for each partner; 12 with three "
    "sets.",
    "players": "Part 3: 2, 3 as two against one or with three sets, 4 as partners.",
    "two against one": "Part 4: play goes clockwise; the order is not said, so sides alternate.",
    "start": "Part 3: the first player by chance, then clockwise.",
    "placement": "Part 4, turn 1: flat, touching or behind the outer line, at most half over a "
    "quadrant line. What follows a wrong placement is left open.",
    "contact": "Part 5, valid shot: direct contact with an opponent's disc, or by a chain.",
    "miss": "Part 5, penalty: the disc shot and all discs it touched are removed, 20s too.",
    "open board": "Part 5, no hiding: the disc shot or one it strikes must end in the hole, or "
    "inside or touching the 15-ring.",
    "open board penalty": "Part 5, penalty: the disc shot and all discs it touched, 20s too.",
    "out at rest": "Part 5, out of bounds: a disc that touches or crosses the outer line is out.",
    "bounce back": "Part 5: a disc that came back off the backboard or a dead disc is out and its "
    "damage stays; one that came back over the surface alone stays (spinning disc).",
    "twenty": "Parts 4, 6 and 7: a disc fully in the hole is set aside for its owner, whoever "
    "shot.",
    "leaner": "Part 6: a 20 lies completely in the hole, and flat.",
    "line": "Part 6: the lower value, by the disc's bottom edge and not as seen from above.",
    "round score": "Part 6: the difference goes to the higher side.",
    "match play": "Part 6, match play: 2 to the winner of a round, 1 each for a tie; 20s are not "
    "counted apart.",
    "alone": "Part 7: 2, 1, 0; level for first 1 each, level for second 0 both.",
    "game end": "Part 6: 100 points, or 4 rounds, or match play to 8.",
    "end looked at": "Parts 4 and 6: after all discs of a round are shot.",
    "tie-break": "Part 6: 8 shots for each side, 4 a partner; only 20s count, 1 each.",
    "time": "Part 7: when time runs out, one more shot makes the turns equal.",
    "beginners": "Silent: no shot is shot again.",
    "called fouls": "Parts 4, 5 and 7: no shot before everything rests; one cheek, chair legs on "
    "the floor and nothing of the body there, only the shooting arm on the board, a finger and no "
    "aids, no distraction, coaching by the partner only, board and chairs unmoved, and wax on the "
    "board from officials only.",
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
