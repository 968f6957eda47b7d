"""Imported in the zygote: what a traceback through pandas needs is parsed there once, instead of in each fork."""

import sys

import pandas
from IPython.core import ultratb

try:
    pandas.DataFrame({"a": [1]})["b"]
except KeyError:
    ultratb.VerboseTB(theme_name="nocolor").text(*sys.exc_info())
