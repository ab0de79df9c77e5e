"""Damage to pieces: making it, seeing it, and mending what it does to colours."""
