"""The commands of `explorer`: one module each, named as it is typed; `main` finds and runs them."""
