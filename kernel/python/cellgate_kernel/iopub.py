"""Lifts ipykernel's limit of 1,000 messages for a reader that is behind, past which ZeroMQ drops output silently."""

from typing import Any


def send_without_limit(kernel: Any) -> None:
    """Set SNDHWM to 0 on ipykernel's iopub socket, also for the readers that are connected already.

    ZeroMQ's manual promises the option for later connections only; libzmq 4.2 and later apply it to the pipes that
    exist (``socket_base_t::update_pipe_options``), and tests/kernel/python holds us to that. The socket belongs to the
    iopub thread, so the change is queued there, in front of everything that is printed after this call.
    """
    thread = getattr(kernel, "iopub_thread", None) or getattr(
        getattr(kernel, "iopub_socket", None), "io_thread", None
    )
    socket = getattr(thread, "socket", None)
    if thread is None or not hasattr(socket, "setsockopt"):
        return  # not ipykernel

    import zmq

    thread.schedule(lambda: socket.setsockopt(zmq.SNDHWM, 0))
