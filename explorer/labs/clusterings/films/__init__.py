"""How clusterers find their answers, step by step."""
