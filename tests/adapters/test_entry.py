"""The program as the `citewell` script starts it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = "import sys; from adapters.entry import main; sys.exit(main())"
INTERRUPTED_WHILE_LOADING = f"""
import sys

class CtrlC:
    def find_spec(self, name, *_):
        if name == "adapters.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, CtrlC())
{SCRIPT}
"""


def test_ctrl_c_while_the_program_is_still_loading_ends_it_as_any_later_one() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_LOADING], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_the_script_starts_there_and_loads_nothing_before_it() -> None:
    script = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["citewell"]
    assert script == "adapters.entry:main"
    code = "import sys; before = set(sys.modules); import adapters.entry; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["adapters", "adapters.entry"]


def test_it_runs_the_command_it_is_given() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, "--version"], capture_output=True, text=True, check=True)
    assert "version" in done.stdout
