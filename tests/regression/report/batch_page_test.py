# Page of a real batch: targets, reasons, pictures and links, also with missing files.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: batch_page_test.py NFOLD ROOT [unittest arguments]"""

import base64
import json
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import h5py
import numpy as np
from PIL import Image

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import phase_diagram  # noqa: E402  (path set above)
import report  # noqa: E402
from nfold_report.batch_folder import names_in, read_batch, read_rows, target_stem  # noqa: E402
from nfold_report.run_folder import RunFolderError  # noqa: E402

PEPTIDE = ROOT / "input/structures/3al1.pdb.gz"
LIST = f"""
batch: {{budget_gpu_seconds: 0.0002}}
targets:
- {{name: fold, structure: "{PEPTIDE}", chains: [A]}}
- {{name: "1e5", structure: "{PEPTIDE}", chains: [A], protocol: run, input: {{dynamics: {{steps: 2000}},
   output: {{energies_every_steps: 100, trajectory_every_steps: 0}}}}}}
- {{name: silent, structure: "{PEPTIDE}", chains: [A], protocol: run, input: {{dynamics: {{steps: 100}},
   output: {{energies_every_steps: 0, trajectory_every_steps: 0}}}}}}
- structure: no<b>&such.pdb.gz
  name: lost
- {{structure: "{PEPTIDE}", chains: [Q]}}
"""


