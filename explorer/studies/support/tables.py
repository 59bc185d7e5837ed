"""What Finley 2009 printed in chapter 5 for the sets that can be had here: Tables 5.1 to 5.5, test losses in
per cent.

Rows of Tables 5.2 and 5.3 are the oracle of training, columns that of prediction. "LProg" there is the linear
relaxation, whose answers roof duality gives too; `RELAXED` stands for whichever is used here.
"""

RELAXED = "relaxed"
METHODS = ("greedy", "belief propagation", "combine", "exhaustive", RELAXED)
"""Greedy, LBP, Combine, Exact and LProg."""

TEST_SIZE = {"scene": 1196, "synth1": 10_000, "synth2": 10_000}
"""The test sizes that the printed errors fit; for synth1 the text says 5,045."""

BASELINE = {"scene": 11.43, "synth1": 8.99, "synth2": 9.80}
DEFAULT = {"scene": 18.10, "synth1": 16.34, "synth2": 10.00}

GRID: dict[str, tuple[tuple[float, ...], ...]] = {
    "scene": (
        (10.67, 10.74, 10.67, 10.67, 10.67),
        (10.45, 10.54, 10.45, 10.42, 10.49),
        (10.72, 11.78, 10.72, 10.77, 11.20),
        (10.08, 10.33, 10.08, 10.06, 10.20),
        (10.55, 10.49, 10.49, 10.49, 10.49),
    ),
    "synth1": (
        (8.86, 8.86, 8.86, 8.86, 8.86),
        (13.94, 13.94, 13.94, 13.94, 13.94),
        (8.86, 8.86, 8.86, 8.86, 8.86),
        (6.89, 6.86, 6.86, 6.86, 6.86),
        (8.94, 8.94, 8.94, 8.94, 8.94),
    ),
    "synth2": (
        (7.27, 27.92, 7.27, 7.28, 19.03),
        (10.00, 10.00, 10.00, 10.00, 10.00),
        (7.90, 26.39, 7.90, 7.90, 18.11),
        (7.04, 25.71, 7.04, 7.04, 17.80),
        (5.83, 6.63, 5.83, 5.83, 6.29),
    ),
}

AMBIGUOUS = {
    "scene": (0.43, 0.31, 2.90, 0.95, 0.00),
    "synth1": (0.00, 0.00, 0.00, 0.00, 0.00),
    "synth2": (31.17, 0.00, 29.11, 27.92, 1.48),
}
"""Table 5.4: per cent of the labels that relaxed prediction leaves undecided, by the oracle of training."""

RHO = (1.0, 0.99, 0.975, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.0)
SWEEP: dict[str, tuple[tuple[float, float], ...]] = {
    "scene": (
        (4.97, 10.06),
        (4.36, 10.87),
        (3.95, 11.45),
        (9.06, 10.72),
        (3.96, 10.74),
        (5.67, 11.32),
        (5.15, 10.59),
        (6.32, 11.08),
        (19.01, 20.00),
        (10.83, 12.28),
        (71.80, 71.00),
    ),
    "synth1": (
        (0.00, 6.86),
        (0.00, 8.61),
        (3.64, 12.72),
        (0.32, 6.64),
        (2.55, 13.19),
        (1.45, 9.08),
        (2.72, 14.09),
        (0.60, 8.69),
        (4.21, 15.23),
        (4.07, 10.92),
        (36.62, 36.84),
    ),
    "synth2": (
        (4.57, 7.04),
        (5.20, 7.36),
        (4.43, 6.76),
        (5.35, 7.90),
        (6.21, 8.84),
        (6.74, 8.57),
        (8.83, 11.02),
        (9.56, 11.57),
        (12.90, 15.48),
        (11.85, 13.68),
        (49.38, 50.01),
    ),
}
"""Table 5.5: training and test loss at each rho, with exact prediction."""

PRICES = (1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4)
"""Section 5.5.1: the values among which C is chosen."""
