"""The runs of a session side by side."""
