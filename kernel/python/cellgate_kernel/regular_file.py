"""A file that a helper was given the path of: opened, or a text that says what it is else."""

import os
import stat
from typing import Any


def path_of(given: Any) -> str:
    """ValueError says what a path is."""
    if not isinstance(given, (str, os.PathLike)) or not str(given).strip():
        raise ValueError('a path is a text such as "/mnt/files/report.pdf", not %r' % (given,))
    return os.path.expanduser(str(given))


def open_regular(path: str) -> int:
    """For reading; a link is followed. ValueError says what is there else, or what may have been meant."""
    try:
        # Without waiting: a named pipe has no end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise ValueError("%s: there is no such file%s" % (path, _instead_of(path))) from None
    except OSError as error:
        raise ValueError("%s: it cannot be opened: %s" % (path, error.strerror)) from None
    except ValueError:
        raise ValueError("%r: a path has no NUL in it" % path) from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise ValueError("%s: it is a directory; give the path of a file in it: os.listdir(%r)" % (path, path))
    raise ValueError("%s: it is not a regular file (a pipe, a socket or a device); write what it has to a file" % path)


def _instead_of(path: str) -> str:
    import difflib
    import itertools

    directory = os.path.dirname(path) or "."
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in itertools.islice(entries, 1000)]
    except OSError:
        return "; there is no directory %s either" % directory
    close = difflib.get_close_matches(os.path.basename(path), names, 3, 0.6)
    if close:
        return "; close to it: %s" % ", ".join(os.path.join(directory, name) for name in close)
    return "; os.listdir(%r) shows what is there" % directory
