"""How many messages wait for their turn, and how many may."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Crowd:
    """Counts those that wait. `most` of them are held here; what comes then is left where it is stored.

    It stays there until there is room for half of them again, and so does all that comes in between: nobody is
    overtaken. From `many` on it is worth saying that others come first, once a conversation.
    """

    many: int
    most: int
    waiting: int = 0
    left: int = 0
    _told: set[str] = field(default_factory=set)

    @property
    def is_full(self) -> bool:
        """Whether the next one is to be left where it is stored."""
        return self.left > 0 or self.waiting >= self.most

    @property
    def has_room(self) -> bool:
        """Whether what was left is to be taken up."""
        return self.left > 0 and self.waiting <= self.most // 2

    def is_to_be_told(self, conversation: str) -> bool:
        """Whether someone who wrote there is told that others come first; said once, until `forget`."""
        if self.waiting + self.left <= self.many or conversation in self._told:
            return False
        if len(self._told) < self.most:
            self._told.add(conversation)
        return True

    def forget(self, conversation: str) -> None:
        """Nothing waits in this conversation any more."""
        self._told.discard(conversation)
