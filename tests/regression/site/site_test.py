# Site of the guides by tools/site: pages, equations, links; what must fail the build.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: site_test.py ROOT [unittest arguments]"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
PARTS = ("README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "input", "jobscripts", "kernels", "src",
         "tests", "tools")


def build(root, output):
    return subprocess.run([sys.executable, root / "tools/site", "--no-install", "--output", output], capture_output=True,
                          text=True, check=False, timeout=200)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.site = cls.folder / "site"
        done = build(ROOT, cls.site)
        if "no mkdocs-material in" in done.stderr:
            raise unittest.SkipTest("no mkdocs-material here: tools/site installs it")
        assert done.returncode == 0, done.stdout + done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def changed_copy(self, change):
        """Result of a build of a copy whose folder `change` has altered."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "nfold"
            root.mkdir()
            for part in PARTS:
                if part in ("input", "tools"):
                    shutil.copytree(ROOT / part, root / part, symlinks=True)
                else:
                    (root / part).symlink_to(ROOT / part)
            change(root)
            return build(root, Path(folder) / "site")

    def test_every_guide_is_a_page_and_can_be_searched(self):
        index = (self.site / "search/search_index.json").read_text(encoding="utf-8")
        found = {entry["location"].split("#")[0] for entry in json.loads(index)["docs"]}
        for guide in (ROOT / "input").glob("*.md"):
            self.assertIn(f"input/{guide.stem}.html", found)
            self.assertTrue((self.site / f"input/{guide.stem}.html").is_file())

    def test_equations_are_mathml(self):
        page = (self.site / "input/THEORY.html").read_text(encoding="utf-8")
        self.assertGreater(page.count("<math"), 5)
        self.assertNotIn("\\frac", page)

    def test_pages_load_nothing_from_a_network(self):
        for page in self.site.rglob("*.html"):
            loaded = re.findall(r'(?:src|<link[^>]*href)="(https?:[^"]*)"', page.read_text(encoding="utf-8"))
            self.assertEqual(loaded, [], page.name)

    def test_pictures_and_files_of_links_are_there(self):
        for page in self.site.rglob("*.html"):
            for link in re.findall(r'(?:src|href)="([^"#?:]+)(?:[#?][^"]*)?"', page.read_text(encoding="utf-8")):
                target = self.site / link.lstrip("/") if link.startswith("/") else page.parent / link
                self.assertTrue(target.exists(), f"{page.name} names {link}")

    def test_dead_link_fails(self):
        def change(root):
            with open(root / "input/UNITS.md", "a", encoding="utf-8") as file:
                file.write("\n[nowhere](NOWHERE.md)\n")
        done = self.changed_copy(change)
        self.assertEqual(done.returncode, 1)
        self.assertIn("NOWHERE.md", done.stderr)

    def test_dead_anchor_fails(self):
        def change(root):
            with open(root / "input/UNITS.md", "a", encoding="utf-8") as file:
                file.write("\n[nowhere](FILES.md#nowhere)\n")
        done = self.changed_copy(change)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stderr)

    def test_guide_outside_all_sections_fails(self):
        done = self.changed_copy(lambda root: (root / "input/STRAY.md").write_text("# Stray\n", encoding="utf-8"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("input/STRAY.md stands in no section", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
