"""The one family of errors a user is meant to read: each message is one clear line that says what to do."""


class GanzzleError(ValueError):
    """Something the user gave cannot be used. The commands print it and leave with exit code 2."""


class PictureError(GanzzleError):
    """A picture cannot be read or written."""


class PuzzleError(GanzzleError):
    """Pieces, grid and truth do not fit together."""


class ApartError(PuzzleError):
    """Some of the loose pieces in a picture cannot be told apart."""


class SolverError(GanzzleError):
    """An unknown solver, an unknown option, or a puzzle this solver cannot take."""


def printable(text: str) -> str:
    """The text as one line that does nothing to a terminal: a file may be called anything, also what clears it."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
