"""One file per page, plus what pages share: shell, controls, transport. They choose and place views, no
maths.
"""
