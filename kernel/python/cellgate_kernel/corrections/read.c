/* `getitem`, which a cell's reads x["key"] are compiled to: a plain subscript that asks before it gives up.

   A builtin, so that it has no frame in a traceback. It goes by the name of operator.getitem, as which it is pickled.
   On a KeyError of an exact dict, or of a pandas DataFrame, `missed(object, key, error)` may answer with a value;
   NotImplemented leaves the exception as it is. Called with a text and a number it is the question whether the global
   of that name shall be read (`name_is_read`). Holds the GIL throughout; the callables are set once. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#define MOST_KEYS 200 /* of a dict that is looked at: a larger one is data, not an answer's fields */

/* Reads in the __getitem__ of what is read: each takes a few hundred bytes of this thread's stack, where Python itself would
   take none. A thread has 8 MiB; a program that raised Python's own limit gets an error, not the end of its process. */
#define MOST_NESTED 4000

static _Thread_local int nested;

static PyObject *missed, *name_is_read, *get_trace, *set_trace, *pandas_name;

/* Calls without the debugger, which would step into what is none of the user's. */
static PyObject *call_untraced(PyObject *function, PyObject *one, PyObject *two, PyObject *three) {
    PyObject *tracer = PyObject_CallNoArgs(get_trace), *answer, *type, *value, *trace;
    if (tracer == NULL) return NULL;
    if (tracer != Py_None) Py_XDECREF(PyObject_CallFunctionObjArgs(set_trace, Py_None, NULL));
    answer = PyObject_CallFunctionObjArgs(function, one, two, three, NULL);
    if (tracer != Py_None) {
        PyErr_Fetch(&type, &value, &trace);
        Py_XDECREF(PyObject_CallFunctionObjArgs(set_trace, tracer, NULL));
        PyErr_Restore(type, value, trace);
    }
    Py_DECREF(tracer);
    return answer;
}

/* With no exception set; leaves none. */
static int is_data_frame(PyObject *object) {
    PyObject *pandas = PyImport_GetModule(pandas_name), *type = NULL;
    int is = 0;
    if (pandas != NULL) type = PyObject_GetAttrString(pandas, "DataFrame");
    if (type != NULL) is = (PyObject *)Py_TYPE(object) == type;
    Py_XDECREF(type);
    Py_XDECREF(pandas);
    PyErr_Clear();
    return is;
}

/* A value instead of the KeyError that is set, or NULL and that very KeyError. */
static PyObject *recover(PyObject *object, PyObject *key) {
    PyObject *type, *value, *trace, *answer = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (missed != NULL && (PyDict_CheckExact(object) ? PyDict_Size(object) <= MOST_KEYS : is_data_frame(object))) {
        answer = call_untraced(missed, object, key, value);
        /* What went wrong in there is not the cell's, but for an interrupt. */
        if (answer == NULL && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
        if (answer == Py_NotImplemented) Py_CLEAR(answer);
    }
    if (answer != NULL || PyErr_Occurred()) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    } else {
        PyErr_Restore(type, value, trace);
    }
    return answer;
}

/* object[key], by whatever it is; Python's limit on recursion counts. */
static PyObject *any_item(PyObject *object, PyObject *key) {
    PyObject *found;
    if (nested >= MOST_NESTED) {
        PyErr_SetString(PyExc_RecursionError, "maximum recursion depth exceeded while reading an item");
        return NULL;
    }
    if (Py_EnterRecursiveCall(" while reading an item")) return NULL;
    nested++;
    found = PyObject_GetItem(object, key);
    nested--;
    Py_LeaveRecursiveCall();
    return found;
}

static PyObject *getitem(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *object, *key, *found;
    (void)self;
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "getitem expected 2 arguments, got %zd", count);
        return NULL;
    }
    object = arguments[0];
    key = arguments[1];
    if (PyDict_CheckExact(object)) {
        found = PyDict_GetItemWithError(object, key);
        if (found != NULL) {
            Py_INCREF(found);
            return found;
        }
        if (PyErr_Occurred()) return NULL;
        if (!PyUnicode_CheckExact(key)) return any_item(object, key);
        PyErr_SetObject(PyExc_KeyError, key); /* not by looking again, which may call the user's __eq__ */
        return recover(object, key);
    }
    if (PyUnicode_CheckExact(object) && PyLong_CheckExact(key) && name_is_read != NULL)
        return call_untraced(name_is_read, object, NULL, NULL);
    found = any_item(object, key);
    if (found == NULL && PyErr_ExceptionMatches(PyExc_KeyError)) return recover(object, key);
    return found;
}

static PyMethodDef getitem_method = {"getitem", (PyCFunction)(void (*)(void))getitem, METH_FASTCALL,
                                     "The item of an object, as x[key] reads it."};

/* make(owner, missed, name_is_read): the function; `owner` is what it is pickled as an attribute of. */
static PyObject *make(PyObject *module, PyObject *arguments) {
    PyObject *owner, *on_miss, *on_name, *before;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO:make", &owner, &on_miss, &on_name)) return NULL;
    before = missed;
    missed = Py_NewRef(on_miss);
    Py_XDECREF(before);
    before = name_is_read;
    name_is_read = Py_NewRef(on_name);
    Py_XDECREF(before);
    return PyCFunction_NewEx(&getitem_method, owner, NULL);
}

static PyMethodDef methods[] = {{"make", make, METH_VARARGS, "The function that reads."}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_read", "The read of an item that asks before it gives up.", -1, methods, NULL, NULL, NULL, NULL};

/* PyInit__read: before a debugger replaces sys.settrace by one that warns. */
PyMODINIT_FUNC PyInit__read(void) {
    get_trace = Py_XNewRef(PySys_GetObject("gettrace"));
    set_trace = Py_XNewRef(PySys_GetObject("settrace"));
    pandas_name = PyUnicode_InternFromString("pandas");
    if (get_trace == NULL || set_trace == NULL || pandas_name == NULL) return NULL;
    return PyModule_Create(&module_definition);
}
