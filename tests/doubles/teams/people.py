"""Who and what there is in this Teams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

APP = "11111111-1111-4111-8111-111111111111"
TENANT = "72f988bf-0000-4000-8000-000000000001"
BOT = f"28:{APP}"
BOT_NAME = "Citewell"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in Teams, as `members` describes them. `directory` is empty for who is in no directory."""

    id: str
    name: str
    directory: str
    role: str | None = "user"
    tenant: str | None = TENANT
    country: str = "GB"
    locale: str = "en-GB"

    def account(self) -> dict[str, Any]:
        """As activities name them."""
        return {"id": self.id, "name": self.name, **({"aadObjectId": self.directory} if self.directory else {})}

    def member(self) -> dict[str, Any]:
        """As the list of members has them."""
        more = {"userRole": self.role, "tenantId": self.tenant}
        return {**self.account(), **{name: value for name, value in more.items() if value is not None}}


AMINA = Person("29:1amina", "Amina", "00000000-0000-4000-8000-00000000000a")
BJORN = Person("29:1bjorn", "Björn", "00000000-0000-4000-8000-00000000000b")
GUEST = Person("29:1guest", "Greta", "00000000-0000-4000-8000-00000000000c", role="guest")
EVERYONE = (AMINA, BJORN, GUEST)
