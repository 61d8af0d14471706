"""Files that the app uploads: an address, the bytes, and the message that Slack makes of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.doubles.slack.limits import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class Uploads:
    """What was uploaded, by id: its name, and its bytes once they have come. `origin` is where they are sent to."""

    origin: str = ""
    names: dict[str, str] = field(default_factory=dict)
    content: dict[str, bytes] = field(default_factory=dict)

    def begin(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """`files.getUploadURLExternal`."""
        if int(arguments["length"]) < 1:
            raise Refused("invalid_arguments", "a file has at least one byte")
        id_ = f"F{len(self.names) + 1:08d}"
        self.names[id_] = str(arguments["filename"])
        return {"upload_url": f"http://{self.origin}/upload/{id_}", "file_id": id_}

    def completed(self, arguments: Mapping[str, Any]) -> list[dict[str, str]]:
        """The files of `files.completeUploadExternal`, as a message lists them."""
        files = arguments["files"]
        listed = json.loads(files) if isinstance(files, str) else files
        for file in listed:
            if file["id"] not in self.content:
                raise Refused("file_not_found", file["id"])
        return [{"id": one["id"], "name": self.names[one["id"]], "title": one.get("title", "")} for one in listed]

    def delete(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """`files.delete`."""
        if self.names.pop(str(arguments["file"]), None) is None:
            raise Refused("file_not_found", str(arguments["file"]))
        self.content.pop(str(arguments["file"]), None)
        return {}
