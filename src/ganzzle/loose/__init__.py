"""Loose pieces: a scan or photograph of pieces that lie apart, at any angle, on a plain ground."""

from ganzzle.loose.finding import Loose, find_loose
from ganzzle.loose.reading import pieces_in

__all__ = ["Loose", "find_loose", "pieces_in"]
