"""One file per view: a frame of plain arrays, a figure that shows it, a sentence that says it. VIEWS is in menu order."""
