"""What the subcommands of `explorer` do: the modules make lines of text, `explorer.__main__` prints them."""
