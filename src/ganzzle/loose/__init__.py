"""Loose pieces: a scan or photograph of pieces that lie apart, at any angle, on a plain ground."""

from ganzzle.loose.finding import Loose, find_loose
from ganzzle.loose.laying import lay
from ganzzle.loose.reading import pieces_in

__all__ = ["Loose", "find_loose", "lay", "pieces_in"]
