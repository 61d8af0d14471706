"""Where the `citewell` script starts: nothing is loaded yet, so that Ctrl-C ends in good order from here on."""

import sys


def main() -> None:
    """Load the commands and run the one that is asked for; after Ctrl-C, however early, exit with 130."""
    # sqlite-utils loads pandas where it finds it, for tables that nobody here makes: 40 MB, and a tenth of a second.
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]  # None is how Python is told not to find it
    try:
        from adapters.cli import main as commands

        commands()
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # as adapters.faults.INTERRUPTED, which would have to be loaded
