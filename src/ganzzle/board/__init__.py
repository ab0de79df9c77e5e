"""From potentials to boards: how pieces are laid."""
