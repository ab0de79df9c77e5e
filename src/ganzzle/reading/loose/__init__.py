"""Loose pieces: a scan or photograph of pieces that lie apart, at any angle, on a plain ground."""

from ganzzle.drawing.loose import lay
from ganzzle.reading.loose.finding import Loose, find_loose
from ganzzle.reading.shown import pieces_in

__all__ = ["Loose", "find_loose", "lay", "pieces_in"]
