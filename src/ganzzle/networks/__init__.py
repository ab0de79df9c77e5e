"""The nn.Modules, one file a network."""
