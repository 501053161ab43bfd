"""Records the live referee's events in the match, and publishes them to the scoreboard.

Observations are stored with colours; ``scorer.match`` decides their meaning for the sides.
Observations that do not fit are shown on the scoreboard for the scorer.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from calibration.phrase import Phrase
from scorer.match.events import BoardCorrected, Event, MatchError
from scorer.match.fold import enter_sighting, fold
from scorer.match.sighting import Sighting
from scorer.match.state import MatchState
from scorer.referee.events import Event as RefereeEvent
from scorer.referee.events import ShotEvent, from_json
from scorer.store import Store, StoreError
from vision.io.sources import name_source
from webapp.http.logs import LOG
from webapp.live.clip_store import ClipStore, ShotRecord
from webapp.live.end_reason import EndCode, EndReason
from webapp.live.live_state import (
    LiveState,
    NotEntered,
    Status,
    apply_event,
    mark_stopped,
)
from webapp.live.practice_recorder import PracticeRecorder
from webapp.live.questions import list_questions
from webapp.live.read_sighting import read_event
from webapp.live.referee_process import RestMessage
from webapp.live.ring_buffer import JpegFrame
from webapp.live.scoreboard import Published, Scoreboard, now

#: Advice for a referee that keeps failing and being restarted.
_RESTART_ADVICE = Phrase("The referee will try again every few seconds.")


class MatchRecorder:
    """Enters the referee's events into the newest match."""

    def __init__(
        self,
        scoreboard: Scoreboard,
        store: Store,
        shots: ClipStore,
        practice: PracticeRecorder | None = None,
    ) -> None:
        """Starts without observations; a current ``practice`` gets the shots instead of the
        match.
        """
        self._scoreboard, self._store, self._shots = scoreboard, store, shots
        self._practice = practice
        self._live = LiveState()
        self._plan: str | None = None
        self._failure: str | None = None

    def on_start(self, source: str) -> None:
        """The referee starts; after a failure it is not trusted before its first observation."""
        self._plan = None
        live = LiveState(status=Status.STARTING, source=name_source(source))
        if self._failure is not None:
            live = mark_stopped(live, Status.NOT_REFEREEING, self._failure, _RESTART_ADVICE)
        self._publish_live({"type": "referee", "status": str(live.status)}, live)

    def on_end(self, reason: EndReason | None) -> None:
        """The referee ended."""
        self._failure = None
        status, advice, why = Status.ENDED, None, None if reason is None else str(reason)
        if reason is not None and reason.code is EndCode.PHONE_GONE:
            advice = Phrase("Open the Camera page on a phone to continue.")
        elif reason is not None:
            status, advice = (
                Status.FAILED,
                Phrase("Choose a camera or video again on the Referee page."),
            )
        seen_in = self._live.judged_in or self._find_round()[:2]  # also if no shot was judged
        self._publish_live(
            {"type": "referee", "status": str(status), "reason": why},
            mark_stopped(replace(self._live, judged_in=seen_in), status, why, advice),
        )

    def on_restart(self, reason: EndReason) -> None:
        """The referee's process failed and is restarted."""
        self._failure = str(reason)
        out = mark_stopped(self._live, Status.NOT_REFEREEING, self._failure, _RESTART_ADVICE)
        self._publish_live({"type": "referee", "status": "restarting"}, out)

    def on_stop(self, status: Status) -> None:
        """A person stopped or paused the referee."""
        self._failure = None
        live = LiveState() if status is Status.OFF else mark_stopped(self._live, status)
        self._publish_live({"type": "referee", "status": str(status)}, live)

    def on_rest(self, rest: RestMessage) -> None:
        """The board is at rest; the next event is about it."""
        self._shots.keep_plan(rest.key, rest.plan)
        self._plan = rest.key

    def on_event(self, event: dict[str, object], film: tuple[JpegFrame, ...] = ()) -> None:
        """Record an event that the referee saw; ``film`` is the camera's film of a shot."""
        seen = from_json(event)
        if self._failure is not None:
            self._failure = None
            self._live = LiveState(status=Status.STARTING, source=self._live.source or "")
        plan, self._plan = self._plan, None
        shot_key = (plan or secrets.token_urlsafe(9)) if isinstance(seen, ShotEvent) else None
        live = apply_event(self._live, seen)
        colours = {team.team: team.colour_name for team in live.teams}
        sighting = read_event(seen, colours, shot_key)
        if isinstance(seen, ShotEvent) and shot_key is not None:
            match_id, round_number, shots = self._find_round(sighting)
            shot = ShotRecord(
                key=shot_key,
                match=match_id,
                round=round_number,
                number=max(seen.index, shots) + 1,  # a restarted camera counts from 1 again
                at=now(),
                event=seen,
                times_s=tuple(frame.t_s for frame in film),
            )
            self._shots.keep(shot, film)
            live = replace(
                live,
                judged_in=(match_id, round_number),
                verdict=live.verdict and replace(live.verdict, shot=shot_key, number=shot.number),
            )
        live = replace(live, plan=shot_key or plan or self._live.plan)
        self._publish_live(event, live)
        notice = self._enter_event(seen, sighting, shot_key)
        if notice:
            left_out = NotEntered(notice=notice, match=self._find_match_length())
            self._publish_live(None, replace(self._live, notice=notice, left_out=left_out))

    def _find_round(self, shot: Sighting | None = None) -> tuple[int | None, int | None, int]:
        """The current match, its round and the number of shots before ``shot``; None for match and
        round in practice, or if none can be read.
        """
        try:
            if self._practice is not None and self._practice.number is not None:
                return None, None, 0
            match_id = self._scoreboard.match_id()
            if match_id is None:
                return None, None, 0
            log = self._store.log(match_id)
            state, entries = fold(log), () if shot is None else enter_sighting(log, shot)
            missed = sum(each.missed for each in entries if isinstance(each, BoardCorrected))
            return match_id, len(state.rounds) + 1, state.round.shot_count + missed
        except StoreError as error:
            LOG.warning("shot without a match", extra={"what": str(error)})
            return None, None, 0

    def _find_match_length(self) -> tuple[int, int] | None:
        """The current match and its number of events; None if none can be read."""
        try:
            match_id = self._scoreboard.match_id()
            return None if match_id is None else (match_id, len(self._store.log(match_id)))
        except (MatchError, StoreError):
            return None

    def _publish_live(self, event: Published | None, live: LiveState) -> None:
        self._live = live
        self._scoreboard.publish_live(event, live)

    def _enter_event(
        self, event: RefereeEvent, sighting: Sighting | None, shot_key: str | None
    ) -> str | None:
        """Enter an event into the practice or the match; returns a notice if that is impossible."""
        if sighting is None:
            return None
        try:
            if self._practice is not None and self._practice.number is not None:
                said = self._practice.record(event, shot_key)
                if said is not None:
                    self._publish_live(None, replace(self._live, notice=said, left_out=None))
                return None
            match_id = self._scoreboard.match_id()
            if match_id is None:
                return None
            return self._describe_left_out(
                *self._scoreboard.record(match_id, partial(enter_sighting, sighting=sighting))
            )
        except (MatchError, StoreError) as error:
            LOG.warning("not added to the match", extra={"what": str(error)})
            return Phrase("Not added to the match: %(error)s", error=error)

    def _describe_left_out(self, entered: Sequence[Event], state: MatchState) -> str | None:
        """Why a sighting does not fit the match; None if it was entered or led to a question."""
        left_out = state.left_out[-1] if entered and state.left_out else None
        if left_out is None or left_out.event != entered[-1]:
            return None
        if any(question.kind == "end" for question in list_questions(state)):
            return None
        error = left_out.reason
        LOG.warning("not added to the match", extra={"what": error})
        return Phrase("Not added to the match: %(error)s", error=error)
