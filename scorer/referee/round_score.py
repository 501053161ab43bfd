"""Running score of a round: discs on the board, 20s that were counted, and reasons for review.

A round with an undecided shot has a score that a person must check. The same is true if players
took off a disc although no rule demanded it, or if discs are not where the last shot left them,
because a shot may have been missed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.disc import DiscSpec
from calibration.phrase import Phrase
from calibration.placed_disc import Team
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.events import RoundEvent, round_s
from scorer.referee.make_events import list_totals
from scorer.referee.manual_moves import describe_unexplained, is_twenty
from scorer.referee.shot.judge_hypotheses import Ruling
from scorer.referee.shot.review_reasons import find_untouched_doubts, find_vanished
from scorer.referee.shot.shot_evidence import ShotEvidence
from scorer.rules.judge_shot import Verdict
from scorer.rules.shot import StartPosition
from scorer.zone_values import TWENTY
from scorer.zones import TeamTotal, call_zone, total_by_team
from vision.track.tracks.same_disc import PARAMS as SAME_DISC


@dataclass(slots=True, kw_only=True)
class RunningScore:
    """One round so far.

    twenties        20s that were counted and taken off, by team
    totals          points, including 20s, by team, since the last ``update``
    review_reasons  the undecided shots, and other reasons why the score may be wrong
    questions       the reasons that are not already the question of a shot
    has_begun       whether anything happened that counts for a score
    unrequested_removals  discs taken off since the last shot although no rule demanded it
    staying  discs on the board that count, since the last ``update``
    settled  the discs on the board when the last shot had ended
    restored  places (2,), board mm, to which the rules have discs put back after it
    doubtful_twenty  a disc counted as a 20 that may lean on the hole's edge
    """

    shots: int = 0
    twenties: Counter[int] = field(default_factory=Counter)
    totals: tuple[TeamTotal, ...] = ()
    review_reasons: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    has_begun: bool = False
    unrequested_removals: list[NamedDisc] = field(default_factory=list)
    doubtful_twenty: NamedDisc | None = None
    staying: tuple[NamedDisc, ...] = ()
    settled: tuple[NamedDisc, ...] = ()
    restored: tuple[FloatArray, ...] = ()

    def add_shot(self, shot: ShotEvidence, ruling: Ruling) -> None:
        """Add a shot that was played and ruled on."""
        shooter = shot.shooter
        others = [disc for disc in self.staying if disc.name != shooter.name]
        self.doubt_changes(Phrase("shot %(shot)s", shot=self.shots + 1), shot.before, others)
        for disc in shot.before:
            if disc.must_go and not is_twenty(disc):
                self.add_doubt(
                    Phrase(
                        "%(name)s should have been removed before shot %(shot)s but was "
                        "still on the board",
                        name=disc.name,
                        shot=self.shots + 1,
                    )
                )
        self.shots += 1
        self.has_begun = True
        if ruling.verdict is Verdict.NEEDS_REVIEW:
            reasons = (*ruling.review_reasons, Phrase("the evidence is not clear enough"))
            self.review_reasons.append(
                Phrase(
                    "shot %(shot)s (%(name)s) is undecided: %(reason)s",
                    shot=self.shots,
                    name=shooter.name,
                    reason=reasons[0],
                )
            )
            return
        if find_untouched_doubts(shot):
            self.add_doubt(
                Phrase("another disc may have been involved in shot %(shots)s", shots=self.shots)
            )
        for disc in find_vanished(shot):
            self.add_doubt(
                Phrase(
                    "%(name)s disappeared during shot %(shots)s but was not seen leaving the board",
                    name=disc.name,
                    shots=self.shots,
                )
            )

    def settle(self, restore: Sequence[StartPosition] = ()) -> None:
        """Accept the current discs: a shot has ended, or a question was asked about it. ``restore``
        are the places to which the rules have discs put back.
        """
        self.settled = self.staying
        self.restored = tuple(np.array([disc.x_mm, disc.y_mm]) for disc in restore)

    def doubt_changes(
        self, until: str, before: Sequence[NamedDisc], staying: Sequence[NamedDisc]
    ) -> None:
        """Mark the score for review because of changes without a shot; ``until`` is the next event.

        Discs taken off although no rule demanded it count, unless they were there ``before``,
        because players see more than the referee. Discs ``staying`` at other places than the last
        shot left them count too.
        """
        for removal in self.unrequested_removals:
            if not any(
                np.linalg.norm(removal.place_mm - on.place_mm) < SAME_DISC.unmoved_mm
                for on in before
            ):
                self.add_doubt(
                    Phrase(
                        "%(name)s was removed before %(until)s, but no rule requires it",
                        name=removal.name,
                        until=until,
                    )
                )
        self.unrequested_removals = []
        for words in describe_unexplained(self.settled, staying, self.restored, until):
            self.add_doubt(words)

    def doubt_slide(self, t_s: float) -> None:
        """Record that a disc slid over the board from ``t_s`` on, without a shot that moved it."""
        self.add_doubt(
            Phrase("a disc slid across the board after %(t_s).1f s, but no shot was found", t_s=t_s)
        )

    def settle_twenty(self, gone: Sequence[NamedDisc] | None = None) -> None:
        """Decide a doubtful 20: either hands took the discs ``gone`` off, as they do with 20s but
        not with leaners, or the disc was still there at the next shot or at the end.
        """
        doubtful = self.doubtful_twenty
        if doubtful is None:
            return
        if gone is None:
            self.add_doubt(
                Phrase("%(name)s is in the hole or leaning on its edge", name=doubtful.name)
            )
        if gone is None or any(disc.name == doubtful.name for disc in gone):
            self.doubtful_twenty = None

    def add_doubt(self, words: str) -> None:
        """Record a reason why the score may be wrong."""
        self.has_begun = True
        self.review_reasons.append(words)
        self.questions.append(words)

    def add_twenty(self, team: int) -> int:
        """Add one 20 for that team; returns its number of 20s."""
        self.twenties[team] += 1
        return self.twenties[team]

    def update(
        self, staying: Sequence[NamedDisc], teams: Sequence[Team], board: BoardSpec, disc: DiscSpec
    ) -> None:
        """Count the teams' scores now: the discs that stay, and the 20s that were counted."""
        self.staying = tuple(staying)
        calls = [
            (named.disc.team, call_zone(named.disc, board, disc.contact_edge)) for named in staying
        ]
        self.totals = tuple(
            TeamTotal(
                team=total.team,
                points=total.points + TWENTY * self.twenties[total.team],
                twenties=total.twenties + self.twenties[total.team],
            )
            for total in total_by_team(calls, [team.number for team in teams])
        )

    def to_event(
        self, t_s: float, teams: Sequence[Team], *, is_cleared: bool, is_film_over: bool = False
    ) -> RoundEvent:
        """The event of the round's end; ``is_cleared``: players took all discs off;
        ``is_film_over``: a recording ended.
        """
        return RoundEvent(
            t_s=round_s(t_s),
            totals=list_totals(self.totals, teams),
            shots=self.shots,
            needs_review=bool(self.review_reasons),
            doubts=tuple(self.review_reasons),
            questions=tuple(self.questions),
            is_cleared=is_cleared,
            is_film_over=is_film_over,
        )
