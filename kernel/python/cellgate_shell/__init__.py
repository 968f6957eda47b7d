"""IPython's shell, driven for cellgate-kernel: what is Python in a kernel, between its C++ and the user's code."""
