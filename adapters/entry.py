"""Where the `citewell` script starts: nothing is loaded yet, so that Ctrl-C ends in good order from here on."""


def main() -> None:
    """Load the commands and run the one that is asked for; after Ctrl-C, however early, exit with 130."""
    try:
        from adapters.cli import main as commands

        commands()
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # as adapters.faults.INTERRUPTED, which would have to be loaded
