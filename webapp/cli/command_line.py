"""Every command of ``crokinole``: its arguments and options, its help and its examples.

The work of a command is a function in ``webapp.cli.commands`` whose parameters have the options'
names. This module computes nothing and loads quickly.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from scorer.physics.skills import SkillName
from scorer.rules.choices import Format
from scorer.rules.fault_codes import FaultCode
from scorer.rules.names import RuleSetName
from webapp.cli.command import Command, File, Group, Number
from webapp.config import CLIP_STORE_BYTES, LOOPBACK, PORT

COMPLETE_VARIABLE = "_CROKINOLE_COMPLETE"


def _argument(name: str, metavar: str, help: str, **more: Any) -> click.Argument:
    return click.Argument([name], metavar=metavar, help=help, **more)


def _option(*names: str, help: str, **more: Any) -> click.Option:
    return click.Option(names, help=help, **more)


def _flag(*names: str, help: str) -> click.Option:
    return click.Option(names, help=help, is_flag=True)


def _path(*names: str, help: str, metavar: str = "FILE", **more: Any) -> click.Option:
    return click.Option(names, help=help, metavar=metavar, type=File(path_type=Path), **more)


def _print_completion(ctx: click.Context, _param: click.Parameter, shell: str | None) -> None:
    """Print the completion script for a shell, and exit."""
    if shell is None:
        return
    from click.shell_completion import ShellComplete, get_completion_class

    import webapp.cli.tcsh  # noqa: F401  # makes it known to Click

    made = get_completion_class(shell) or ShellComplete
    click.echo(made(ctx.command, {}, "crokinole", COMPLETE_VARIABLE).source())
    ctx.exit()


_TEAMS = _option(
    "--teams",
    multiple=True,
    metavar="NAME...",
    help="Names of the two teams in doubles.",
)
_PROFILE = _path("--profile", help="Use the sizes in this profile, made by `crokinole calibrate`.")
_JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print only JSON.")
_RULES = _option(
    "--rules",
    type=click.Choice([name.value for name in RuleSetName], case_sensitive=False),
    default=RuleSetName.NCA.value,
    metavar="NAME",
    help=f"Use this rule set: {', '.join(RuleSetName)}.",
)
_SKILL = _option(
    "--skill",
    type=click.Choice([name.value for name in SkillName], case_sensitive=False),
    default=SkillName.CLUB.value,
    metavar="NAME",
    help=f"The player's skill: {', '.join(SkillName)}.",
)
#: Options for the address at which the server listens.
_ADDRESS = [
    _option(
        "--host",
        default=LOOPBACK,
        metavar="H",
        help="Address to listen on; 0.0.0.0 for your network.",
    ),
    _option("--port", type=Number(0, 65535), default=PORT, metavar="P", help="Port to listen on."),
]
_DATA = _path(
    "--data",
    metavar="DIR",
    help="Data folder; by default $CROKINOLE_DATA, or your platform's data folder.",
)
#: Options for the folder of matches and related files.
_KEPT = [
    _option(
        "--db",
        metavar="URL",
        help=(
            "Store matches in this file or database URL; by default in crokinole.db in the data "
            "folder."
        ),
    ),
    _DATA,
]
#: Options for many sources at once.
_JOBS = [
    _option(
        "--jobs",
        type=Number(1),
        metavar="N",
        help="Process N inputs at once, and print one JSON line per input.",
    ),
    _path(
        "--lines",
        help="With --jobs: append the lines to this file, and skip inputs it already has.",
    ),
    _option(
        "--cluster",
        metavar="ADDRESS",
        help="Instead of --jobs: run on a Dask cluster, such as tcp://host:8786.",
    ),
]
_MATCH = _option(
    "--match",
    "number",
    type=Number(),
    metavar="NUMBER",
    help="Match number; by default the newest.",
)
_CHANGE = [
    _option("--zone", type=Number(), metavar="ZONE", help="Set the disc's zone: 15, 10, 5 or 0."),
    _option("--side", metavar="SIDE", help="Set the disc's side: a name or a colour."),
]


def _second_camera(metavar: str, help: str) -> click.Option:
    return _option("--second-camera", "--beside", "beside", type=File(), metavar=metavar, help=help)


_DEMO = Command(
    "demo",
    work="demo:run_demo",
    help="Referee a sample round on a live scoreboard in the browser.",
    params=[
        *_ADDRESS,
        _flag("--no-browser", help="Do not open a browser."),
        _flag("--fast", help="Run as fast as possible instead of in real time."),
        _flag("--once", help="Stop after the round and print its score."),
    ],
    examples=[
        ("crokinole demo", "run until you press Ctrl+C"),
        ("crokinole demo --fast --once", "run fast, then print the score"),
    ],
)
_SCORE = Command(
    "score",
    work="score:score_pictures",
    exclusive=("jobs", "cluster"),
    short_help="Score every disc in a photo of the board",
    help="Score every disc in a photo of the board, with the certainty of every call.",
    params=[
        _argument(
            "images",
            "IMAGE...",
            "Photos of boards; - reads one from standard input.",
            nargs=-1,
            required=True,
            type=File(),
        ),
        _PROFILE,
        _option(
            "--rules",
            type=click.Choice([name.value for name in RuleSetName], case_sensitive=False),
            default=RuleSetName.NCA.value,
            metavar="NAME",
            expose_value=False,
            help=f"Rule set to use: {', '.join(RuleSetName)}. A finished round scores the same in "
            "all of them.",
        ),
        _JSON,
        _path(
            "--overlay",
            metavar="DIR",
            help="Write copies of the photos with the calls drawn on them.",
        ),
        _second_camera(
            "IMAGE",
            (
                "Score one board from IMAGE and this second photo, taken at the same moment "
                "from a different side."
            ),
        ),
        *_JOBS,
    ],
    examples=[
        ("crokinole score photo.jpg", "print a table and the totals"),
        ("crokinole score a.jpg b.jpg --overlay calls", "also draw the calls on copies"),
        ("crokinole score above.jpg --second-camera side.jpg", "score one board from two cameras"),
        ("crokinole score photo.jpg --json", "print JSON for a program"),
        ("ssh pi cat board.jpg | crokinole score -", "score a photo from another computer"),
        ("crokinole score a.jpg b.jpg --jobs 2 --lines all.jsonl", "score many, two at a time"),
    ],
)
_WATCH = Command(
    "watch",
    work="watch:watch_sources",
    exclusive=("jobs", "cluster"),
    short_help="Referee a game with a camera or from a video",
    help="Follow a game with one fixed camera and call every shot.",
    params=[
        _argument(
            "sources",
            "SOURCE...",
            "A video, a folder of pictures, a camera's number, or a URL; several with --jobs.",
            nargs=-1,
            required=True,
            type=File(),
        ),
        _RULES,
        _PROFILE,
        _path("--events", help="Write events to this file, one JSON object per line."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print only events, as JSON lines."),
        _path("--overlay-video", help="Write the video with the calls drawn on it."),
        _second_camera(
            "SOURCE",
            "Judge every shot with a second camera on the same board, or its recording.",
        ),
        _option(
            "--beside-offset",
            type=Number(kind=float),
            metavar="S",
            help=(
                "Add S seconds to the second recording's times; by default they are aligned by "
                "motion."
            ),
        ),
        _flag("--real-time", help="Play a video at its original speed."),
        click.Option(
            ["--serve", "is_served"],
            is_flag=True,
            help="Show the game in browsers too, like `crokinole serve`.",
        ),
        *_ADDRESS,
        _DATA,
        *_JOBS,
    ],
    examples=[
        ("crokinole watch game.mp4", "print every shot, its verdict and the score"),
        ("crokinole watch above.mp4 --second-camera side.mp4", "judge shots from two cameras"),
        ("crokinole watch 0 --rules mayday", "referee live with the first camera"),
        ("crokinole watch 0 --serve", "show it in browsers too"),
    ],
)
_REVIEW = Command(
    "review",
    work="review:review",
    short_help="Judge one disputed shot from a video, such as one from a phone",
    help=(
        "Judge one disputed shot from a video of up to 30 seconds. The camera may move. Writes a "
        "quarter-speed video: the original beside a straightened view of the board, with the "
        "discs' paths and the decisive moment."
    ),
    params=[
        _argument("film", "CLIP", "A video of one shot, or a folder of pictures."),
        _RULES,
        _PROFILE,
        _JSON,
        _path(
            "--video",
            metavar="FILE.mp4",
            help=(
                "Write the slow-motion video to this file; by default, CLIP's name with "
                "_review.mp4, in the current folder."
            ),
        ),
        _flag("--no-video", help="Do not write a video."),
    ],
    examples=[
        ("crokinole review shot.mp4", "print the verdict and write shot_review.mp4"),
        ("crokinole review shot.mp4 --no-video", "print only the verdict"),
    ],
)
_CALIBRATE = Command(
    "calibrate",
    work="calibrate:calibrate",
    short_help="Measure a board, its discs and a camera, and save a profile",
    help=(
        "Measure a board, its discs and a camera from photos, and save the sizes in a profile "
        "for `crokinole score --profile`. Several photos of the same board, taken with the same "
        "camera and zoom from different sides, also measure the lens."
    ),
    params=[
        _argument(
            "images",
            "IMAGE_OR_SOURCE...",
            "Photos of the board, or a camera number, a stream address or a video.",
            nargs=-1,
            required=True,
            type=File(),
        ),
        _path("--out", metavar="PROFILE", required=True, help="Write the profile to this file."),
        _option("--name", default="", metavar="NAME", help="Name of the board."),
        _option(
            "--flicks",
            metavar="CLIP",
            help="Measure the board's speed from a video of three flicks that touch nothing.",
        ),
        _flag("--confirm", help="Confirm or correct every step yourself."),
    ],
    examples=[
        ("crokinole calibrate board.jpg --out my.json", "measure the board and discs"),
        ("crokinole calibrate a.jpg b.jpg c.jpg --out my.json", "measure the lens too"),
    ],
)
_JUDGE = Command(
    "judge",
    work="judge:judge_scenario",
    short_help="Judge a shot: legal or a foul, and the discs to remove",
    help="Judge a shot: legal or a foul, the rule, and the board afterwards.",
    params=[
        _argument(
            "scenario",
            "SCENARIO.json",
            "The board before and after a shot, and its contacts; example_shot.json is included.",
            type=File(path_type=Path),
        ),
        _PROFILE,
        _JSON,
    ],
    examples=[
        ("crokinole judge example_shot.json", "judge an included example"),
        ("crokinole judge shot.json", "judge your own shot"),
        ("crokinole judge shot.json --json", "print JSON for a program"),
    ],
)
_RULES_COMMAND = Command(
    "rules",
    work="rules:show_rules",
    short_help="List the rule sets, explain one, or compare two",
    help="List the rule sets, explain one in plain words, or compare two.",
    params=[_argument("names", "[NAME]...", "Up to two rule sets.", nargs=-1), _JSON],
    examples=[
        ("crokinole rules", "list the five rule sets"),
        ("crokinole rules nca", "explain one set and its options"),
        ("crokinole rules mayday nca", "show where two sets differ"),
    ],
)
_SIMULATE = Command(
    "simulate",
    work="physics.simulate:simulate_scene",
    short_help="Predict where every disc stops after a flick",
    help="Predict where every disc stops after a flick, and which discs touch.",
    params=[
        _argument(
            "scene",
            "SCENE.json",
            "A board and a flick, or the output of `crokinole advise --json`.",
            type=File(path_type=Path),
        ),
        _option(
            "--shot",
            type=Number(1),
            default=1,
            metavar="N",
            help="The suggested shot to simulate; 1 is the best.",
        ),
        _PROFILE,
        _JSON,
        _path("--plot", help="Draw the paths, as PNG or JPEG."),
        _path("--animate", help="Save the shot as an animated GIF at half speed."),
    ],
    examples=[
        ("crokinole simulate scene.json", "print contacts and where discs stop"),
        ("crokinole simulate scene.json --plot shot.png", "also draw the paths"),
        ("crokinole simulate advice.json --shot 2", "read the output of `advise --json`"),
    ],
)
_EXPLAIN = Command(
    "explain",
    work="physics.explain:explain_pair",
    short_help="Find the flick that turns one board into another",
    help=(
        "Find the flick that turns one board into another. The output shows whether an "
        "opponent's disc was touched, and whether any legal collision explains the change."
    ),
    params=[
        _argument("pair", "PAIR.json", "The board before and after.", type=File(path_type=Path)),
        _PROFILE,
        _JSON,
    ],
    examples=[("crokinole explain pair.json", "list likely flicks and what they touched")],
)
_ADVISE = Command(
    "advise",
    work="physics.advise:advise",
    short_help="Suggest the best shots on a board",
    help=(
        "Suggest the best legal shots on a board: where to place the disc, where to aim, how hard "
        "to shoot, and the chances. `crokinole simulate` reads the output of --json."
    ),
    params=[
        _argument(
            "board",
            "BOARD.json",
            "The discs and their teams. The program includes example_board.json.",
            type=File(path_type=Path),
        ),
        _option(
            "--team",
            required=True,
            metavar="NAME",
            help="The team whose turn it is, as named in the file.",
        ),
        _SKILL,
        _option(
            "--aim",
            type=Number(kind=float),
            metavar="MRAD",
            help="Set how far the aim varies, in thousandths of a radian, instead of the skill "
            "level's value.",
        ),
        _RULES,
        _PROFILE,
        _JSON,
        _path("--plot", help="Draw the best shot."),
    ],
    examples=[
        ("crokinole advise example_board.json --team red", "try an included example"),
        ("crokinole advise board.json --team red", "list the best shots for red"),
        ("crokinole advise board.json --team red --skill novice", "list shots for a novice"),
        ("crokinole advise board.json --team red --plot best.png", "also draw the best shot"),
    ],
)
_ANALYSE = Command(
    "analyse",
    work="match:analyse",
    short_help="Show what every shot of a match was worth",
    help="Show each side's chances of winning the match after every shot, and the biggest swings.",
    params=[
        _argument(
            "number",
            "[MATCH]",
            "Match number; by default the newest.",
            required=False,
            type=Number(),
        ),
        *_KEPT,
        _SKILL,
        _JSON,
    ],
    examples=[
        ("crokinole analyse", "analyse the newest match"),
        (
            "crokinole analyse 3 --skill strong --json",
            "analyse match 3 for strong players, as JSON",
        ),
    ],
)
_SPEED = Command(
    "speed",
    work="physics.speed:measure_speed",
    short_help="Measure a board's friction and bounce from shots",
    help="Measure a board's friction and bounce from recorded shots: positions of moving discs, or "
    "boards before and after flicks of known speed and direction.",
    params=[
        _argument("shots", "SHOTS.json", "The recorded shots.", type=File(path_type=Path)),
        _PROFILE,
        _path("--out", metavar="PROFILE", help="Write the profile with the speed to this file."),
        _JSON,
    ],
    examples=[
        ("crokinole speed shots.json --out my.json", "save the speed in the board's profile")
    ],
)
_SERVE = Command(
    "serve",
    work="serve:serve_pages",
    help="Serve the scoreboard and its pages to browsers.",
    params=[
        *_ADDRESS,
        *_KEPT,
        _option("--source", metavar="S", help="Referee this camera: its number, a URL, or a file."),
        _second_camera("S", "Referee with a second camera on the same board."),
        _RULES,
        _PROFILE,
        _flag("--tls", help="Use HTTPS, which phones need to share their camera."),
        _flag("--new-token", help="Make a new scorer's code; the old one stops working."),
        _flag("--hooks-inside", help="Let webhooks reach this computer and its network."),
        _option(
            "--allow-site",
            "sites",
            multiple=True,
            metavar="SITE",
            help="Let a site's pages use the API, such as https://club.example (repeatable).",
        ),
        _option(
            "--host-name",
            "host_names",
            multiple=True,
            metavar="NAME",
            help="A name browsers use for this server, such as club.example (repeatable).",
        ),
        _option(
            "--proxies",
            type=Number(0, 9),
            default=0,
            metavar="N",
            help=(
                "Number of your own proxies in front of the server; their X-Forwarded-For is "
                "trusted."
            ),
        ),
        _flag(
            "--behind-proxy", help="Trust one proxy's X-Forwarded-For, -Proto, -Host and -Prefix."
        ),
        _option(
            "--shots-mb",
            type=Number(0),
            default=CLIP_STORE_BYTES // 10**6,
            metavar="MB",
            help="Space for recorded shots, in MB; when it is full, the oldest are deleted.",
        ),
        _option(
            "--workers",
            type=Number(0),
            metavar="N",
            help="Let workers run the cameras, and start N of them here; 0 if they run elsewhere.",
        ),
    ],
    examples=[
        ("crokinole serve", "let only this computer connect"),
        ("crokinole serve --host 0.0.0.0 --tls", "let phones on your network connect"),
        ("crokinole serve --workers 2", "let two workers run the cameras"),
    ],
)
_WORKER = Command(
    "worker",
    work="worker:work",
    short_help="Referee cameras for a server, on this computer or another",
    help="Run cameras for a server that was started with --workers. The server shares the cameras "
    "among its workers.",
    params=[
        *_KEPT,
        _option(
            "--name",
            metavar="NAME",
            help="A name that no other worker has; by default this computer's name with a number.",
        ),
        _option(
            "--most", type=Number(1), default=6, metavar="N", help="Referee at most N cameras."
        ),
        _RULES,
    ],
    examples=[("crokinole worker --db club.db", "referee for `serve --db club.db --workers 0`")],
)
_BENCH = Command(
    "bench",
    work="bench:run_bench",
    short_help="Measure accuracy and speed on photos with known results",
    help="Score photos that have truth files, and report the accuracy.",
    params=[
        _argument(
            "what",
            "[WHAT]",
            (
                "Default: pictures. watch: videos with truth; physics: simulated shots, compared "
                "with pymunk if installed; impacts: random impacts, checked for momentum, energy "
                "and run length; explain: shots, and discs moved by hand; serve: "
                "events to 200 spectators; views: drawn boards seen from 60 to 78 degrees off "
                "vertical."
            ),
            type=click.Choice(
                ["pictures", "watch", "physics", "impacts", "explain", "serve", "views"]
            ),
            default="pictures",
        ),
        _option(
            "--boards",
            type=Number(1),
            default=20,
            metavar="N",
            help="For views: how many boards per tilt.",
        ),
        _option(
            "--shots", type=Number(1), default=200, metavar="N", help="For explain: how many shots."
        ),
        _option(
            "--impacts",
            type=Number(1),
            default=1_000_000,
            metavar="N",
            help="With `impacts`: how many to test.",
        ),
        _path(
            "--truth",
            metavar="DIR",
            help="Use this folder: photos with truth files of the same names (.json), or reports "
            "of wrong calls (.zip). By default, the sample photos.",
        ),
        _option(
            "--sweep",
            metavar="STAGE.FIELD=V1,V2",
            help="Test several values of one parameter on the pictures, or on videos if the stage "
            "needs them.",
        ),
        _option(
            "--ablate",
            is_flag=False,
            flag_value="",
            metavar="[STAGE]",
            help="Test the pictures with one stage disabled, or with every stage disabled in turn.",
        ),
        _option(
            "--parameters",
            is_flag=False,
            flag_value="",
            metavar="[STAGE]",
            help="List the parameters of all stages, or of one: default, unit and source.",
        ),
        _JSON,
    ],
    examples=[
        ("crokinole bench", "test the sample photos"),
        ("crokinole bench --truth folder", "test your own photos with truth files"),
    ],
)
_MATCH_ACTIONS = [
    Command(
        "new",
        work="match:new",
        help="Start a match.",
        params=[
            _argument(
                "players",
                "PLAYER...",
                "The players, clockwise; a player alone against two comes first.",
                nargs=-1,
                required=True,
            ),
            _RULES,
            click.Option(
                ["--format", "seating"],
                type=click.Choice([str(seating) for seating in Format], case_sensitive=False),
                metavar="NAME",
                help=f"Format: {', '.join(Format)}; by default, the number of players decides.",
            ),
            click.Option(
                ["--option", "options"],
                multiple=True,
                metavar="NAME=VALUE",
                help=(
                    "Change a rule option, such as round_score=match-play; `crokinole rules nca` "
                    "lists them (repeatable)."
                ),
            ),
            _option(
                "--starter",
                metavar="PLAYER",
                help=(
                    "Who starts, or draw for a random draw; by default, the first player in the "
                    "list who may start."
                ),
            ),
            _option(
                "--games", type=Number(1), default=1, metavar="N", help="Play best of N games."
            ),
            _option(
                "--colours",
                multiple=True,
                metavar="COLOUR...",
                help="The colours of the sides' discs.",
            ),
            _TEAMS,
        ],
        examples=[
            ("crokinole match new Ann Bob --starter draw", "a random draw decides who starts"),
            ("crokinole match new Ann Bob --option round_score=match-play", "score by match play"),
            (
                "crokinole match new Ann Bob Cid Dee --colours white black",
                "Ann and Cid are partners",
            ),
        ],
    ),
    Command(
        "add",
        work="match:add",
        exclusive=(
            "correct",
            "shootout",
            "starter",
            "plays",
            "teams",
            "started",
            "dispute",
            "ruling",
            "time",
            "over",
            "foul",
        ),
        short_help="Add a round, a foul, a dispute or another entry",
        help="Add a round's points, or another entry: a foul, a dispute, or time running out.",
        params=[
            _argument(
                "points",
                "[POINTS]...",
                "The sides' points, including 20s.",
                nargs=-1,
                type=Number(),
            ),
            _option(
                "--twenties",
                multiple=True,
                type=Number(),
                metavar="N...",
                help="The sides' 20s; with --photo, those beside the board.",
            ),
            click.Option(
                ["--photo"],
                type=File(),
                metavar="PICTURE",
                help="Read the points from a photo of the finished round.",
            ),
            _option(
                "--colours",
                multiple=True,
                metavar="COLOUR...",
                help="The sides' colours in this photo.",
            ),
            _PROFILE,
            _option(
                "--correct",
                type=Number(),
                metavar="ROUND",
                help="Correct the score of this round.",
            ),
            _option(
                "--shootout",
                multiple=True,
                type=Number(),
                metavar="N...",
                help="The sides' 20s in a shoot-out.",
            ),
            _option("--starter", metavar="PLAYER", help="Who starts the next round."),
            _option("--dispute", metavar="TEXT", help="Record a dispute."),
            _option(
                "--plays",
                type=(str, str),
                metavar="COLOUR SIDE",
                help="Set which side plays a colour; shots seen by a camera are rescored.",
            ),
            _TEAMS,
            _option(
                "--started",
                type=(Number(), str),
                metavar="ROUND PLAYER",
                help="Set who started a round; shots seen by a camera are rescored.",
            ),
            _option(
                "--ruling",
                type=(Number(), str),
                metavar="NUMBER TEXT",
                help="Settle the dispute with this number; TEXT is the ruling.",
            ),
            _flag("--time", help="Record that the round's time ran out."),
            _flag(
                "--over",
                help="Confirm that the round ended early, as the camera reports.",
            ),
            _option(
                "--foul", type=(str, str), metavar="PLAYER FOUL", help="Add a foul that was called."
            ),
            _MATCH,
        ],
        examples=[
            ("crokinole match add 60 45 --twenties 1 0", "add a round: both sides' points and 20s"),
            ("crokinole match add --photo round.jpg", "read the round from a photo"),
            ("crokinole match add --correct 1 70 45", "correct round 1 and keep its 20s"),
            ("crokinole match add --foul Ann one-cheek", "add a called foul"),
            ("crokinole match add --time", "record that time ran out"),
        ],
    ),
    Command(
        "shot",
        work="match:shot",
        help="Add one shot by the player whose turn it is.",
        params=[
            _argument("verdict", "VERDICT", "Legal or foul.", type=click.Choice(["legal", "foul"])),
            _option(
                "--board",
                multiple=True,
                is_flag=False,
                flag_value="",
                metavar="DISC:SIDE:ZONE...",
                help="Every disc now on the board, such as a1:Ann:15; SIDE is a name or a colour.",
            ),
            _option(
                "--twenties",
                multiple=True,
                type=Number(),
                metavar="N...",
                help="The sides' new 20s.",
            ),
            click.Option(
                ["--fault", "faults"],
                multiple=True,
                metavar="RULE",
                help=f"The rule that was broken: {', '.join(FaultCode)} (repeatable).",
            ),
            _flag("--reshoot", help="The shot is repeated, as the rules allow."),
            _MATCH,
        ],
        examples=[
            ("crokinole match shot legal --board a1:Ann:15", "one disc is on the board"),
            ("crokinole match shot foul --fault no_contact", "a foul; the board is empty"),
            ("crokinole match shot legal --twenties 1 0", "a 20 for the first side"),
        ],
    ),
    Command(
        "disc",
        work="match:disc",
        help="Correct a disc on the board: its zone or its side.",
        params=[_argument("disc", "DISC", "The disc's name, such as a1."), *_CHANGE, _MATCH],
        examples=[
            ("crokinole match disc a1 --zone 10", "the disc is worth 10"),
            ("crokinole match disc a1 --side black", "the disc belongs to black"),
        ],
    ),
    Command(
        "rule",
        work="match:rule",
        help="Settle a dispute, with any change to the board.",
        params=[
            _argument("dispute", "DISPUTE", "The dispute's number.", type=Number()),
            _argument("decision", "TEXT", "How it was settled."),
            _option("--disc", metavar="DISC", help="The disc that the ruling changes."),
            _option("--twenty", metavar="SIDE", help="Add a 20 for this side: a name or a colour."),
            *_CHANGE,
            _MATCH,
        ],
        examples=[
            ('crokinole match rule 1 "it stands"', "dispute 1 changes nothing"),
            ('crokinole match rule 1 "it touches" --disc a1 --zone 10', "a1 is worth 10"),
        ],
    ),
    Command(
        "undo",
        work="match:undo",
        help="Undo the last entry.",
        params=[_MATCH],
        examples=[("crokinole match undo", "undo the newest match's last entry")],
    ),
    Command(
        "show",
        work="match:show",
        help="Show a match and its score.",
        params=[_MATCH, _JSON],
        examples=[
            ("crokinole match show", "show the newest match"),
            ("crokinole match show --match 3 --json", "print match 3 as JSON"),
        ],
    ),
    Command(
        "list",
        work="match:list_matches",
        help="List all matches.",
        params=[_JSON],
        examples=[("crokinole match list", "list numbers, dates, players and scores")],
    ),
    Command(
        "export",
        work="match:export",
        exclusive=("csv", "cmn"),
        short_help="Write a match as JSON, or its rounds as CSV",
        help=(
            "Write a match to standard output: everything as JSON, its rounds as CSV, or a "
            "finished match as Match Notation."
        ),
        params=[
            _flag("--csv", help="Rounds and shoot-outs as CSV."),
            _flag("--cmn", help="A finished match as Match Notation."),
            _MATCH,
        ],
        examples=[
            ("crokinole match export > match.json", "write everything, with times, as JSON"),
            ("crokinole match export --csv > rounds.csv", "write rounds and shoot-outs as CSV"),
            ("crokinole match export --cmn --match 3", "write Match Notation for other programs"),
        ],
    ),
    Command(
        "import",
        work="match:import_file",
        help="Import an exported match.",
        params=[
            _argument(
                "file",
                "FILE",
                "JSON, Match Notation, or CSV if its name ends in .csv; - reads standard input.",
                type=File(path_type=Path),
            )
        ],
        examples=[
            ("crokinole match import match.json", "import a match with its dates"),
            ("crokinole match import rounds.csv", "read as CSV, because the name ends in .csv"),
        ],
    ),
]


@click.pass_context
def _hand_down(ctx: click.Context, **kept: object) -> None:
    """Pass options given before the name of an action on to the action."""
    assert isinstance(ctx.command, click.Group)
    ctx.default_map = dict.fromkeys(ctx.command.commands, kept)


for _action in _MATCH_ACTIONS:
    _action.params += _KEPT
_MATCH_GROUP = Group(
    "match",
    commands=_MATCH_ACTIONS,
    callback=_hand_down,
    short_help="Keep the score of a match",
    help="Keep the score of a match, round by round, without a camera.",
    params=[*_KEPT],
    subcommand_metavar="ACTION [ARGS]...",
    examples=[
        ("crokinole match new Ann Bob", "start a match under NCA rules"),
        ("crokinole match add 60 45 --twenties 1 0", "add a round: points, including 20s"),
        ("crokinole match show", "show the score so far"),
        ("crokinole match add --help", "show an action's options"),
    ],
)
#: The program, its commands in the order in which its help lists them.
CROKINOLE = Group(
    "crokinole",
    commands=[
        _DEMO,
        _SCORE,
        _WATCH,
        _REVIEW,
        _CALIBRATE,
        _JUDGE,
        _MATCH_GROUP,
        _RULES_COMMAND,
        _SIMULATE,
        _EXPLAIN,
        _ADVISE,
        _ANALYSE,
        _SPEED,
        _SERVE,
        _WORKER,
        _BENCH,
    ],
    help="A refereeing assistant for crokinole on real boards.",
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    params=[
        click.Option(
            ["--completion"],
            type=click.Choice(["bash", "zsh", "fish", "powershell", "tcsh"]),
            metavar="SHELL",
            is_eager=True,
            expose_value=False,
            callback=_print_completion,
            help="Print a completion script for bash, zsh, fish, powershell or tcsh, and exit.",
        )
    ],
    examples=[
        ("crokinole demo", "watch a sample round being refereed, in the browser"),
        ("crokinole score photo.jpg", "score a photo of a round"),
        ("crokinole score --help", "show a command's options and examples"),
    ],
)
click.version_option(package_name="crokinole-referee", message="%(prog)s %(version)s")(CROKINOLE)
