"""How graph oracles find their answers, step by step."""
