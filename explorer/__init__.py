"""See, step by step, how structural support vector machines learn."""

__version__ = "0.1.0"
