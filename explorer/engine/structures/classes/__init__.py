"""One label per example: two classes, many, or outputs of your own."""
