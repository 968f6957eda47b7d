"""What the kernel says of itself."""

import sys
from typing import Any, Dict, List

from IPython.core import release

_LINKS = {
    "Python": "https://docs.python.org/{}.{}".format(*sys.version_info[:2]),
    "IPython": "https://ipython.readthedocs.io/en/stable/",
    "NumPy": "https://numpy.org/doc/stable/reference/",
    "SciPy": "https://docs.scipy.org/doc/scipy/reference/",
    "Matplotlib": "https://matplotlib.org/stable/contents.html",
    "SymPy": "https://docs.sympy.org/latest/index.html",
    "pandas": "https://pandas.pydata.org/docs/",
}


def kernel_info() -> Dict[str, Any]:
    """The content of a kernel_info_reply."""
    return {
        "status": "ok",
        "protocol_version": "5.5",
        "implementation": "ipython",  # what clients know: IPython runs the cells
        "implementation_version": release.version,
        "language_info": {
            "name": "python",
            "version": sys.version.split()[0],
            "mimetype": "text/x-python",
            "codemirror_mode": {"name": "ipython", "version": sys.version_info[0]},
            "pygments_lexer": "ipython3",
            "nbconvert_exporter": "python",
            "file_extension": ".py",
        },
        "banner": f"Cellgate: Python {sys.version}\nIPython {release.version} -- An enhanced Interactive Python.\n",
        "help_links": _help_links(),
        "debugger": True,
        "supported_features": ["kernel subshells", "debugger"],
    }


def _help_links() -> List[Dict[str, str]]:
    return [{"text": f"{name} Reference", "url": url} for name, url in _LINKS.items()]
