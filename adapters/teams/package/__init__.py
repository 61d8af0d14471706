"""The app package: what an administrator uploads to Teams so that people find the bot there."""

from __future__ import annotations

import io
import json
import zipfile
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

from adapters.teams.package.icons import color, outline
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from adapters.settings import Settings

_AT = (1980, 1, 1, 0, 0, 0)
"""The day of every file in the package, so that the same settings give the same bytes."""
_NEEDED = {
    "teams_app_id": "the bot's app id, as the Azure portal shows it",
    "teams_domain": "the host at which Teams reaches the bot, as bot.example.org",
    "teams_developer": "who runs the bot, as people see it",
    "teams_website": "a page about it, https://...",
    "teams_privacy": "its privacy notice, https://...",
    "teams_terms": "its terms of use, https://...",
}


def package(settings: Settings, *, version: str | None = None) -> bytes:
    """The zip file. `version` has to rise with every upload; unset takes the product's own.

    Raises `Misconfigured`, which names every setting that is missing and what goes there.
    """
    files = {
        "manifest.json": json.dumps(manifest(settings, version=version), indent=2, ensure_ascii=False).encode(),
        "color.png": color(),
        "outline.png": outline(),
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            zipped.writestr(zipfile.ZipInfo(name, _AT), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def manifest(settings: Settings, *, version: str | None = None) -> dict[str, Any]:
    """The manifest, with the operator's ids and addresses filled in."""
    from adapters.settings import environment_names

    names = environment_names()
    missing = [f"  {names[field]}: {what}" for field, what in _NEEDED.items() if getattr(settings, field) is None]
    if missing:
        raise Misconfigured("\n".join(["The app package needs these settings (docs/teams.md):", *missing]))
    text = resources.files("adapters.teams.package").joinpath("manifest.json").read_text(encoding="utf-8")
    filled: dict[str, Any] = json.loads(text)
    filled |= {
        "version": version or metadata.version("citewell"),
        "id": settings.teams_app_id,
        "developer": {
            "name": settings.teams_developer,
            "websiteUrl": settings.teams_website,
            "privacyUrl": settings.teams_privacy,
            "termsOfUseUrl": settings.teams_terms,
        },
        "name": {"short": settings.teams_name, "full": settings.teams_name},
        "validDomains": [settings.teams_domain],
    }
    filled["bots"][0]["botId"] = settings.teams_app_id
    return filled
