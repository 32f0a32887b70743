from __future__ import annotations

import json

import pytest
from outside import RECORDED, REPLAYED, program
from screen import Screen


@pytest.fixture
def terminal(tmp_path, request):
    """Runs a simulation in a real terminal and gives what it saw; without tmux, what was seen when it was recorded."""

    def played(name, width, simulation):
        path = RECORDED / f"terminal-{name}.json"
        if program("tmux") is None:
            REPLAYED.add("tmux")
            return json.loads(path.read_text(encoding="utf-8"))
        screen = Screen(tmp_path, width)
        try:
            seen = simulation(screen)
        finally:
            screen.close()
        if request.config.getoption("--update"):
            path.write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return seen

    return played
