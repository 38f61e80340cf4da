"""Runs rarefact and reads its results."""

from .result import Array, NotAResult, Result

open = Result  # rarefact.open(path); NotAResult says in one line what is wrong with the file