class Page(HTMLParser):
    """Parser that collects texts, links, pictures and open tags."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.links, self.pictures, self.open, self.ids = [], [], [], [], []
        self.feed(text)
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag not in ("img", "meta", "br", "input"):
            self.open.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        self.links += [found[name] for name in ("href", "action") if name in found]
        if "src" in found:
            self.pictures.append(found["src"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes another tag"

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)


class BatchPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "list.yaml").write_text(LIST)
        done = subprocess.run([str(NFOLD), "batch", "list.yaml", "--quiet", "--threads", "1"], cwd=cls.folder,
                              check=False, capture_output=True, text=True)
        assert done.returncode == 2, done.stdout + done.stderr
        cls.output = cls.folder / "list.out"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def page(self, *arguments):
        self.assertEqual(report.main([str(self.output), *arguments]), 0)
        path = (Path(arguments[1]) if arguments else self.output) / "index.html"
        text = path.read_text(encoding="utf-8")
        self.assertNotIn("://", text)
        self.assertNotIn("url(", text)
        page = Page(text)
        self.assertEqual(page.open, [])
        for link in page.links:
            if link.startswith("#"):
                self.assertIn(link[1:], page.ids)
            else:
                self.assertTrue((path.parent / link).is_dir(), link)
        return page

    def test_every_target_has_its_place(self):
        page = self.page()
        self.assertIn("3 of 5 targets done 2 failed 0 not yet", page.text)
        self.assertEqual(sorted(page.ids), ["1e5", "fold", "silent"])
        self.assertIn("no<b>&such.pdb.gz", page.text)
        for row in read_rows(self.output / "failed.csv"):
            self.assertIn(row["target"], page.text)
            self.assertIn(row["reason"], page.text)
        row = read_rows(self.output / "results.csv")[0]
        self.assertIn(row["verdict"], page.text)
        self.assertIn(row["reason"], page.text)
        self.assertIn(row["free_energy"], page.text)
        self.assertIn("12 residues", page.text)
        self.assertEqual(row["space"], "cpu")
        self.assertIn("computed on a CPU", page.text)
        self.assertIn("wrote no energies", page.text)
        self.assertIn("Where the time went Of the last start. Ranks had a target ", page.text)
        self.assertIn(read_batch(self.output).performances[0].values["bottleneck"]["advice"], page.text)
        self.assertEqual(len(page.pictures), 3)  # pictures of the ranks' time, of fold and of 1e5
        for source in page.pictures:
            kind, _, data = source.partition(",")
            self.assertEqual(kind, "data:image/svg+xml;base64")
            data = base64.b64decode(data)
            self.assertLess(len(data), 30_000)  # a page may hold a thousand pictures
            self.assertGreater(len(ElementTree.fromstring(data).findall(".//{http://www.w3.org/2000/svg}path")), 8)

    def test_failed_prediction_is_reported(self):
        path = self.output / "fold/fold.prediction.json"
        before = path.read_text()
        prediction = json.loads(before)
        self.assertGreater(prediction["measured_seconds"], 0)
        try:
            for measured, verdict in ((1.5, "outside"), (1.1, "within")):
                path.write_text(json.dumps({**prediction, "predicted_seconds": 1, "low_seconds": 0.8, "high_seconds": 1.25,
                                            "measured_seconds": measured}))
                page = self.page()
                self.assertIn(f"fold 1 (0.8 to 1.25) {measured} {measured:.2f} {verdict}", page.text)
            path.write_text(json.dumps({**prediction, "measured_seconds": None}))
            self.assertNotIn(prediction["by"] + " fold", self.page().text)
            for broken in ("{", "[]", "{}", '{"measured_seconds": "1"}'):
                path.write_text(broken)
                self.page()
        finally:
            path.write_text(before)

    def test_page_elsewhere_links_to_the_same_folders(self):
        self.page("-o", str(self.folder / "pages/of/batch"))

    def test_missing_targets_are_reported(self):
        path = self.output / "batch.yaml"
        text = path.read_text()
        try:
            path.write_text(text + "- structure: later.cif.gz\n- {structure: x.pdb, name: sooner}\n")
            with open(self.output / "running.csv", "a", encoding="utf-8") as file:
                file.write("2026-11-22T22:27:37Z,job,start,sooner,1,ladder,0,0,0,host,gpu,\n2026-11-22T22:2")
            batch = read_batch(self.output)
            self.assertEqual([target.name for target in batch.missing], ["later", "sooner"])
            self.assertIn("sooner begun (ladder) on a GPU", self.page().text)
        finally:
            path.write_text(text)

    def test_parts_of_a_list_are_read_together(self):
        moved = {}
        performance = self.output / "batch.performance.json"
        text = performance.read_text()
        try:
            for stem in ("results", "failed", "running"):
                whole = self.output / f"{stem}.csv"
                moved[whole] = self.output / f"{stem}.part-2-of-4.csv"
                whole.rename(moved[whole])
            moved[performance] = self.output / "batch.part-2-of-4.performance.json"
            performance.rename(moved[performance])
            moved[performance].write_text(text.replace('"name": "batch"', '"name": "batch.part-2-of-4"'))
            page = self.page()
            self.assertIn("3 of 5 targets done 2 failed 0 not yet", page.text)
            self.assertIn("Where the time went part 2 of 4 Of the last start", page.text)
            self.assertEqual(len(page.pictures), 3)
        finally:
            for whole, part in moved.items():
                part.rename(whole)
            performance.write_text(text)

    def test_damaged_files_are_reported(self):
        tables = self.output / "fold/fold.h5"
        whole = tables.read_bytes()
        try:
            tables.write_bytes(b"no such format")
            page = self.page()
            self.assertIn("fold/fold.h5: cannot be read", page.text)
            self.assertNotIn(str(self.folder), page.text)
        finally:
            tables.write_bytes(whole)
        broken = self.folder / "broken"
        broken.mkdir()
        (broken / "results.csv").write_text("target\n")
        (broken / "batch.yaml").write_text("targets: 5\n")
        with self.assertRaisesRegex(RunFolderError, "batch.yaml"):
            read_batch(broken)

    def test_names_equal_those_of_nfold(self):
        self.assertEqual([target_stem(path) for path in ("a/1ubq.pdb.gz", "b.ent", "c.mmcif", "d.cif.gz", "e.yaml")],
                         ["1ubq", "b", "c", "d", "e"])
        names = names_in(self.output / "batch.yaml")
        self.assertEqual(names, ["fold", "1e5", "silent", "lost", "3al1"])
        self.assertEqual({path.name for path in self.output.iterdir() if path.is_dir()}, set(names))


class ChainsPage(unittest.TestCase):
    def test_chains_have_a_table_and_small_plots(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            (folder / "all.fasta").write_text(">one\nGSEGKSRGEKGSEGKSRGEK\n>two\nMKDE\n")
            done = subprocess.run([str(NFOLD), "batch", "all.fasta", "--quiet", "--threads", "1", "--set",
                                   "ensemble.rg_error=0.06"], cwd=folder, check=False, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(report.main([str(folder / "all.out")]), 0)
            text = (folder / "all.out/index.html").read_text(encoding="utf-8")
            page = Page(text)
            self.assertEqual(page.open, [])
            self.assertIn("2 sizes converged, of 2 chains", page.text)
            self.assertEqual(text.count("<polyline"), 4)
            row = read_rows(folder / "all.out/results.csv")[0]
            self.assertIn(f'{float(row["radius_of_gyration_nm"]):.2f}', page.text)
            self.assertNotIn("Each target", page.text)


def write_slabs(folder, kelvins, critical=340):
    """Write an output folder of nfold phase with phases that follow the laws; the coldest has an upper bound."""
    folder.mkdir()
    (folder / "batch.yaml").write_text("batch: {protocol: phase}\ntargets:\n" +
                                       "".join(f"- {{name: p-{kelvin}K}}\n" for kelvin in kelvins))
    columns = ("target,protein,client,protocol,verdict,reason,temperature_kelvin,ionic_strength_molar,ph,dense_mg_ml,dense_error_mg_ml,"
               "dilute_mg_ml,dilute_error_mg_ml,dilute_upper_bound_mg_ml")
    rows, position = [], np.linspace(-40, 40, 80)
    profiles = []
    for kelvin in kelvins:
        half, mean = 300 * (1 - kelvin / critical)**0.325, 160 + 0.3 * (critical - kelvin)
        dilute = ",,2.5" if kelvin == min(kelvins) else f"{mean - half},1,"
        verdict = "not converged" if kelvin == min(kelvins) else "converged"
        rows.append(f"p-{kelvin}K,p,,phase,{verdict},,{kelvin},0.15,7.5,{mean + half},4,{dilute}")
        profiles.append(mean - half * np.tanh((abs(position) - 10) / 2))
    (folder / "results.csv").write_text("\n".join([columns, *rows]) + "\n")
    (folder / "binodal.csv").write_text(
        "protein,ionic_strength_molar,ph,client,temperatures,critical_temperature_kelvin,critical_temperature_error_kelvin,"
        "critical_concentration_mg_ml,critical_concentration_error_mg_ml,amplitude_mg_ml,diameter_slope_mg_ml_kelvin,reason\n"
        f"p,0.15,7.5,,{len(kelvins)},{critical},3.1,160,12,600,0.3,\n")
    with h5py.File(folder / "results.h5", "w") as file:
        file["target"] = [f"p-{kelvin}K" for kelvin in kelvins]
        file["profile_start"] = np.arange(len(kelvins) + 1) * len(position)
        file["profile_position_nm"] = np.tile(position, len(kelvins))
        file["profile_mg_ml"] = np.concatenate(profiles)
        file["profile_error_mg_ml"] = np.full(len(kelvins) * len(position), 3.0)
    return folder


class PhasePage(unittest.TestCase):
    def test_slabs_have_a_table_a_diagram_and_critical_points(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = write_slabs(Path(temporary) / "p.phase", (290, 300, 310, 320))
            self.assertEqual(report.main([str(folder)]), 0)
            text = (folder / "index.html").read_text(encoding="utf-8")
            page = Page(text)
            self.assertEqual(page.open, [])
            self.assertIn("3 converged, of 4 slabs", page.text)
            self.assertIn("critical point at 340", page.text)
            self.assertIn("< 2.5", page.text)
            picture = folder / "binodal.png"
            self.assertEqual(phase_diagram.main([str(folder), "--picture", str(picture)]), 0)
            with Image.open(picture) as image:
                self.assertGreater(image.width, 1000)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
