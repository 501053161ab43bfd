"""What stands under each command's help: examples that can be typed as they are, and exit codes."""

from __future__ import annotations

import argparse

#: Of each command and action: what is typed, and what it does. The empty name is the program's.
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("crokinole demo", "see a sample round refereed, in the browser"),
        ("crokinole score photo.jpg", "score a photographed round"),
        ("crokinole score --help", "what a command takes, with examples"),
    ),
    "demo": (
        ("crokinole demo", "until you stop it with Ctrl+C"),
        ("crokinole demo --fast --once", "as fast as it can, and then the score"),
    ),
    "score": (
        ("crokinole score photo.jpg", "a table, and totals"),
        ("crokinole score a.jpg b.jpg --overlay calls", "with the calls drawn on them"),
        ("crokinole score above.jpg --beside side.jpg", "one board, two cameras, one score"),
        ("crokinole score photo.jpg --json", "for a program"),
        ("crokinole score a.jpg b.jpg --jobs 2 --lines all.jsonl", "an archive"),
    ),
    "watch": (
        ("crokinole watch game.mp4", "a clip: every shot, its verdict, the score"),
        ("crokinole watch above.mp4 --beside side.mp4", "two cameras, one verdict"),
        ("crokinole watch 0 --rules mayday", "live, through the first camera"),
        ("crokinole watch 0 --serve", "the same, in browsers too"),
    ),
    "review": (
        ("crokinole review shot.mp4", "the verdict; writes shot_review.mp4"),
        ("crokinole review shot.mp4 --no-video", "the verdict alone"),
    ),
    "calibrate": (
        ("crokinole calibrate board.jpg --out my.json", "board and discs"),
        ("crokinole calibrate a.jpg b.jpg c.jpg --out my.json", "the lens, too"),
    ),
    "judge": (
        ("crokinole judge shot.json", "verdict, faults, what to remove"),
        ("crokinole judge shot.json --json", "for a program"),
    ),
    "match": (
        ("crokinole match new Ann Bob", "begin a match by the NCA's rules"),
        ("crokinole match add 60 45 --twenties 1 0", "a round: points, 20s included"),
        ("crokinole match show", "how it stands"),
        ("crokinole match add --help", "what an action takes"),
    ),
    "match new": (
        ("crokinole match new Ann Bob --starter draw", "two players; a draw says who starts"),
        ("crokinole match new Ann Bob --option round_score=match-play", "match play"),
        ("crokinole match new Ann Bob Cid Dee --colours white black", "Ann and Cid are partners"),
    ),
    "match add": (
        ("crokinole match add 60 45 --twenties 1 0", "a round's points and 20s, side by side"),
        ("crokinole match add --photo round.jpg", "the same, from a picture"),
        ("crokinole match add --correct 1 70 45", "round 1 was wrong; its 20s stay"),
        ("crokinole match add --foul Ann one-cheek", "a foul that somebody called"),
        ("crokinole match add --time", "the round's time is up"),
    ),
    "match shot": (
        ("crokinole match shot legal --board a1:Ann:15", "every disc that then lies there"),
        ("crokinole match shot foul --fault no_contact", "and an empty board after it"),
        ("crokinole match shot legal --twenties 1 0", "a 20 of the first side"),
    ),
    "match disc": (
        ("crokinole match disc a1 --zone 10", "it lies in the 10"),
        ("crokinole match disc a1 --side black", "it is black's"),
    ),
    "match rule": (
        ('crokinole match rule 1 "it stands"', "dispute 1 changes nothing"),
        ('crokinole match rule 1 "it touches" --disc a1 --zone 10', "a1 is worth 10"),
    ),
    "match undo": (("crokinole match undo", "in the newest match"),),
    "match show": (
        ("crokinole match show", "the newest match"),
        ("crokinole match show --match 3 --json", "another, for a program"),
    ),
    "match list": (("crokinole match list", "numbers, dates, players, scores"),),
    "match export": (
        ("crokinole match export > match.json", "everything, with times, as JSON"),
        ("crokinole match export --csv > rounds.csv", "rounds and shoot-outs as CSV"),
        ("crokinole match export --cmn --match 3", "Match Notation, for other programs"),
    ),
    "match import": (
        ("crokinole match import match.json", "with its dates"),
        ("crokinole match import rounds.csv", "CSV by the file's name"),
    ),
    "rules": (
        ("crokinole rules", "the five rule sets"),
        ("crokinole rules nca", "one: what each option does, its values"),
        ("crokinole rules mayday nca", "where two differ"),
    ),
    "simulate": (
        ("crokinole simulate scene.json", "contacts, and where discs end"),
        ("crokinole simulate scene.json --plot shot.png", "with a picture"),
        ("crokinole simulate advice.json --shot 2", "what advise --json printed"),
    ),
    "explain": (("crokinole explain pair.json", "likely flicks, and what they touched"),),
    "advise": (
        ("crokinole advise board.json --team red", "the best shots for red"),
        ("crokinole advise board.json --team red --plot best.png", "with a picture"),
    ),
    "speed": (("crokinole speed shots.json --out my.json", "into the board's profile"),),
    "serve": (
        ("crokinole serve", "on this machine alone"),
        ("crokinole serve --host 0.0.0.0 --tls", "for phones on the network"),
        ("crokinole serve --workers 2", "many boards' cameras"),
    ),
    "worker": (("crokinole worker --db club.db", "beside `serve --db club.db --workers 0`"),),
    "bench": (
        ("crokinole bench", "accuracy and speed on the sample pictures"),
        ("crokinole bench --truth folder", "on your own, with truth files"),
    ),
}

#: What stands beside an example where it fits 80 columns, and under it where one of them does not.
_MOST_LETTERS = 76
_EXIT_CODES = "exit codes: 0 done; 1 could not (standard error says why); 2 wrong usage"


class ExampleFormatter(argparse.HelpFormatter):
    """argparse's formatter, which leaves the lines of texts that have lines as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text:
            return super()._fill_text(text, width, indent)
        return "\n".join(f"{indent}{line}" for line in text.splitlines())


def add_examples(parser: argparse.ArgumentParser, name: str) -> None:
    """Examples and exit codes under a command's help, and under those of its actions."""
    examples = EXAMPLES.get(name, ())
    width = max((len(typed) for typed, _ in examples), default=0)
    is_wide = any(width + len(does) > _MOST_LETTERS for _, does in examples)
    lines = ["examples:"] if examples else []
    for typed, does in examples:
        lines += [f"  {typed}", f"      {does}"] if is_wide else [f"  {typed:{width}}  {does}"]
    parser.epilog = "\n".join((*lines, "", _EXIT_CODES) if lines else ("", _EXIT_CODES))
    parser.formatter_class = ExampleFormatter
    for group in parser._actions:
        if name and isinstance(group, argparse._SubParsersAction):
            for action, below in group.choices.items():
                add_examples(below, f"{name} {action}")
