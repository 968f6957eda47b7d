"""jupyter_kernel_test, the Jupyter project's tests of kernels: through the gateway's WebSocket in both framings, and our own
kernel also straight on its sockets, as its kernelspec starts it and forked by the gateway."""

import jupyter_kernel_test
import pytest
from jupyter_client import BlockingKernelClient

from conformance.kernel_client import WebSocketKernelClient
from conformance.kernels import NAME, ForkedIntoABox, StartedBySpec
from support.gateway import Gateway


class ThroughTheGateway(jupyter_kernel_test.KernelTests):
    """A kernel of the class's kernel_name, started by the gateway and reached in its framing."""

    __test__ = False
    v1 = False

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def gateway(cls):
        running = Gateway()
        jupyter = running.jupyter()
        cls.kc = WebSocketKernelClient(jupyter, jupyter.start_kernel(cls.kernel_name), cls.v1)
        yield
        cls.kc.stop_channels()
        running.finish()
        running.remove()

    @classmethod
    def setUpClass(cls) -> None: ...

    @classmethod
    def tearDownClass(cls) -> None: ...


class StraightToTheKernel:
    """Our own kernel, reached by jupyter_client."""

    way = StartedBySpec

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def kernel(cls):
        running = cls.way()
        cls.kc = BlockingKernelClient(connection_file=str(running.connection_file))
        cls.kc.load_connection_file()
        cls.begin()
        yield
        cls.kc.stop_channels()
        running.close()

    @classmethod
    def begin(cls) -> None:
        cls.kc.start_channels()
        cls.kc.wait_for_ready(timeout=60)

    @classmethod
    def setUpClass(cls) -> None: ...

    @classmethod
    def tearDownClass(cls) -> None: ...


class PythonSamples:
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('test', file=sys.stderr)"
    completion_samples = [{"text": "zi", "matches": {"zip"}}]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2"]
    invalid_code_samples = ["import = 7q"]
    code_generate_error = "raise"
    code_execute_result = [{"code": "1+2+3", "result": "6"}, {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"}]
    code_display_data = [{"code": "from IPython.display import HTML, display; display(HTML('<b>test</b>'))", "mime": "text/html"},
                         {"code": "from IPython.display import Math, display; display(Math('\\frac{1}{2}'))", "mime": "text/latex"}]
    code_inspect_sample = "zip"
    code_history_pattern = "1?2*"
    # Not "range": ipykernel 7.4 names the current session 0 in its answer, also to a client without a gateway.
    supported_history_operations = ("tail", "search")
    code_page_something = "zip?"
    code_clear_output = "from IPython.display import clear_output; clear_output()"


class Python(PythonSamples, ThroughTheGateway):
    __test__ = False


class TestIpykernel(Python):
    __test__ = True
    kernel_name = "ipykernel"


class TestIpykernelV1(TestIpykernel):
    v1 = True


class TestCellgate(Python):
    __test__ = True
    kernel_name = NAME
    supported_history_operations = ("tail", "search", "range")


class TestCellgateV1(TestCellgate):
    v1 = True


class TestCellgateBySpec(PythonSamples, StraightToTheKernel, jupyter_kernel_test.KernelTests):
    supported_history_operations = ("tail", "search", "range")


class TestCellgateForked(TestCellgateBySpec):
    way = ForkedIntoABox


class TestWelcome(StraightToTheKernel, jupyter_kernel_test.IopubWelcomeTests):
    support_iopub_welcome = True

    @classmethod
    def begin(cls) -> None:
        """The test itself connects: the welcome is the first that a client reads."""


class TestWelcomeForked(TestWelcome):
    way = ForkedIntoABox


class TestXeusPython(Python):
    __test__ = True
    kernel_name = "xpython"
    completion_samples = [{"text": "zi"}]  # jedi offers more than IPython
    # xeus-python does not keep the history that these tests ask for, nor page into the reply's payload.
    test_history = None
    test_pager = None


class TestXeusPythonV1(TestXeusPython):
    v1 = True


class TestBash(ThroughTheGateway):
    __test__ = True
    kernel_name = "bash"
    language_name = "bash"
    file_extension = ".sh"
    code_hello_world = "echo hello, world"
    code_generate_error = None
    # bash_kernel answers to no more than these.
    completion_samples = [{"text": "ech"}]
    test_execute_stderr = test_is_complete = test_pager = test_error = test_execute_result = None
    test_display_data = test_history = test_inspect = test_clear_output = None


