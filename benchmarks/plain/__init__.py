"""Plain, readable numpy and Python versions of the solvers' inner steps: what the fast ones must equal and outrun."""
