"""The kinds of figures. Each is a module with `parser()`, its options, and `draw(results, options)`, which returns a Drawing."""
