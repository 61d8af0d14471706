"""What the README and the example settings say is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from adapters.cli import main
from adapters.settings import environment_names
from bot.wording import wording
from tests.doubles.weaviate.orders import VERSION

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")


def test_the_readme_lists_the_commands_there_are() -> None:
    assert set(re.findall(r"^\| `citewell (\w+)", README, re.MULTILINE)) == set(main.commands)


def test_the_options_it_names_exist() -> None:
    known = {name for command in main.commands.values() for param in command.params for name in param.opts}
    assert set(re.findall(r"`(--[\w-]+)", README)) <= known


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!http)([^)#]+)\)", README))))
def test_its_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_the_page_on_claude_leads_somewhere_and_names_settings_there_are() -> None:
    page = (ROOT / "docs/claude.md").read_text(encoding="utf-8")
    assert all((ROOT / "docs" / link).exists() for link in re.findall(r"\]\(([^)#]+)\)", page))
    assert set(re.findall(r"(?:ANTHROPIC|CITEWELL)_[A-Z_]+", page)) <= set(environment_names().values())
    assert wording().refusal.model in page


@pytest.mark.parametrize("target", ["install", "demo", "test", "check", "bench"])
def test_make_knows_its_targets(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_example_names_every_setting_and_no_other() -> None:
    named = set(re.findall(r"^(?:# )?([A-Z][A-Z_]+)=", EXAMPLE, re.MULTILINE))
    assert named == set(environment_names().values())


def test_every_command_says_what_it_does() -> None:
    assert all(command.help for command in main.commands.values())


def test_the_constraints_pin_versions_and_name_no_registry() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[^\s/@]+", line) for line in lines)


def test_the_compose_files_run_the_version_that_was_tested_with_both_ports_open() -> None:
    manual = (ROOT / "docs/weaviate.md").read_text(encoding="utf-8")
    [three] = re.findall(r"```yaml\n(.*?)```", manual, re.DOTALL)
    for text, nodes in (((ROOT / "docker-compose.yml").read_text(encoding="utf-8"), 1), (three, 3)):
        services = [one for one in yaml.safe_load(text)["services"].values() if "image" in one]
        assert len(services) == nodes
        for service in services:
            assert service["image"].endswith(f":{VERSION}")
            assert {port.rpartition(":")[2] for port in service["ports"]} == {"8080", "50051"}
            assert service["environment"]["DEFAULT_VECTORIZER_MODULE"] == "none"
    assert VERSION in manual


def test_the_container_runs_as_nobody_special_and_keeps_what_the_compose_file_keeps() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    last = len(lines) - 1 - lines[::-1].index("FROM python:3.11-slim")
    assert "USER citewell" in lines[last:]
    bot = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]["bot"]
    assert "VOLUME /data" in lines
    assert bot["volumes"] == ["citewell:/data"]
    assert all(port.startswith("127.0.0.1:") for port in bot["ports"])
