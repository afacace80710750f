# Report of a real run: its page, figures and numbers, and messages for wrong folders.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: report_test.py NFOLD ROOT [unittest arguments]"""

import base64
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import report  # noqa: E402  (path set above)
from nfold_report import condensate_figures, in_words, observables, page_files, pieces  # noqa: E402
from nfold_report.ensemble_folder import read_ensemble  # noqa: E402
from nfold_report.resolved_input import InputTextError, parse_input  # noqa: E402
from nfold_report.performance import Performance, make_facts  # noqa: E402
from pictures import without_pictures  # noqa: E402
from nfold_report.run_folder import Averages, RunFolderError, Trajectory, read_run  # noqa: E402

FIGURES = ("overview", "folding", "contacts", "energies", "temperature", "performance", "free_energy")
AVERAGED = ("clusters", "chain_sizes", "contact_maps", "residue_energy", "phase_locking", "displacement")


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.run_folder = cls.folder / "short"
        command = [str(NFOLD), "run", str(ROOT / "input/ubiquitin.yaml"), "--quiet", "--threads", "1",
                   "--output", str(cls.run_folder), "--set", "dynamics.steps=3000",
                   "--set", "output.energies_every_steps=100",
                   "--set", "output.trajectory_every_steps=200"]
        subprocess.run(command, check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_balance_table_gives_a_section(self):
        """An incomplete last row does not count."""
        table = self.run_folder / "ubiquitin.balance.csv"
        header = "step,session_seconds,balance,step_milliseconds,has_moved,rank,busy_milliseconds,residues,ghosts\n"
        table.write_text(header + "100,1,0.75,2,1,0,2,38,5\n100,1,0.75,2,1,1,1,38,5\n"
                         "200,2,1,1.5,0,0,1.5,20,5\n200,2,1,1.5,0,1,1.5,56,5\n300,3,1,")
        try:
            self.assertEqual(list(read_run(self.run_folder).balance["residues"]), [38, 38, 20, 56])
            pages = self.folder / "balanced"
            with without_pictures():
                self.assertEqual(report.main([str(self.run_folder), "-o", str(pages)]), 0)
            self.assertIn("Balance between ranks", (pages / "report.html").read_text(encoding="utf-8"))
        finally:
            table.unlink()

    def test_confidence_gives_a_section(self):
        record = self.run_folder / "ubiquitin.confidence.json"
        pae = [[0.2 if i == j else 4.0 + (i + j) % 7 for j in range(76)] for i in range(76)]
        record.write_text(json.dumps({"species": [{
            "name": "ubiquitin", "block_residues": 1, "chains": ["A"], "chain_sizes": [76], "numbers": list(range(1, 77)),
            "domains": [1] * 72 + [0] * 4, "plddt": [90.0] * 72 + [40.0] * 4, "pae_angstrom": pae}]}))
        try:
            pages = self.folder / "confident"
            self.assertEqual(report.main([str(self.run_folder), "-o", str(pages)]), 0)
            self.assertIn("Confidence of the predicted structure", (pages / "report.html").read_text(encoding="utf-8"))
            with Image.open(pages / "confidence.png") as image:
                self.assertGreater(len(image.getcolors(1 << 20)), 8)
            record.write_text('{"species": [{}]}')
            with self.assertRaises(RunFolderError):
                read_run(self.run_folder)
        finally:
            record.unlink()

    def test_page_and_figures_are_complete(self):
        pages = self.folder / "pages"
        self.assertEqual(report.main([str(self.run_folder), "--transition", str(self.run_folder),
                                      "-o", str(pages)]), 0)
        page = (pages / "report.html").read_text(encoding="utf-8")
        sources = re.findall(r'(?:src|action)\s*=\s*"([^"]*)"', page)
        self.assertEqual(len(sources), len(FIGURES))
        for source in sources:
            kind, _, data = source.partition(",")
            self.assertEqual(kind, "data:image/svg+xml;base64")
            self.assertEqual(ElementTree.fromstring(base64.b64decode(data)).tag, "{http://www.w3.org/2000/svg}svg")
        # Links lead within the page, or to the run's own files.
        links = re.findall(r'href\s*=\s*"([^"]*)"', page)
        for link in links:
            if link.startswith("#"):
                self.assertIn(f'id="{link[1:]}"', page)
            else:
                self.assertTrue((pages / link).is_file(), link)
        self.assertIn("../short/ubiquitin.h5md", links)
        self.assertIn("1ubq.pdb.gz, 76 residues: go model, from an unfolded coil", page)
        self.assertIn("has not folded", page)
        self.assertIn(f"nfold run {ROOT / 'input/ubiquitin.yaml'} ", page)
        self.assertIn("ubiquitin.h5md --dcd --psf", page)
        self.assertNotIn("Not finished", page)
        self.assertNotIn("url(", page)
        self.assertNotIn("://", page)
        # An unfolded chain that never folds has no transition.
        self.assertIn("Illustrative: 0 transitions.", page)
        written = {path.name for path in pages.iterdir()}
        self.assertEqual(written, {page_files.REPORT_PAGE, *(f"{name}.png" for name in FIGURES)})
        self.assertLessEqual(set(FIGURES), set(page_files.FIGURES))
        for name in FIGURES:
            with self.subTest(figure=name), Image.open(pages / f"{name}.png") as image:
                self.assertGreater(image.width, 1000)
                self.assertGreater(len(image.getcolors(1 << 20)), 8)  # an empty frame has few colours

    def test_commands_of_the_page_run(self):
        work_folder = self.folder / "a place"
        work_folder.mkdir()
        text = (ROOT / "input/ubiquitin.yaml").read_text(encoding="utf-8")
        text = text.replace("structures/", f"{ROOT}/input/structures/").replace("steps: 400000", "steps: 2000")
        (work_folder / "short.yaml").write_text(text, encoding="utf-8")
        (work_folder / "tools").symlink_to(ROOT / "tools")
        (work_folder / "nfold").symlink_to(NFOLD)

        def run_in_shell(script):
            done = subprocess.run(["bash", "-ec", script], cwd=work_folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": f"{work_folder}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"})
            self.assertEqual(done.returncode, 0, done.stderr)
        run_in_shell("nfold run short.yaml --quiet --output 'short out' && tools/report.py 'short out'")
        page = (work_folder / "short out/report/report.html").read_text(encoding="utf-8")
        commands = html.unescape(re.search(r'id="next">.*?<pre>(.*?)</pre>', page, re.S).group(1))
        lines = [line for line in commands.split("# A protein")[0].splitlines() if not line.startswith("vmd ")]
        run_in_shell("\n".join(lines))
        for name in ("short out/short.dcd", "short out/short.psf", "warmer.out/report/report.html"):
            self.assertTrue((work_folder / name).is_file(), name)
        self.assertEqual(read_run(work_folder / "short out").energies["step"][-1], 4000)
        self.assertEqual(read_run(work_folder / "warmer.out").temperature_kelvin, 120)

    def short_run(self, name, *settings, example="ubiquitin"):
        """(text of the page, its folder) of a short run."""
        folder = self.folder / name
        command = [str(NFOLD), "run", str(ROOT / f"input/{example}.yaml"), "--quiet", "--threads", "1", "--output", str(folder)]
        for setting in ("dynamics.steps=400", *settings):
            command += ["--set", setting]
        subprocess.run(command, check=True, capture_output=True)
        with without_pictures():
            self.assertEqual(report.main([str(folder)]), 0)
        return (folder / "report/report.html").read_text(encoding="utf-8"), folder

    def test_run_without_energy_table_is_shown_by_its_frames(self):
        page, folder = self.short_run("frames", "output.energies_every_steps=0", "output.trajectory_every_steps=100")
        self.assertFalse(list(folder.glob("*.energies.csv")))
        self.assertIn("native contacts Q at the end", page)
        self.assertTrue((folder / "report/energies.png").is_file())
        self.assertNotIn("No energies", page)
        # The frames have the same values as the table.
        _, both = self.short_run("both", "output.energies_every_steps=100", "output.trajectory_every_steps=100")
        frames, rows = read_run(folder).energies, read_run(both).energies
        for column in ("step", "time_ps", "potential_kj_mol", "contact_kj_mol", "native_fraction", "rmsd_nm"):
            np.testing.assert_allclose(frames[column], rows[column], rtol=1e-12, err_msg=column)

    def test_run_without_energies_and_frames_has_a_page(self):
        page, folder = self.short_run("bare", "output.energies_every_steps=0", "output.trajectory_every_steps=0")
        self.assertIn("<b>No energies:</b>", page)
        self.assertIn("in 400 steps", page)
        self.assertIn("up to step 400", page)
        self.assertNotIn("nan", page)
        self.assertTrue((folder / "report/performance.png").is_file())

    def test_single_chain_has_no_numbers_of_many(self):
        page, _ = self.short_run("single", "observables.every_steps=20", "output.energies_every_steps=100")
        for nonsense in ("chains in the largest cluster", "surface tension", "bar</b>", 'id="clusters"'):
            self.assertNotIn(nonsense, page)

    def test_species_have_their_own_radius(self):
        page, _ = self.short_run("kinds", "output.energies_every_steps=100", "output.trajectory_every_steps=100",
                                 example="go-with-tails")
        for species in ("ubiquitin", "peptide"):
            self.assertIn(f"radius of gyration of a chain of {species}, last quarter", page)
        self.assertIn("RMSD to native at the end, mean over 10 folded parts", page)

    def test_averages_of_several_chains_have_figures(self):
        folder = self.folder / "pair"
        command = [str(NFOLD), "run", str(ROOT / "input/ubiquitin.yaml"), "--quiet", "--threads", "1",
                   "--output", str(folder), "--set", "dynamics.steps=400", "--set", "system.copies=2",
                   "--set", "output.energies_every_steps=100", "--set", "observables.every_steps=20",
                   "--set", "observables.residue_energies=true", "--set", "observables.phase_locking=true"]
        subprocess.run(command, check=True, capture_output=True)
        self.assertEqual(report.main([str(folder)]), 0)
        page = (folder / "report/report.html").read_text()
        self.assertTrue("Over 21 frames from step 0 on." in page)
        # Two copies have no common native state. Each has its own, and Q is that of both.
        self.assertIn("native contacts Q at the end", page)
        self.assertIn("RMSD to native at the end, residues ", page)
        self.assertFalse((folder / "report/overview.png").exists())
        for name in AVERAGED:
            with self.subTest(figure=name), Image.open(folder / "report" / f"{name}.png") as image:
                self.assertGreater(len(image.getcolors(1 << 20)), 8)
        # The energies have every fifth of these frames, so the averages are close.
        run = read_run(folder)
        radius = run.averages.table("chain_sizes/radius_of_gyration")[0]
        self.assertAlmostEqual(radius, run.energies["radius_of_gyration_nm"].mean(), delta=0.05 * radius)

    def test_ensemble_of_a_hairpin_has_a_page(self):
        folder = self.folder / "hairpin"
        command = [str(NFOLD), "run", str(ROOT / "input/ubiquitin-exchange.yaml"), "--quiet", "--threads",
                   "1", "--output", str(folder)]
        for setting in ("system.chains=[A:1-17]", "ensemble.temperatures=4", "ensemble.ladders=4",
                        "ensemble.lowest_kelvin=60", "ensemble.highest_kelvin=84",
                        "dynamics.steps=40000", "ensemble.equilibration_steps=4000",
                        "ensemble.sample_every_steps=100", "ensemble.analysis.contact_maps=true",
                        "ensemble.analysis.residue_energies=true",
                        "ensemble.analysis.contact_cutoff_nm=0.8"):
            command += ["--set", setting]
        subprocess.run(command, check=True, capture_output=True)
        self.assertEqual(report.main([str(folder)]), 0)
        page = (folder / "report/report.html").read_text(encoding="utf-8")
        self.assertIn("16 replicas at 4 temperatures from 60 to 84 K", page)
        self.assertIn('<section id="states">', page)
        for name in ("thermodynamics", "landscape", "contact_probability", "contact_maps", "phase_locking",
                     "exchange", "residue_energy"):
            with self.subTest(figure=name), Image.open(folder / "report" / f"{name}.png") as image:
                self.assertGreater(image.width, 1000)
                self.assertGreater(len(image.getcolors(1 << 20)), 8)
        found = read_ensemble(folder)
        for name in ("thermodynamics/heat_capacity", "thermodynamics/native_fraction", "free_energy/at_folding_temperature"):
            self.assertEqual(found.table(name).shape, found.table(f"{name}_error").shape)
            self.assertTrue((found.table(f"{name}_error") >= 0).all() and found.table(f"{name}_error").any(), name)
        _, table, extent = found.contact_map(70)
        self.assertEqual((table.shape, extent), ((17, 17), (17, 17)))
        np.testing.assert_array_equal(table, table.T)
        native = found.table("contacts/probability").mean()
        self.assertTrue(0.2 * native < table.max() <= 1, table.max())
        _, locking = found.phase_locking(70)
        np.testing.assert_allclose(locking.locked, locking.locked.conj().T)
        np.testing.assert_allclose(locking.locked.diagonal(), 1, atol=2e-5)
        self.assertLess(np.abs(locking.connected).max(), 1.01)
        (folder / "ubiquitin-exchange.ensemble.h5").write_bytes(b"no such format")
        with self.assertRaisesRegex(RunFolderError, "ensemble.h5"):
            read_ensemble(folder)

    def test_ladders_of_strengths_and_umbrellas_have_pages(self):
        short = ("system.chains=[A:1-17]", "ensemble.ladders=4", "dynamics.steps=20000",
                 "ensemble.equilibration_steps=4000", "ensemble.sample_every_steps=100")
        cases = {"ubiquitin-strengths": (("ensemble.temperatures_kelvin=[66]",
                                          "ensemble.contact_strengths=[1, 0.9, 0.8, 0.7]"),
                                         "16 replicas at 4 contact strengths from 1 to 0.7", "thermodynamics"),
                 "ubiquitin-umbrellas": (("ensemble.temperatures_kelvin=[90]", "ensemble.umbrella_k_kj_mol_nm2=12",
                                          "ensemble.umbrella_residues=[A:1, A:17]",
                                          "ensemble.umbrella_centres_nm=[0.6, 1.1, 1.6, 2.1]"),
                                         "16 replicas at 4 umbrellas from 0.6 to 2.1 nm", "umbrella")}
        for name, (settings, title, figure) in cases.items():
            with self.subTest(name=name):
                folder = self.folder / name
                command = [str(NFOLD), "run", str(ROOT / f"input/{name}.yaml"), "--quiet", "--threads", "1",
                           "--output", str(folder)]
                for setting in (*short, *settings):
                    command += ["--set", setting]
                subprocess.run(command, check=True, capture_output=True)
                self.assertEqual(report.main([str(folder)]), 0)
                self.assertIn(title, (folder / "report/report.html").read_text(encoding="utf-8"))
                for one in (figure, "contact_probability", "phase_locking"):
                    with Image.open(folder / "report" / f"{one}.png") as image:
                        self.assertGreater(len(image.getcolors(1 << 20)), 8)

    def test_kinetics_at_one_temperature_have_a_page(self):
        folder = self.folder / "kinetics"
        command = [str(NFOLD), "run", str(ROOT / "input/ubiquitin-kinetics.yaml"), "--quiet", "--threads", "1",
                   "--output", str(folder)]
        for setting in ("system.chains=[A:1-17]", "ensemble.ladders=8", "ensemble.temperatures_kelvin=[60]",
                        "dynamics.steps=40000", "ensemble.equilibration_steps=4000"):
            command += ["--set", setting]
        subprocess.run(command, check=True, capture_output=True)
        with without_pictures():
            self.assertEqual(report.main([str(folder)]), 0)
        page = (folder / "report/report.html").read_text(encoding="utf-8")
        self.assertIn("8 replicas at 60 K,", page)
        self.assertIn("mean folding time at 60 K, 95 % interval", page)
        self.assertRegex(page, r"<b>\d of 8</b><span>replicas folded at 60 K")
        self.assertTrue((folder / "report/kinetics.png").is_file())
        self.assertFalse((folder / "report/thermodynamics.png").exists())  # one temperature gives no curve

    def test_ladder_of_salt_has_a_page(self):
        folder = self.folder / "salt"
        command = [str(NFOLD), "run", str(ROOT / "input/calvados2-salt.yaml"), "--quiet", "--threads", "1",
                   "--output", str(folder)]
        for setting in ("ensemble.ionic_strengths_molar=[0.02, 0.2, 1]", "ensemble.ladders=2",
                        "dynamics.steps=10000", "ensemble.equilibration_steps=2000",
                        "ensemble.exchange_every_steps=200", "ensemble.sample_every_steps=200"):
            command += ["--set", setting]
        subprocess.run(command, check=True, capture_output=True)
        self.assertEqual(report.main([str(folder)]), 0)
        page = (folder / "report/report.html").read_text(encoding="utf-8")
        self.assertIn("6 replicas at 3 ionic strengths from 0.02 to 1 mol/l", page)
        self.assertNotIn("heat capacity", page)
        with Image.open(folder / "report/sizes.png") as image:
            self.assertGreater(image.width, 1000)
            self.assertGreater(len(image.getcolors(1 << 20)), 8)

    def test_trajectory_gives_nfolds_q_and_rmsd(self):
        run = read_run(self.run_folder)
        frames = run.trajectory
        self.assertEqual(len(frames.contacts), 190)  # contacts of ubiquitin in go-ubq, as published
        i, j = frames.contacts.T
        self.assertGreater(len(frames.time_ps), 1)
        for frame, time_ps in zip(frames.positions_nm, frames.time_ps, strict=True):
            row = np.nonzero(np.isclose(run.energies["time_ps"], time_ps))[0][0]
            r = np.linalg.norm(frame[i] - frame[j], axis=1)
            q = np.mean(r <= observables.FORMED_FACTOR * frames.contact_distances_nm)
            self.assertAlmostEqual(q, run.energies["native_fraction"][row], delta=1.5 / 190)
            fitted = observables.superposed(frame, frames.native_nm)
            rmsd = np.sqrt(np.mean(np.sum((fitted - frames.native_nm) ** 2, axis=1)))
            self.assertAlmostEqual(rmsd, run.energies["rmsd_nm"][row], places=5)

    def test_damaged_files_are_named(self):
        for name in ("ubiquitin.h5md", "ubiquitin.energies.csv", "ubiquitin.input.yaml"):
            with self.subTest(file=name):
                copy = self.folder / f"damaged-{name}"
                copy.mkdir()
                for path in self.run_folder.glob("ubiquitin.*"):
                    (copy / path.name).write_bytes(path.read_bytes())
                (copy / name).write_bytes(b"\x89\xff\x00 no such format\n")
                with self.assertRaisesRegex(RunFolderError, re.escape(name)):
                    read_run(copy)


class Numbers(unittest.TestCase):
    def test_contact_maps_without_contacts_are_left_out(self):
        near, none = np.ones((3, 3)), np.zeros((3, 4))
        found = Averages(5, 0, ["A", "B"], {
            "contact_maps/within_0": near, "contact_maps/within_1": np.ones((4, 4)),
            "contact_maps/between_0_1": none, "contact_maps/between_0_1_per_chain": np.float64(0),
            "contact_maps/between_1_1": np.ones((4, 4))})
        maps = {one.title: one.table for one in condensate_figures.find_maps(found)}
        # Three residues are all neighbours. Of four residues, the ends are not.
        self.assertEqual(sorted(maps), ["between chains of B", "within B"])
        self.assertEqual(np.nansum(maps["within B"]), 2)

    def test_sparse_maps_are_drawn_in_blocks(self):
        # Species A has two chains of 1,000 residues, B one of 3. There are ten frames.
        numbers = {"within": ([(0, 1, 99), (0, 4, 40), (600, 999, 20)]), "between": ([(7, 7, 5), (8, 1002, 60)])}
        tables = {"contact_maps/species_start": np.array([0, 1000, 1003])}
        for kind, entries in numbers.items():
            row, column, count = np.array(entries).T
            tables[f"contact_maps/{kind}_row_start"] = np.searchsorted(row, np.arange(1004))
            tables[f"contact_maps/{kind}_column"], tables[f"contact_maps/{kind}_count"] = column, count
        found = Averages(10, 0, ["A", "B"], tables, [2, 1])
        maps = {one.title: one for one in condensate_figures.find_maps(found)}
        self.assertEqual(list(maps), ["within A", "between A and B", "between chains of A"])
        within = maps["within A"]  # neighbours along the chain are left out; one point covers two residues
        self.assertEqual((within.table.shape, within.extent), ((500, 500), (1000, 1000)))
        np.testing.assert_allclose(within.table[[0, 2, 300, 499], [2, 0, 499, 300]], [0.5, 0.5, 0.25, 0.25])
        self.assertAlmostEqual(within.table.sum(), 1.5)
        self.assertAlmostEqual(maps["between A and B"].table[4, 2], 60 / 20 / 2)
        self.assertAlmostEqual(maps["between chains of A"].table[3, 3], 2 * 5 / 20 / 4)

    def test_quantiles_of_counts_are_exact(self):
        count = np.array([[0, 10, 10, 0], [0, 0, 0, 4]])
        np.testing.assert_allclose(condensate_figures.quantiles(count, np.array([0.0, 1, 2, 3, 4]), 0.25), [1.5, 3.25])

    def test_errors_give_the_digits(self):
        self.assertEqual(in_words.with_error(1.1694, 0.0023), "1.169 ± 0.002")
        self.assertEqual(in_words.with_error(123.4, 12), "123 ± 12")
        self.assertEqual(in_words.with_error(3.14159, np.nan), "3.14")

    def test_rigid_parts_are_found_by_their_contacts(self):
        # Two rigid parts of 20 residues are joined by a linker, with a loose end of 20. The second part is rotated.
        random = np.random.default_rng(5)
        native = random.normal(size=(65, 3)).cumsum(axis=0)
        contacts = [(i, j) for first in (0, 25) for i in range(first, first + 20) for j in range(i + 4, first + 20)]
        turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
        moved = native.copy()
        moved[20:] = moved[20:] @ (turn * np.sign(np.linalg.det(turn)))
        moved[45:] += random.normal(size=(20, 3))
        found = Trajectory(np.array([0.0, 1]), np.array([native, moved]), native, np.array(contacts), ["A"] * 65,
                           numbers=np.arange(1, 66))
        both = pieces.find_pieces(found)
        self.assertEqual([(one[0], one[-1]) for one in both], [(0, 19), (25, 44)])
        self.assertFalse(pieces.is_whole(found, both))
        for piece, words in zip(both, ("A 1-20", "A 26-45")):
            distance = pieces.piece_distance(found, piece)
            self.assertEqual(distance.label, words)
            np.testing.assert_allclose(distance.nm, 0, atol=1e-9)
        self.assertTrue(pieces.is_one_structure(found))
        found.native_nm = np.concatenate([native[:40], native[:25]])
        self.assertFalse(pieces.is_one_structure(found))

    def test_part_across_the_box_border_is_whole(self):
        native = np.random.default_rng(6).normal(scale=0.2, size=(30, 3)).cumsum(axis=0)
        box = np.array([[5.0, 5, 5]])
        found = Trajectory(np.zeros(1), native[None] % 5, native, np.array([(i, i + 1) for i in range(29)]), ["A"] * 30,
                           numbers=np.arange(30), box_nm=box)
        np.testing.assert_allclose(pieces.piece_distance(found, np.arange(30)).nm, 0, atol=1e-9)

    def test_there_is_one_measured_step_time(self):
        values = {"execution": "x", "ranks": [], "first_step": 0, "last_step": 1000, "wall_seconds": 2.0, "replicas": 0,
                  "mean_phase_seconds": {"steps": 1.5}, "simulated_ns": 1, "step_seconds": 2e-3, "joules": None,
                  "prediction": {"step_seconds": 1e-3, "spread": 0.5, "by": "here", "compared_step_seconds": 1.25e-3}}
        facts = dict(make_facts(Performance(values)))
        self.assertIn("1,250 µs", facts["A step"])
        self.assertNotIn("1,250 µs", facts["Predicted"])
        self.assertIn("a step took 25% more", facts["Predicted"])
        self.assertNotIn("2,000 µs", " ".join(facts.values()))

    def test_free_energies_have_errors(self):
        # Independent draws of two values, half of each: ln of a count has the error sqrt((1 - p) / (n p)). The
        # difference of two such logarithms has the error 2 / sqrt(n).
        q = np.random.default_rng(7).choice([0.2, 0.8], size=10_000)
        found = observables.free_energy(q, 1.0, 10, discard=0)
        error = found.error_kj_mol[np.isfinite(found.kj_mol)]
        self.assertTrue((error >= 0).all() and (error < 0.04).all(), error)
        self.assertGreater(error.max(), 0.005)
        # A value seen in one block only has a large error.
        once = observables.free_energy(np.concatenate([np.full(1100, 0.2), np.full(100, 0.8)]), 1.0, 10, discard=0)
        self.assertGreater(once.error_kj_mol[-1], 0.5)

    def test_transitions_need_both_thresholds(self):
        # The series goes up, to the middle, up again and down: two transitions, not four.
        q = np.array([0.1, 0.5, 0.2, 0.75, 0.5, 0.9, 0.31, 0.8, 0.29, 0.5])
        self.assertEqual(observables.transitions(q).tolist(), [3, 8])
        self.assertEqual(len(observables.transitions(np.array([0.4, 0.6, 0.5]))), 0)

    def test_free_energy_of_known_populations_is_exact(self):
        # 16 of 40 contacts are e times as frequent as 32: F differs by kT, and nothing lies between.
        contacts, kt = 40, 2.0
        q = np.repeat([16 / 40, 32 / 40], [27183, 10000])
        found = observables.free_energy(q, kt, contacts, discard=0)
        self.assertAlmostEqual(found.kj_mol[0], 0)
        self.assertAlmostEqual(found.kj_mol[-1], kt, places=4)
        self.assertAlmostEqual(found.q[0], 16 / 40)
        self.assertTrue(np.isnan(found.kj_mol[1:-1]).all())
        self.assertEqual((found.transitions, found.illustrative), (0, True))

    def test_enough_transitions_are_not_illustrative(self):
        q = np.tile([0.1, 0.9], 6)  # eleven crossings
        self.assertFalse(observables.free_energy(q, 1.0, 100).illustrative)
        self.assertTrue(observables.free_energy(q[:10], 1.0, 100).illustrative)

    def test_running_mean_keeps_ends(self):
        self.assertEqual(observables.running_mean(np.array([0.0, 3, 6, 9]), 3).tolist(),
                         [1.5, 3, 6, 7.5])

    def test_superposition_undoes_a_rotation_but_no_mirror(self):
        points = np.random.default_rng(1).normal(size=(20, 3))
        turn, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))
        back = observables.superposed(points @ turn + [1, 2, 3], points)
        np.testing.assert_allclose(back, points, atol=1e-12)
        mirrored = observables.superposed(points * [1, 1, -1], points)
        self.assertGreater(np.abs(mirrored - points).max(), 0.1)

    def test_input_text_is_parsed(self):
        text = 'a:\n  b: 1e-3  # a comment\n  c:\n    d: [A, "B:1-2"]\n  e: true\n'
        self.assertEqual(parse_input(text)["a"],
                         {"b": 1e-3, "c": {"d": ["A", "B:1-2"]}, "e": True})
        with self.assertRaisesRegex(InputTextError, "line 2"):
            parse_input("a: 1\nno colon\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
