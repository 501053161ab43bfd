"""Records the live referee's events in the match, and publishes them to the scoreboard.

A team's side is told by the colour of its discs. The board at rest is the truth: shots that were
missed are one open question, and turn and discs are brought in line with the board. Nothing is
guessed: what cannot be entered is said on the scoreboard and left to the scorer, and a round counts
once its questions are answered. A zone that a person corrected stays while its disc lies still.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from math import dist
from typing import Any

from scorer.match.events import (
    BoardCorrected,
    DiscInZone,
    Disputed,
    Event,
    MatchError,
    RoundScored,
    ScoreSource,
    ShotPlayed,
    TwentyCounted,
)
from scorer.match.fold import fold
from scorer.match.state import MatchState, describe_full_round
from scorer.rules.contacts import PARAMS as CONTACT_PARAMS
from scorer.store import Store, StoreError
from scorer.texts import MAX_REMARK_LETTERS
from webapp.http.logs import LOG
from webapp.runtime.clip_store import ClipStore, ShotRecord
from webapp.runtime.live_state import (
    Status,
    apply_event,
    make_off_state,
    make_starting_state,
    mark_stopped,
)
from webapp.runtime.missed_shots import (
    ask_about_missed,
    count_missed_shots,
    find_shooter,
    fit_board,
)
from webapp.runtime.referee_process import RestMessage
from webapp.runtime.ring_buffer import JpegFrame
from webapp.runtime.scoreboard import Scoreboard, now
from webapp.runtime.shots.match_shot import read_match_shot
from webapp.runtime.shots.practice_recorder import PracticeRecorder
from webapp.runtime.supervisor import PHONE_GONE, RefereeCallbacks

_ON_BOARD = frozenset({15, 10, 5, 0})
_NEEDS_REVIEW = "needs_review"
_TWENTY = 20
#: What to do about a referee that failed, while it is started again and again.
#: What to do about an end that is nobody's failure.
_QUIET_ADVICE = {None: None, PHONE_GONE: "The page Camera on a phone goes on."}
_RESTART_ADVICE = "Look after the camera; it is tried again every few seconds."


_MakeEntries = Callable[[Mapping[str, Any], MatchState, Mapping[int, int]], Sequence[Event]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _DiscReport:
    """A disc as the referee reported it last, and where it lay."""

    disc: DiscInZone
    place_mm: tuple[float, float]


class MatchRecorder:
    """Enters the referee's events into the newest match."""

    def __init__(
        self,
        scoreboard: Scoreboard,
        store: Store,
        shots: ClipStore,
        practice: PracticeRecorder | None = None,
    ) -> None:
        """Nothing is seen yet; a ``practice`` under way gets the shots in place of the match."""
        self._scoreboard, self._store, self._shots = scoreboard, store, shots
        self._practice = practice
        self._live = make_off_state()
        self._reports: dict[str, _DiscReport] = {}
        self._twenties: dict[int, int] = {}
        self._plan: str | None = None
        self._failure: str | None = None

    def on_start(self, source: str) -> None:
        """The referee begins; one that failed is not believed before it sees something."""
        self._reports, self._twenties, self._plan = {}, {}, None
        live = make_starting_state(source)
        if self._failure is not None:
            live = mark_stopped(live, Status.NOT_REFEREEING, self._failure, _RESTART_ADVICE)
        self._publish_live({"type": "referee", "status": live["status"]}, live)

    def on_end(self, reason: str | None) -> None:
        """The referee ended."""
        self._failure = None
        status = Status.ENDED if reason in _QUIET_ADVICE else Status.FAILED
        advice = _QUIET_ADVICE.get(reason, "Choose a source again on the page Referee.")
        self._publish_live(
            {"type": "referee", "status": str(status), "reason": reason},
            mark_stopped(self._live, status, reason, advice),
        )

    def on_restart(self, reason: str) -> None:
        """The referee's process failed and is started again."""
        self._failure = reason
        out = mark_stopped(self._live, Status.NOT_REFEREEING, reason, _RESTART_ADVICE)
        self._publish_live({"type": "referee", "status": "restarting"}, out)

    def on_stop(self, status: Status) -> None:
        """A person stopped or paused the referee."""
        self._failure = None
        live = make_off_state() if status is Status.OFF else mark_stopped(self._live, status)
        self._publish_live({"type": "referee", "status": str(status)}, live)

    def on_rest(self, rest: RestMessage) -> None:
        """The board lies still; the next event is about it."""
        self._shots.lay(rest.key, rest.plan)
        self._plan = rest.key

    def on_event(self, event: dict[str, Any], film: tuple[JpegFrame, ...] = ()) -> None:
        """The referee saw something; ``film`` is what the camera saw of a shot."""
        if self._failure is not None:
            self._failure = None
            self._live = make_starting_state(str(self._live["source"]))
        plan, self._plan = self._plan, None
        shot_key, judged_in = None, self._live["judged_in"]
        if event.get("type") == "shot":
            judged_in = [*self._find_round()]
            shot_key = self._keep_shot(event, film, plan, *judged_in)
        seen_in = {"plan": shot_key or plan or self._live["plan"], "judged_in": judged_in}
        self._publish_live(event, apply_event(self._live, event) | seen_in)
        notice = self._enter_event(event, shot_key)
        if notice:
            left_out = {"notice": notice, "match": self._find_match_length()}
            self._publish_live(None, self._live | {"notice": notice, "left_out": left_out})

    def _keep_shot(
        self,
        event: dict[str, Any],
        film: tuple[JpegFrame, ...],
        plan: str | None,
        match_id: int | None,
        round_number: int | None,
    ) -> str:
        """The name under which a shot is kept in the clip store from now on."""
        shot = ShotRecord(
            key=plan or secrets.token_urlsafe(9),
            match=match_id,
            round=round_number,
            number=int(event["index"]) + 1,
            at=now(),
            event=event,
            times_s=tuple(each.t_s for each in film),
        )
        self._shots.keep(shot, film)
        return shot.key

    def _find_round(self) -> tuple[int | None, int | None]:
        """The match at hand and its round; None for both in practice, or where none can be read."""
        try:
            if self._practice is not None and self._practice.number is not None:
                return None, None
            match_id = self._scoreboard.match_id()
            if match_id is None:
                return None, None
            return match_id, len(fold(self._store.log(match_id)).rounds) + 1
        except StoreError as error:
            LOG.warning("a shot belongs to no match", extra={"what": str(error)})
            return None, None

    def _find_match_length(self) -> tuple[int, int] | None:
        """The match at hand and how many events it has; None where none can be read."""
        try:
            match_id = self._scoreboard.match_id()
            return None if match_id is None else (match_id, len(self._store.log(match_id)))
        except (MatchError, StoreError):
            return None

    def _publish_live(self, event: dict[str, Any] | None, live: dict[str, Any]) -> None:
        self._live = live
        self._scoreboard.publish_live(event, live)

    def _enter_event(self, event: Mapping[str, Any], shot_key: str | None) -> str | None:
        """Enter an event into the practice or the match; what to say where that cannot be."""
        make_entries = {
            "shot": self._make_shot,
            "twenty": self._make_twenty,
            "round": self._make_round,
        }.get(str(event.get("type")))
        if make_entries is None:
            return None
        try:
            if self._practice is not None and self._practice.number is not None:
                return self._practice.record(event, shot_key)
            return self._append_entries(make_entries, event, shot_key)
        except (MatchError, StoreError) as error:
            LOG.warning("not entered", extra={"what": str(error)})
            return f"Not entered into the match: {error}"

    def _append_entries(
        self, make_entries: _MakeEntries, event: Mapping[str, Any], shot_key: str | None
    ) -> str | None:
        """As ``_enter_event``. Raises ``MatchError`` and ``StoreError`` for what cannot be."""
        match_id = self._scoreboard.match_id()
        if match_id is None:
            return None
        state = fold(self._store.log(match_id))
        if state.is_over:
            return None
        sides = self._match_sides(state)
        if sides is None:
            return "Nothing is entered: the match does not say whose discs have which colour."
        for entry in make_entries(event, state, sides):
            if isinstance(entry, Disputed | BoardCorrected):
                entry = replace(entry, shot=shot_key)
            state = self._scoreboard.append(match_id, entry)
        return None

    def _match_sides(self, state: MatchState) -> dict[int, int] | None:
        """The side of each team that the referee sees; None where colours are not known."""
        colours = state.setup.colours
        sides = {
            int(team["team"]): colours.index(team["colour_name"])
            for team in self._live["teams"]
            if team["colour_name"] in colours
        }
        return sides if len(sides) == len(self._live["teams"]) and sides else None

    def _make_shot(
        self, event: Mapping[str, Any], state: MatchState, sides: Mapping[int, int]
    ) -> Sequence[Event]:
        """The shot, after what the board shows to have been missed before it."""
        number, side = int(event["index"]) + 1, sides[int(event["team"])]
        before = self._make_board(event["before"], {event["disc"]}, state, sides)
        after = self._make_board(event["after"], _names(event["remove"]), state, sides)
        self._reports = _make_reports(event["after"], _names(event["remove"]), sides)
        if state.turn is None:
            return (_correct_full_round(number, state, before, after),)
        missed = count_missed_shots(state, side, before, after)
        if missed is None:
            name = state.setup.players[state.turn]
            raise MatchError(
                f"Shot {number} does not fit the match, in which it is {name}'s turn: no number of "
                "shots that were missed explains the board."
            )
        verdict = str(event.get("verdict"))
        played = ShotPlayed(
            player=find_shooter(state, missed),
            verdict=verdict,
            board=fit_board(state, missed + 1, after) or (),
            twenties=(0,) * len(state.setup.sides),
            faults=tuple(str(fault.get("code")) for fault in event.get("faults", ())),
            seen=read_match_shot(event),
        )
        entries: list[Event] = [played]
        if missed:
            about = ask_about_missed(state, missed, f"before shot {number}")
            board = fit_board(state, missed, before) or ()
            entries.insert(0, BoardCorrected(missed=missed, board=board, about=about))
        if verdict == _NEEDS_REVIEW:
            question = event.get("question") or "The referee is not sure."
            entries.append(Disputed(about=f"Shot {number}: {question}"))
        return entries

    def _make_board(
        self,
        discs: Sequence[Mapping[str, Any]],
        gone: Container[str],
        state: MatchState,
        sides: Mapping[int, int],
    ) -> tuple[DiscInZone, ...]:
        """The discs but those ``gone``; a person's correction holds while its disc stays."""
        entered = {each.id: each for each in state.round.board}
        return tuple(
            _keep_correction(each, self._reports.get(name), entered.get(name))
            for name, each in _make_reports(discs, gone, sides).items()
        )

    def _make_twenty(
        self, event: Mapping[str, Any], _state: MatchState, sides: Mapping[int, int]
    ) -> Sequence[Event]:
        side = sides[int(event["team"])]
        self._twenties[side] = self._twenties.get(side, 0) + 1
        return (TwentyCounted(side=side),)

    def _make_round(
        self, event: Mapping[str, Any], state: MatchState, sides: Mapping[int, int]
    ) -> Sequence[Event]:
        """The round's score, after the question of what was missed at its end."""
        entries: list[Event] = []
        left = state.round.last_shot - state.round.shot_count
        if left and state.round.shot_count and event.get("is_cleared"):
            about = ask_about_missed(state, left, "before the board was cleared")
            board = state.round.board
            entries.append(BoardCorrected(missed=left, board=board, about=about))
        if event.get("questions"):
            doubts = "; ".join(event["questions"])
            about = f"The round's score is in doubt: {doubts}. Does the board tell all?"
            entries.append(Disputed(about=about[:MAX_REMARK_LETTERS]))
        return (*entries, self._score_round(event, state, sides))

    def _score_round(
        self, event: Mapping[str, Any], state: MatchState, sides: Mapping[int, int]
    ) -> RoundScored:
        if state.turn is None and any(
            each.disc != entered
            for entered in state.round.board
            if (each := self._reports.get(entered.id)) is not None
        ):
            # A person corrected a disc.
            return RoundScored(source=ScoreSource.SHOTS, waits=True)
        points, twenties = [0] * len(state.setup.sides), [0] * len(state.setup.sides)
        for total in event.get("totals", ()):
            side = sides[int(total["team"])]
            # A person may have counted others than the camera, or taken some back.
            more = state.round.twenties[side] - self._twenties.get(side, 0)
            points[side] = int(total["points"]) + _TWENTY * more
            twenties[side] = int(total["twenties"]) + more
        self._twenties = {}
        return RoundScored(
            points=tuple(points), twenties=tuple(twenties), source=ScoreSource.SHOTS, waits=True
        )


