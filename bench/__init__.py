"""The benchmark: how much processor, wall clock and memory a whole evaluation costs, beside other tools."""
