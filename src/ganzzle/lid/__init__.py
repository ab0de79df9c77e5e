"""The picture on the box: where it shows the slots of a grid, and where on it single pieces lie."""
