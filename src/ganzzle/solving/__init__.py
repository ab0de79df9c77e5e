"""What a pile may be, and which of its solutions is to be believed."""
