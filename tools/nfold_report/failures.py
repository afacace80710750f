# Text of an exception for the one line that a tool prints before it ends.
# SPDX-License-Identifier: BSD-3-Clause


def one_line(failure):
    """'slab.out: Permission denied' for an OSError; the first line of any other exception's text."""
    if isinstance(failure, OSError) and failure.filename is not None:
        return f"{failure.filename}: {failure.strerror}"
    return (str(failure).splitlines() or [type(failure).__name__])[0]
