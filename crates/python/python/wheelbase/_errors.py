"""What calls raise."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A place in a text that the library has read: lines and columns from 1, 0 where they are not known."""

    file: str
    line: int
    column: int


class WheelbaseError(Exception):
    """The exception of every failed call. The message names the mistake and the expected value.

    `file`, `line` and `column` give the first place; `None` without one.
    """

    def __init__(self, message: str, places: list[tuple[str, int, int]] | None = None) -> None:
        super().__init__(message, places or [])
        self.message = message
        self.places = [Place(*place) for place in places or []]
        first = self.places[0] if self.places else None
        self.file = first.file if first else None
        self.line = first.line or None if first else None
        self.column = first.column or None if first else None

    def __str__(self) -> str:
        return self.message


class ArgumentError(WheelbaseError, ValueError):
    """A wrong argument, which the message names."""


class TextError(WheelbaseError, ValueError):
    """Mistakes in a text or a file: `places` has them all."""


class BusyError(WheelbaseError, RuntimeError):
    """Another thread is in the object."""


class BrokenError(WheelbaseError, RuntimeError):
    """A step of the world has panicked, which is a fault of the library. The world is of no use any more. Of a sweep: an item
    has ended the process of its worker again and again."""


class LimitError(WheelbaseError, MemoryError):
    """Too large, or more memory than there is."""


class NotFoundError(WheelbaseError, LookupError):
    """There is no such agent."""


class RowsDifferError(WheelbaseError, ValueError):
    """A row of a sweep was computed twice, with two results."""
