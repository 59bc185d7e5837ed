"""Which extra of the installation brings a package that is missing, in one sentence."""

EXTRAS = {
    "app": (
        "param",
        "panel",
        "panel_material_ui",
        "holoviews",
        "bokeh",
        "contourpy",
        "tornado",
        "typing_extensions",
        "PIL",
        "resvg_py",
        "markdown_it",
    ),
    "notebook": ("jupyter_bokeh", "ipykernel", "nbclient", "nbformat", "matplotlib"),
    "frames": ("pandas",),
    "desktop": ("webview",),
    "dask": ("distributed", "dask"),
    "bench": ("pycrfsuite", "dlib", "vowpalwabbit"),
}


def how_to_get(package: str | None) -> str | None:
    """What to type for a package that is missing; None if no extra brings it."""
    name = (package or "").partition(".")[0]
    extra = next((extra for extra, brought in EXTRAS.items() if name in brought), None)
    return (
        None if extra is None else f"this needs {name}: install it with pip install 'ssvm-explorer[{extra}]'"
    )
