"""Labels written into copies of data files: everything else stays as it is, byte for byte."""
