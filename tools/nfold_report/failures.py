# Failures of the system in words, for the one line that a tool says before it ends.
# SPDX-License-Identifier: BSD-3-Clause


def in_a_line(failure):
    """'slab.out: Permission denied' of an OSError; other errors have their own words, of which the first line counts."""
    if isinstance(failure, OSError) and failure.filename is not None:
        return f"{failure.filename}: {failure.strerror}"
    return (str(failure).splitlines() or [type(failure).__name__])[0]
