"""The source of each set's choices: the passage of its document, paraphrased.

There is one line per set and topic; ``TOPICS`` lists the options that a topic decides. "Not stated"
marks a gap in a document, where the choice is ours.
"""

from __future__ import annotations

from collections.abc import Mapping

from calibration.phrase import Phrase
from scorer.rules.names import RuleSetName

#: Each set's document, by its common name.
DOCUMENTS = {
    RuleSetName.MAYDAY: Phrase("Mayday Games booklet"),
    RuleSetName.COGITATE: Phrase("Cogitate Games rules"),
    RuleSetName.TRADITIONAL: Phrase("Rules of Crokinole with variations"),
    RuleSetName.FAMILY: Phrase("family description of crokinole"),
    RuleSetName.NCA: Phrase("NCA reference manual"),
}

#: Each set's common name.
TITLES = {
    RuleSetName.MAYDAY: Phrase("Mayday Games rules"),
    RuleSetName.COGITATE: Phrase("Cogitate Games rules"),
    RuleSetName.TRADITIONAL: Phrase("Traditional rules"),
    RuleSetName.FAMILY: Phrase("Family rules"),
    RuleSetName.NCA: Phrase("NCA rules"),
}

#: The options that each topic decides.
TOPICS: dict[str, tuple[str, ...]] = {
    Phrase("discs"): ("discs_singles", "discs_partner", "discs_alone"),
    Phrase("players"): ("formats",),
    Phrase("two against one"): ("two_v_one_order",),
    Phrase("starting player"): ("first_starter", "next_starter"),
    Phrase("placement"): (
        "placement_line",
        "placement_centre",
        "placement_quadrant",
        "placement_penalty",
    ),
    Phrase("contact"): ("contact",),
    Phrase("shots without contact"): ("miss_penalty", "penalty_takes_twenties"),
    Phrase("open board"): ("open_target", "open_when", "open_disc"),
    Phrase("open board misses"): ("open_penalty",),
    Phrase("discs that are out"): ("out_at_rest",),
    Phrase("returning discs"): ("bounce_back", "crossing"),
    Phrase("20s"): ("twenty_owner",),
    Phrase("leaning discs"): ("leaner",),
    Phrase("discs on a line"): ("line_zone",),
    Phrase("round scoring"): ("round_score",),
    Phrase("20s in match play"): ("twenties_apart",),
    Phrase("single players"): ("alone_score",),
    Phrase("game length"): ("game_end", "game_points", "match_points", "game_rounds", "best_of"),
    Phrase("end of a game"): ("end_checked",),
    Phrase("tie-breaks"): ("end_tie", "shootout_shots", "shootout_shots_partner"),
    Phrase("round clock"): ("time_out",),
    Phrase("beginners"): ("reshoot", "reshoot_limit"),
    Phrase("called fouls"): ("called_fouls",),
}

#: The topic of each option.
TOPIC_OF = {option: topic for topic, options in TOPICS.items() for option in options}

