"""The double's process: prints its ports as one line of JSON, and serves until its standard input closes.

Its arguments, if any, are the two ports to open and the file of an earlier process's objects.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.doubles.weaviate.server import Server

if __name__ == "__main__":
    server, given = Server(), sys.argv[1:]
    if given:
        server.load(Path(given[2]))
    sys.stdout.write(json.dumps(server.start(*map(int, given[:2]))) + "\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    os._exit(0)  # at once, as a server that is killed: whoever closed the pipe wants no answer any more
