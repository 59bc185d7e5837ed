"""A step beside an independent solver: the same program given to cvxpy, and both solutions judged alike."""
