"""Measured works: our learners beside other systems on the same inputs, each run in a process of its own.

`explorer bench` lists the works, `explorer bench NAME` runs one, `make bench` runs all of them. Times are
those of training alone; objectives and errors are computed by one referee for everybody (see `referee`),
never taken from a contestant.
"""