_MAYDAY = {
    "discs": Phrase("Two-, Three- and Four-Player Game: 12 discs per side, 6 per partner."),
    "players": (
        Phrase(
            "Two-, Three- and Four-Player Game: 2 players; 3 (two against one, "
            "or each with their own set of discs); or 4 as partners."
        )
    ),
    "two against one": (
        Phrase(
            "Three-Player Game, Option One: the lone player shoots every other "
            "turn, always from one quadrant."
        )
    ),
    "starting player": (
        Phrase(
            "Two-Player and Four-Player Game: a different player starts every "
            "round; with four, the start moves clockwise."
        )
    ),
    "placement": (
        Phrase(
            "Rules of Play 2: place the disc flat, touching the starting line in your own "
            "quadrant, and at most half over a quadrant line. The penalty for a wrong "
            "placement is not stated."
        )
    ),
    "contact": (
        Phrase(
            "Rules of Play 6: the shooting disc, or a friendly disc that it "
            "hits, must hit an opponent's disc."
        )
    ),
    "shots without contact": (
        Phrase(
            "Rules of Play 6 and Scoring 2: the shooting disc is removed, with "
            "the friendly discs it touched; a 20 made that way scores nothing."
        )
    ),
    "open board": (
        Phrase(
            "Rules of Play 5: with no opposing disc on the board, the shooting "
            "disc or one that it knocks must stop in the hole, or inside or "
            "touching the 15-circle."
        )
    ),
    "open board misses": Phrase(
        "Rules of Play 5: after a miss, all discs touched go to the ditch."
    ),
    "discs that are out": (
        Phrase("Scoring 3: a disc at rest that touches the starting line goes to the ditch.")
    ),
    "returning discs": (
        Phrase(
            "Rules of Play 8: a disc that leaves the surface and bounces back "
            "is removed, and any discs it disturbed after that are put back."
        )
    ),
    "20s": (
        Phrase(
            "Rules of Play 7: a disc flat in the hole is set aside for its "
            "owner, even if an opponent knocked it in."
        )
    ),
    "leaning discs": Phrase(
        "Rules of Play 7: only a disc that comes to rest flat in the hole scores 20."
    ),
    "discs on a line": Phrase(
        "Scoring 3: a disc that touches a dividing circle scores the lower value."
    ),
    "round scoring": Phrase(
        "Scoring 5: the side with more points scores the difference; a tie scores nothing."
    ),
    "20s in match play": (
        Phrase(
            "Optional Match-Play Rule: 2 to the winner of a round, 1 each for a tie; 20s "
            "are not counted separately."
        )
    ),
    "single players": (
        Phrase(
            "Three-Player Game, Option Two: 2, 1 and 0 points; 1 each if tied "
            "for first, 0 each if tied for second."
        )
    ),
    "game length": Phrase("Scoring 6 and Match-Play Rule: 100 points, or 8 in match play."),
    "end of a game": Phrase("Scoring 5 and 6: points are added at the end of a round."),
    "tie-breaks": Phrase("Scoring 6: one final round decides a tie."),
    "round clock": Phrase("Not stated. We assume that rounds have no clock."),
    "beginners": (
        Phrase(
            "Novice Note: a few discs may be shot again if all players agreed "
            "to it beforehand; otherwise none."
        )
    ),
    "called fouls": (
        Phrase(
            "Flicking, and Rules of Play 1, 3, 4 and 9: flick with a finger "
            "off the thumb; keep discs in view, not in hands; only the "
            "shooting hand may touch the board, and no disc may be placed "
            "early; keep one cheek on the chair and the chair in place; move "
            "nothing before the round is recorded."
        )
    ),
}

