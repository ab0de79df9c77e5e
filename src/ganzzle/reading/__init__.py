"""From what a person has to a pile: folders, pictures, scans of loose pieces."""
