# Words: how comments begin, and how the subjects of commits read.
# SPDX-License-Identifier: BSD-3-Clause
"""Rules of CONTRIBUTING.md that a script can check. The functions yield (line, text) for tools/lint."""

import re
import subprocess

# In place of a noun, a verb or an article these make a reader guess what is spoken of.
NO_BEGINNING = ("of", "what", "whatever", "whether", "where", "which", "whose", "who", "whom", "how", "that", "as", "so", "and",
                "but", "the same as", "no more than")
BEGINNING = re.compile(r"^(%s)\b(?!\.)" % "|".join(NO_BEGINNING), re.I)
SUBJECT = re.compile(r"^(Revert \"|Merge )|^[a-z0-9][\w./, -]*: (?!(?:%s)\b)[a-z]\S* \S" % "|".join(NO_BEGINNING))
LONGEST_SUBJECT = 72
MARKS = {"cpp": re.compile(r"//[/!]?<? ?"), "hash": re.compile(r"(?:^|\s\s)#+ ")}


def text_of_comment(line, mark):
    """Text behind the comment mark of a line, and if code stands before it; None without a comment."""
    found = mark.search(re.sub(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'", lambda m: "_" * len(m.group()), line))
    if not found:
        return None
    return line[found.end():].strip(), bool(line[:found.start()].strip())


def comment_findings(text, is_cpp):
    """Comments that do not begin with a noun, a verb or an article. A line below a comment continues it."""
    mark = MARKS["cpp" if is_cpp else "hash"]
    was_comment = False
    for number, line in enumerate(text.splitlines(), 1):
        comment = text_of_comment(line, mark)
        if comment and (comment[1] or not was_comment) and BEGINNING.match(comment[0]):
            yield number, f"a comment begins with a noun, a verb or an article: '{comment[0][:40]} ...'"
        was_comment = comment is not None


def file_findings(text, names):
    """Source files that a comment of C++ names but that are in no folder of `names`, the paths of all files."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = text_of_comment(line, MARKS["cpp"])
        for named in re.findall(r"[\w/]+\.[hc]pp\b", comment[0]) if comment else ():
            if not any(f"/{name}".endswith(f"/{named}") for name in names):
                yield number, f"a comment names {named}, which is not there"


def subject_findings(root):
    """Subjects of the commits since this file came in that are not `room: verb object` in 72 columns."""
    def git(*arguments):
        done = subprocess.run(["git", "-c", f"safe.directory={root}", *arguments], cwd=root, capture_output=True, text=True,
                              check=False)
        return done.stdout.split("\n") if done.returncode == 0 else []
    first = [name for name in git("log", "--diff-filter=A", "--format=%H", "--", "tools/lint_words.py") if name]
    for entry in git("log", "--format=%h %s", f"{first[-1]}..HEAD") if first else []:
        name, _, subject = entry.partition(" ")
        if subject and (len(subject) > LONGEST_SUBJECT or not SUBJECT.match(subject)):
            yield name, f"a commit's subject is 'room: verb object' in {LONGEST_SUBJECT} columns: '{subject}'"