_COGITATE = {
    "discs": Phrase(
        "Chapters 4, 5 and 9: 12 discs per side, 6 per partner; with three sets, 8 or 12 each."
    ),
    "players": (
        Phrase(
            "Chapters 2 and 9: 2 players; 3 (two against one, or each with "
            "their own set of discs); or 4 as partners."
        )
    ),
    "two against one": (
        Phrase("Chapter 9: the lone player shoots after each opponent, and so never starts.")
    ),
    "starting player": (
        Phrase(
            "Chapters 3 and 8: the first player is chosen by any kind of draw; "
            "then the next player clockwise starts, or the loser decides."
        )
    ),
    "placement": (
        Phrase(
            "Chapters 3 and 4: place the disc flat on the shooting line; it may touch a "
            "quadrant line from either side. The penalty for a wrong placement is not "
            "stated."
        )
    ),
    "contact": (
        Phrase(
            "Chapters 4 and 8: one of the shooter's discs must hit an "
            "opponent's; the order of hits does not matter."
        )
    ),
    "shots without contact": (
        Phrase(
            "Chapters 4 and 8: the shooting disc is removed, with all the "
            "shooter's discs involved, including 20s."
        )
    ),
    "open board": (
        Phrase(
            "Chapters 4 and 8: a free shot must leave one of the shooter's "
            "discs in the hole, or inside or touching the inner circle. For "
            "advanced players, only the shooting disc counts "
            "(open_disc=shooter-only); we read this as allowing other discs "
            "there too."
        )
    ),
    "open board misses": (
        Phrase(
            "Chapter 8: after a miss, the disc is removed; after a carom, so "
            "are all the shooter's discs that moved."
        )
    ),
    "discs that are out": Phrase("Chapter 4: a disc that stops touching the shooting line is out."),
    "returning discs": (
        Phrase(
            "Chapter 8, returning discs: a disc that comes back is removed, "
            "discs it hit stay where they are, and 20s count. Chapter 4: a "
            "disc that has left the playing area (inside the shooting line) "
            "stays out."
        )
    ),
    "20s": (
        Phrase(
            "Chapters 3 and 8: a disc completely in the hole goes to its "
            "owner's 20-bowl, even if an opponent knocked it in."
        )
    ),
    "leaning discs": (
        Phrase(
            "Chapter 8, almost 20: the disc stays, may be knocked in, and is worth 15 at the end."
        )
    ),
    "discs on a line": (
        Phrase(
            "Chapters 7 and 8: a disc on a line scores the lower value; look under its edge "
            "for bare board."
        )
    ),
    "round scoring": Phrase("Chapter 7: the difference, or simply each side's own points."),
    "20s in match play": (
        Phrase(
            "Chapter 7, championship: 2 points for the winner of a round or 1 "
            "each for a tie, and 20s are counted separately."
        )
    ),
    "single players": Phrase("Chapter 9: with three sets, each player keeps their own points."),
    "game length": Phrase(
        "Chapters 7 and 8: 100 points; or 50, 150 or 200; or best of three rounds."
    ),
    "end of a game": Phrase("Chapters 4 and 7: a round is scored after all discs are shot."),
    "tie-breaks": Phrase(
        "Chapter 8: if both reach the target, the higher score wins; if tied, both win."
    ),
    "round clock": Phrase("Not stated. We assume that rounds have no clock."),
    "beginners": (
        Phrase(
            "Chapter 9, re-shoot: if the players agree, an invalid shot that "
            "touched no disc may be repeated, unless it was a free shot; "
            "otherwise none."
        )
    ),
    "called fouls": (
        Phrase(
            "Chapters 3, 4, 8 and 9: flick with one finger; do not move the "
            "board or chairs, do not tip a chair, and keep one cheek on it."
        )
    ),
}

_TRADITIONAL = {
    "discs": Phrase("Two, Three and Four Players: 12 shots per side, 6 per partner."),
    "players": Phrase("Headings: 2 players; 3 (two against one); or 4 as partners."),
    "two against one": Phrase("Three Players: each side shoots one disc in turn."),
    "starting player": Phrase("Two Players: the players alternate who shoots first."),
    "placement": (
        Phrase(
            "Two Players: place the disc on or behind the 5-circle, within your own "
            "quadrant. The penalty for a wrong placement is not stated."
        )
    ),
    "contact": (
        Phrase(
            "Two Players: the shooting disc must hit an opponent's; the "
            "variation lets it hit the player's own discs first."
        )
    ),
    "shots without contact": (
        Phrase(
            "Two Players: without contact, the shooting disc is removed; the "
            "variation removes all discs involved. No exception is made for a "
            "20."
        )
    ),
    "open board": (
        Phrase(
            "Two Players: with no opponent's disc on the board, the disc may stop anywhere; "
            "in the variation, it must stop in the 15-circle."
        )
    ),
    "open board misses": Phrase(
        "Two Players, variation: the disc is removed before the next shot."
    ),
    "discs that are out": (
        Phrase(
            "Two Players: a disc hanging over the edge of the surface is "
            "removed; the variation removes discs on or outside the 5-circle."
        )
    ),
    "returning discs": (
        Phrase(
            "Two Players: a disc that left the surface and bounced back is "
            "removed; discs it hit stay where they are."
        )
    ),
    "20s": (
        Phrase(
            "Two Players: a disc in the hole is recorded, then removed. It "
            "counts for the disc's owner."
        )
    ),
    "leaning discs": Phrase("Two Players: a 20 must lie flat and completely in the hole."),
    "discs on a line": Phrase("Scoring: a disc on a boundary line is in the lower zone."),
    "round scoring": Phrase(
        "Scoring: the winner scores the difference; in the variation, 1 point."
    ),
    "20s in match play": Phrase("Not stated. We assume that there is no match play."),
    "single players": (
        Phrase(
            "Not stated, as nobody plays alone in these rules. We assume that "
            "players keep their own points."
        )
    ),
    "game length": Phrase(
        "Scoring: an agreed number of points or rounds, such as 100 points or 4 rounds."
    ),
    "end of a game": (
        Phrase(
            "Scoring: points are counted only at the end of a round, so a match can only end then."
        )
    ),
    "tie-breaks": Phrase("Not stated. We assume one more round, as is common."),
    "round clock": Phrase("Not stated. We assume that rounds have no clock."),
    "beginners": Phrase("Not stated. We assume that no shot is repeated."),
    "called fouls": (
        Phrase(
            "Two Players: flick with one finger and do not move the board; in "
            "the variation, also stay seated and do not move chairs "
            "(called_fouls=aid,moved-board,moved-chair,not-seated)."
        )
    ),
}

