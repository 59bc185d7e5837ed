"""Problems written as hook modules, in the manner of SVM-python: its objects, its defaults, its two
programs.
"""
