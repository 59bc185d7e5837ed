"""The flowchart of a hook module, which lights up as hooks are called."""
