"""The page and the HTTP API: `ganzzle serve`."""
