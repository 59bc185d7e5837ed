"""The forms in which data come: files, frames, lists of words, sets of labels."""
