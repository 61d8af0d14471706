"""The state of one workspace: people, messages, and what each Web API method does to them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.doubles.slack.channels import Channels
from tests.doubles.slack.limits import Refused
from tests.doubles.slack.uploads import Uploads
from tests.doubles.slack.views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.doubles.slack.files import FileStore

TEAM = "T0CLINIC1"
BOT = "U0CITEBOT"
BOT_ID = "B0CITEBOT"
APP = "A0CITEWELL"


@dataclass(slots=True)
class Message:
    """One message as it stands in a channel; `to` is set where only that person sees it."""

    channel: str
    ts: str
    user: str
    text: str
    thread_ts: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] | None = None
    to: str | None = None
    team: str = TEAM
    bot_id: str | None = None
    files: list[dict[str, str]] = field(default_factory=list)

    @property
    def by_bot(self) -> bool:
        """Whether the app wrote it."""
        return self.bot_id is not None or self.user == BOT

    def as_json(self, *, with_metadata: bool) -> dict[str, Any]:
        """As `conversations.replies` lists it."""
        listed: dict[str, Any] = {
            "type": "message",
            "user": self.user,
            "text": self.text,
            "ts": self.ts,
            "team": self.team,
        }
        if self.thread_ts:
            listed["thread_ts"] = self.thread_ts
        if self.by_bot:
            listed |= {"bot_id": self.bot_id or BOT_ID, "app_id": APP, "blocks": self.blocks}
        if self.files:
            listed["files"] = self.files
        if with_metadata and self.metadata:
            listed["metadata"] = self.metadata
        return listed


class Workspace:
    """People by id, messages by channel, and the status shown in each thread.

    The app's user and bot there are `bot` and `bot_id`; `enterprise` is the organisation that it belongs to.
    """

    def __init__(
        self, team: str = TEAM, *, bot: str = BOT, bot_id: str = BOT_ID, enterprise: str | None = None
    ) -> None:
        self.team = team
        self.bot = bot
        self.bot_id = bot_id
        self.enterprise = enterprise
        self.users: dict[str, dict[str, Any]] = {}
        self.channels = Channels(team, self.users)
        self.files: FileStore | None = None
        self.messages: dict[str, list[Message]] = defaultdict(list)
        self.ephemeral: list[Message] = []
        self.statuses: list[tuple[str, str, str]] = []
        self.closed_channels: dict[str, str] = {}
        self.homes: dict[str, dict[str, Any]] = {}
        self.prompts: dict[str, list[dict[str, str]]] = {}
        self.views = Views()
        self.uploads = Uploads()
        self._ticks = 0
        self.add_user("U0AMINA", locale="en-GB", tz="Europe/London")
        self.add_user(bot, is_bot=True)

    def add_user(self, user: str, **profile: Any) -> None:
        """Someone of this workspace, unless `profile` says otherwise."""
        self.users[user] = {"id": user, "team_id": self.team, "name": user.lower(), "is_bot": False, **profile}

    def next_ts(self) -> str:
        """A timestamp that no message has yet."""
        self._ticks += 1
        return f"1764500000.{self._ticks:06d}"

    def posted(self, channel: str, *, thread: str | None = None) -> list[Message]:
        """What the app posted for all to see, in one thread or anywhere in the channel."""
        return [
            message
            for message in self.messages[channel]
            if message.by_bot and (thread is None or message.thread_ts == thread)
        ]

    @property
    def methods(self) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        """What each method does with its arguments."""
        return {
            "auth.test": self._auth_test,
            "bots.info": self._bots_info,
            "users.info": self._users_info,
            "chat.postMessage": self._post_message,
            "chat.postEphemeral": self._post_ephemeral,
            "chat.getPermalink": self._permalink,
            "chat.delete": self._delete,
            "chat.update": self._update,
            **self.views.methods,
            "conversations.open": self._open,
            "conversations.replies": self._replies,
            "conversations.history": self._history,
            "assistant.threads.setStatus": self._set_status,
            "assistant.threads.setSuggestedPrompts": self._set_prompts,
            "views.publish": self._publish,
            **self.channels.methods,
            **(self.files.methods if self.files else {}),
            "files.getUploadURLExternal": self.uploads.begin,
            "files.completeUploadExternal": self._share_files,
            "files.delete": self.uploads.delete,
        }

    def _auth_test(self, _: Mapping[str, Any]) -> dict[str, Any]:
        ids = {"team_id": self.team, "user_id": self.bot, "bot_id": self.bot_id, "enterprise_id": self.enterprise}
        return {"url": "https://clinic.slack.com/", "team": "Clinic", "user": "citewell", **ids}

    def _bots_info(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {"bot": {"id": self.bot_id, "app_id": APP, "user_id": self.bot, "name": "citewell", "deleted": False}}

    def _users_info(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        user = dict(self.users.get(arguments["user"]) or {})
        if not user:
            raise Refused("user_not_found", str(arguments["user"]))
        if not arguments.get("include_locale"):
            user.pop("locale", None)
        return {"user": user}

    def _post_message(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        message = self._written(arguments, to=None)
        self.messages[message.channel].append(message)
        return {"channel": message.channel, "ts": message.ts, "message": message.as_json(with_metadata=True)}

    def _post_ephemeral(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        message = self._written(arguments, to=arguments["user"])
        replied_to = {one.thread_ts for one in self.messages[message.channel] if one.thread_ts != one.ts}
        if message.thread_ts is None or message.thread_ts in replied_to:  # else Slack takes it and shows it nowhere
            self.ephemeral.append(message)
        return {"message_ts": message.ts}

    def _delete(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        message = self._ours(arguments, "cant_delete_message")
        self.messages[message.channel].remove(message)
        return {"channel": message.channel, "ts": message.ts}

    def _update(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._check_open(arguments["channel"])
        message = self._ours(arguments, "cant_update_message")
        message.text, message.blocks = arguments.get("text", ""), list(arguments.get("blocks") or ())
        message.metadata = arguments.get("metadata") or message.metadata
        return {"channel": message.channel, "ts": message.ts, "text": message.text}

    def _ours(self, arguments: Mapping[str, Any], otherwise: str) -> Message:
        for message in self.messages[arguments["channel"]]:
            if message.ts == arguments["ts"]:
                if not message.by_bot:
                    raise Refused(otherwise, "somebody else wrote it")
                return message
        raise Refused("message_not_found", str(arguments["ts"]))

    def _share_files(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        files = self.uploads.completed(arguments)
        text = arguments.get("initial_comment", "")
        message = self._written({**arguments, "channel": arguments["channel_id"], "text": text}, to=None)
        message.files = files
        self.messages[message.channel].append(message)
        return {"files": files}

    def _permalink(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        channel, ts = arguments["channel"], arguments["message_ts"]
        if not any(message.ts == ts for message in self.messages[channel]):
            raise Refused("message_not_found", ts)
        link = f"https://clinic.slack.com/archives/{channel}/p{ts.replace('.', '')}"
        return {"channel": channel, "permalink": link}

    def _written(self, arguments: Mapping[str, Any], *, to: str | None) -> Message:
        channel = arguments["channel"]
        self._check_open(channel)
        return Message(
            channel=channel,
            ts=self.next_ts(),
            user=self.bot,
            team=self.team,
            bot_id=self.bot_id,
            text=arguments.get("text", ""),
            thread_ts=arguments.get("thread_ts"),
            blocks=list(arguments.get("blocks") or ()),
            metadata=arguments.get("metadata"),
            to=to,
        )

    def _open(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"channel": {"id": f"D{arguments['users']}"}}

    def _replies(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._check_open(arguments["channel"])
        thread = arguments["ts"]
        messages = [one for one in self.messages[arguments["channel"]] if thread in {one.ts, one.thread_ts}]
        if not messages:
            raise Refused("thread_not_found", thread)
        return self._listed(messages, arguments, always=thread)

    def _history(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._check_open(arguments["channel"])
        messages = [one for one in self.messages[arguments["channel"]] if one.thread_ts in {None, one.ts}]
        return self._listed(messages[::-1], arguments, always=None)

    def _listed(
        self, messages: Sequence[Message], arguments: Mapping[str, Any], *, always: str | None
    ) -> dict[str, Any]:
        """One page, after `oldest`; replies keep the root (`always`), as Slack does."""
        oldest, latest = arguments.get("oldest", "0"), arguments.get("latest") or "9"
        edges = {oldest, latest} if arguments.get("inclusive") else set()
        window = [one for one in messages if oldest < one.ts < latest or one.ts in {always, *edges}]
        start, limit = int(arguments.get("cursor") or 0), int(arguments.get("limit") or 100)
        page = window[start : start + limit]
        more = start + limit < len(window)
        shown = [one.as_json(with_metadata=bool(arguments.get("include_all_metadata"))) for one in page]
        cursor = {"next_cursor": str(start + limit) if more else ""}
        return {"messages": shown, "has_more": more, "response_metadata": cursor}

    def _set_status(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.statuses.append((arguments["channel_id"], arguments["thread_ts"], arguments["status"]))
        return {}

    def _set_prompts(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if "thread_ts" in arguments:  # Slack itself says nothing, and shows no prompts either
            raise Refused("invalid_arguments", "an app with an agent view gives no thread_ts")
        if not 1 <= len(arguments["prompts"]) <= 4:
            raise Refused("invalid_arguments", f"{len(arguments['prompts'])} prompts, 1 to 4 are allowed")
        self.prompts[arguments["channel_id"]] = arguments["prompts"]
        return {}

    def _publish(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if arguments["user_id"] not in self.users:
            raise Refused("user_not_found", str(arguments["user_id"]))
        self.homes[arguments["user_id"]] = arguments["view"]
        return {"view": {"id": "V0HOME", **arguments["view"]}}

    def _check_open(self, channel: str) -> None:
        if channel in self.closed_channels:
            raise Refused(self.closed_channels[channel], channel)
