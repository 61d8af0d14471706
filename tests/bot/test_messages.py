"""What goes out, before any platform's formatting."""

from __future__ import annotations

import re

import pytest

from bot.crisis_file import bundled
from bot.messages import Reply, Resource, TurnKind


@pytest.mark.parametrize(
    ("resource", "links"),
    [
        (Resource("A", phone="116 123"), {"call": "tel:116123"}),
        (Resource("A", phone="+44 20-7946 0100 ext 12"), {"call": "tel:+442079460100;ext=12"}),
        (Resource("A", phone="*4141"), {"call": "tel:*4141"}),
        (Resource("A", text="Text HOME to 741741"), {"text": "sms:741741?body=HOME"}),
        (Resource("A", text="Text 988"), {"text": "sms:988"}),
        (Resource("A", text="WhatsApp 9151 1767"), {}),
        (Resource("A", url="https://a.example/chat"), {"open": "https://a.example/chat"}),
    ],
)
def test_a_resource_can_be_called_texted_and_opened_by_a_link(resource: Resource, links: dict[str, str]) -> None:
    assert resource.links == links
    assert Reply(TurnKind.CRISIS, "", "t", resources=(resource,)).as_json()["resources"][0]["links"] == links


def test_every_number_of_the_file_makes_a_link() -> None:
    for line in bundled().lines:
        links = Resource(line.name, phone=line.phone, text=line.text, url=line.chat).links
        assert links or line.text
        assert not line.phone or re.fullmatch(r"tel:[+*]?[0-9]+(;ext=[0-9]+)?", links["call"])