def _names(discs: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(each["id"] for each in discs)


def _make_reports(
    discs: Sequence[Mapping[str, Any]], gone: Container[str], sides: Mapping[int, int]
) -> dict[str, _DiscReport]:
    """The discs on the board, but those ``gone`` or in the hole, by their names."""
    return {
        each["id"]: _DiscReport(
            disc=DiscInZone(id=each["id"], side=sides[int(each["team"])], zone=int(each["zone"])),
            place_mm=(float(each["x_mm"]), float(each["y_mm"])),
        )
        for each in discs
        if each["id"] not in gone and each["zone"] in _ON_BOARD
    }


def _correct_full_round(
    number: int,
    state: MatchState,
    before: tuple[DiscInZone, ...],
    after: tuple[DiscInZone, ...],
) -> Event:
    """The board after a shot for which the round has no disc left. Raises ``MatchError`` where the
    shot is one of a next round."""
    board = fit_board(state, 0, after)
    if board is None or not _names_of(before) & _names_of(state.round.board):
        raise MatchError(describe_full_round(state))
    if state.round.is_timed_out:
        about = f"Shot {number} came after time was out. Does the board as it lies count?"
    else:
        about = f"Shot {number} came after all discs were shot. Does the board as it lies count?"
    return BoardCorrected(missed=0, board=board, about=about)


def _names_of(board: tuple[DiscInZone, ...]) -> set[str]:
    return {each.id for each in board}


def _keep_correction(
    current: _DiscReport, earlier: _DiscReport | None, entered: DiscInZone | None
) -> DiscInZone:
    """A disc as it is to be entered: as a person corrected it, if it has lain still since."""
    if earlier is None or entered is None:
        return current.disc
    if dist(current.place_mm, earlier.place_mm) > CONTACT_PARAMS.moved_mm:
        return current.disc
    return current.disc if entered == earlier.disc else entered


def make_callbacks(recorder: MatchRecorder) -> RefereeCallbacks:
    """The callbacks of a supervisor that record what its referee sees."""
    return RefereeCallbacks(
        on_start=recorder.on_start,
        on_event=recorder.on_event,
        on_rest=recorder.on_rest,
        on_end=recorder.on_end,
        on_restart=recorder.on_restart,
    )
