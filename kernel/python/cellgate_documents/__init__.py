"""Documents to text, for smart_file_extract: a child process of the kernel, so that no file can hurt the kernel.

    python -I -c "…; run.main()" LIMITS DIRECTORY… < document > text

It reads one document from its standard input, which is a regular file, and writes UTF-8 text without NUL to its standard output,
while it reads. At the end come a NUL and a JSON object: {"kind": "PDF", "error": ""}. Without it the process died. An `error` beside text means
that the text is not the whole.

The libraries come from the kernel's environment, and each is imported only for its kind of document. Python 3.8 and later.
"""
