"""One module for each format of data files: how it is read, which task it poses, and how predictions are
written in the same format. `catalogue.files` lists them.
"""
