"""The double's process: prints its ports as one line of JSON, and serves until its standard input closes."""

from __future__ import annotations

import json
import os
import sys

from tests.doubles.weaviate.server import Server

if __name__ == "__main__":
    sys.stdout.write(json.dumps(Server().start()) + "\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    os._exit(0)  # at once, as a server that is killed: whoever closed the pipe wants no answer any more