_FAMILY = {
    "discs": Phrase("Paragraph 2: 24 discs, shared evenly among the players."),
    "players": Phrase("Paragraph 2: 2 players; 4 as partners; or 4 playing individually."),
    "two against one": Phrase("Not stated. We assume that the sides alternate."),
    "starting player": Phrase("Not stated. We assume that the sides take turns starting."),
    "placement": (
        Phrase(
            "Paragraph 3: place the disc on the outer circle, within your own quadrant. The "
            "penalty for a wrong placement is not stated."
        )
    ),
    "contact": Phrase(
        "Paragraph 3: the disc must touch an opponent's, or make another disc touch one."
    ),
    "shots without contact": (
        Phrase(
            "Paragraph 3: without contact, the disc is removed, with all discs "
            "touched in that turn. No exception is made for a 20."
        )
    ),
    "open board": Phrase(
        "Paragraph 3: the disc may stop anywhere; as an option, it must stop at least "
        "partly within the centre circle."
    ),
    "open board misses": (
        Phrase("Paragraph 3, option: the disc is removed, with all discs touched in that turn.")
    ),
    "discs that are out": Phrase(
        "Paragraph 4: discs that touch or cross the outer circle are removed."
    ),
    "returning discs": (
        Phrase(
            "Paragraph 4: a disc that crosses the outer circle is removed, "
            "even if it bounces back. Nothing is said about discs it disturbs, "
            "so they stay where they are."
        )
    ),
    "20s": Phrase(
        "Paragraph 4: a disc in the hole is set aside for scoring. It counts for its side."
    ),
    "leaning discs": Phrase(
        "Not stated. We assume that only a disc that falls into the hole scores 20."
    ),
    "discs on a line": Phrase("Paragraph 5: inside means not touching the circle."),
    "round scoring": Phrase("Paragraph 5: the side with more points scores the difference."),
    "20s in match play": Phrase("Not stated. We assume that there is no match play."),
    "single players": (
        Phrase(
            "Paragraph 5: each player scores their points minus the lowest player's; the lowest "
            "player scores nothing."
        )
    ),
    "game length": Phrase("Not stated. We assume 100 points, as is common."),
    "end of a game": Phrase("Paragraph 5: scores are added once all discs are played."),
    "tie-breaks": Phrase("Not stated. We assume one more round, as is common."),
    "round clock": Phrase("Not stated. We assume that rounds have no clock."),
    "beginners": Phrase("Not stated. We assume that no shot is repeated."),
    "called fouls": Phrase("Paragraph 3: flick the disc with a finger; do not push it."),
}

