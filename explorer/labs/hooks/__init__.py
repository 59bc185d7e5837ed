"""The run of a hook module, call by call; nothing here draws."""
