"""The zip file that an office document is: measured before a library unpacks it."""

import zipfile

from .limits import Budget
from .problem import Problem
from .source import Source


def measure(source: Source, budget: Budget) -> None:
    """Problem when it unpacks to too much. Python's zipfile never unpacks more of a member than the directory says."""
    with zipfile.ZipFile(source.file) as package:
        members = package.infolist()
    source.file.seek(0)
    if any(member.flag_bits & 1 for member in members):
        raise Problem("it is encrypted with a password; save it without one")
    if len(members) > 20 * budget.limits.members:
        raise Problem("it consists of %d parts, over the limit of %d" % (len(members), 20 * budget.limits.members))
    budget.unpack(sum(member.file_size for member in members))
