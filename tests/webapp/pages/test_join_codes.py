"""QR codes with which phones join, read back by an independent reader."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np

from webapp.config import Config
from webapp.factory import create_app
from webapp.services import services_of


def read_codes(page: str) -> list[str]:
    """The contents of a page's QR codes."""
    return [_read(code) for code in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def _read(svg: str) -> str:
    """Draw the code's path, which consists of horizontal strokes of height 1, and read it."""
    size = int(re.findall(r'viewBox="0 0 (\d+)', svg)[0])
    scale = float(re.findall(r"scale\(([\d.]+)\)", svg)[0]) if "scale(" in svg else 1.0
    modules = round(size / scale)
    grid = np.full((modules, modules), 255, np.uint8)
    path = re.findall(r'stroke="#000"[^>]*? d="([^"]+)"|d="([^"]+)"[^>]*?stroke="#000"', svg)[0]
    x = y = 0.0
    for command, numbers in re.findall(r"([Mmh])([-\d. ]+)", "".join(path)):
        values = [float(number) for number in re.findall(r"-?\d*\.?\d+", numbers)]
        if command == "h":
            grid[int(y), round(x) : round(x + values[0])] = 0
            x += values[0]
        elif command == "M":
            x, y = values
        else:
            x, y = x + values[0], y + values[1]
    drawn = cv2.resize(grid, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
    return cv2.QRCodeDetectorAruco().detectAndDecode(drawn)[0]


def test_codes_say_where_to_watch_and_only_the_scorer_gets_the_other(tmp_path: Path) -> None:
    app = create_app(Config(host="0.0.0.0", database=str(tmp_path / "m.db")))
    token = services_of(app).secret.token
    client = app.test_client()
    page = client.get("/join", base_url="http://192.168.1.7:8000/").text
    assert read_codes(page) == ["http://192.168.1.7:8000/"]
    assert token not in page
    headers = {"Authorization": f"Bearer {token}"}
    page = client.get("/join", base_url="http://192.168.1.7:8000/", headers=headers).text
    watch, keep = read_codes(page)
    assert watch == "http://192.168.1.7:8000/"
    assert keep == f"http://192.168.1.7:8000/join#{token}"
