"""Why a document cannot be read, or not to its end. The texts are for the caller of the helper: what it is, and what to do."""


class Problem(Exception):
    """This document, or this part of one, cannot be read."""


class NotText(Problem):
    """It is as it should be, and has no text: a program in an archive, a photograph."""


class Cut(Exception):
    """A limit of the whole run was reached: what was written until then is all there is."""
