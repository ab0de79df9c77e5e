"""What comes out of solving as pictures: guides, films, laid pieces, filled holes."""
