"""What can be trained: one file a task."""