_NCA = {
    "discs": Phrase(
        "Parts 2 and 3: 8 or 12 discs each in singles, 6 per partner, 12 each with three sets."
    ),
    "players": (
        Phrase(
            "Part 3: 2 players; 3 (two against one, or each with their own set "
            "of discs); or 4 as partners."
        )
    ),
    "two against one": (
        Phrase(
            "Part 4: play goes clockwise; the order is not stated, so we "
            "assume that the sides alternate."
        )
    ),
    "starting player": (
        Phrase(
            "Part 3: the first player is chosen at random; then the next player clockwise starts."
        )
    ),
    "placement": (
        Phrase(
            "Part 4, turn 1: place the disc flat, touching the outer line or behind it, and "
            "at most half over a quadrant line. The penalty for a wrong placement is not "
            "stated."
        )
    ),
    "contact": Phrase(
        "Part 5, valid shot: contact with an opponent's disc, directly or through a chain."
    ),
    "shots without contact": (
        Phrase(
            "Part 5, penalty: the shooting disc and all discs it touched are "
            "removed, including 20s."
        )
    ),
    "open board": (
        Phrase(
            "Part 5, no hiding: the shooting disc or one it hits must stop in "
            "the hole, or inside or touching the 15-ring."
        )
    ),
    "open board misses": (
        Phrase(
            "Part 5, penalty: the shooting disc and all discs it touched are "
            "removed, including 20s."
        )
    ),
    "discs that are out": (
        Phrase("Part 5, out of bounds: a disc that touches or crosses the outer line is out.")
    ),
    "returning discs": (
        Phrase(
            "Part 5: a disc that bounces back off the backboard or off an "
            "out-of-play disc is out, but discs it moved stay where they are. "
            "A disc that comes back after touching only the surface stays in "
            "play (spinning disc)."
        )
    ),
    "20s": Phrase(
        "Parts 4, 6 and 7: a disc fully in the hole is set aside for its owner, whoever shot."
    ),
    "leaning discs": Phrase("Part 6: a 20 must lie flat and completely in the hole."),
    "discs on a line": (
        Phrase(
            "Part 6: a disc on a line scores the lower value; its bottom edge decides, not "
            "the view from above."
        )
    ),
    "round scoring": Phrase("Part 6: the side with more points scores the difference."),
    "20s in match play": (
        Phrase(
            "Part 6, match play: 2 to the winner of a round, 1 each for a tie; "
            "20s are not counted separately."
        )
    ),
    "single players": (
        Phrase("Part 7: 2, 1 and 0 points; 1 each if tied for first, 0 each if tied for second.")
    ),
    "game length": Phrase("Part 6: first to 100 points, 4 rounds, or match play to 8."),
    "end of a game": Phrase(
        "Parts 4 and 6: a game ends only after all discs of a round have been shot."
    ),
    "tie-breaks": Phrase("Part 6: 8 shots per side, 4 per partner; only 20s count, 1 each."),
    "round clock": Phrase(
        "Part 7: when time runs out, one more shot is taken to even up the turns."
    ),
    "beginners": Phrase("Not stated. We assume that no shot is repeated."),
    "called fouls": (
        Phrase(
            "Parts 4, 5 and 7: wait until everything has stopped; keep one "
            "cheek on the chair and its legs on the floor; do not use the "
            "floor for support; only the shooting arm may touch the board; "
            "shoot with a finger and without aids; do not distract anyone; "
            "only the partner may coach; do not move the board or chairs; only "
            "officials may wax the board."
        )
    ),
}

PASSAGES: Mapping[RuleSetName, Mapping[str, str]] = {
    RuleSetName.MAYDAY: _MAYDAY,
    RuleSetName.COGITATE: _COGITATE,
    RuleSetName.TRADITIONAL: _TRADITIONAL,
    RuleSetName.FAMILY: _FAMILY,
    RuleSetName.NCA: _NCA,
}


def source_of(name: RuleSetName, option: str) -> str:
    """Document and passage that decide an option of a set."""
    return Phrase(
        "%(document)s, %(passage)s",
        document=DOCUMENTS[name],
        passage=PASSAGES[name][TOPIC_OF[option]],
    )
