"""What the kernel's processes use, for a usage_request."""

import os
import socket
from typing import Any, Dict

_usage_of_process: Dict[int, Any] = {}  # psutil measures CPU time since its last question


def usage() -> Dict[str, Any]:
    """The content of a usage_reply: bytes, and per cent of one CPU since the request before."""
    import psutil

    own = psutil.Process()
    processes = {process.pid: process for process in [own, *own.children(recursive=True)]}
    for pid in list(_usage_of_process):
        if pid not in processes:
            del _usage_of_process[pid]
    cpu = memory = 0.0
    for pid, process in processes.items():
        try:
            cpu += _usage_of_process.setdefault(pid, process).cpu_percent()
            memory += process.memory_full_info().uss
        except psutil.Error:  # it has ended meanwhile
            continue
    return {
        "hostname": socket.gethostname(),
        "pid": os.getpid(),
        "kernel_cpu": cpu,
        "kernel_memory": int(memory),
        "cpu_count": psutil.cpu_count(),
        "host_cpu_percent": psutil.cpu_percent(),
        "host_virtual_memory": psutil.virtual_memory()._asdict(),
    }
