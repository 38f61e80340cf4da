"""The kinds of figures, one module each: `parser()`, its options, and `draw(results, options)`, a Drawing."""
