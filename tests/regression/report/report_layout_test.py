# Layout faults of figures and pages: overlapping labels, titles on colour bars, tables wider than the window.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: report_layout_test.py ROOT [unittest arguments]"""

import itertools
import re
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
from scipy.optimize import curve_fit
from scipy.spatial import cKDTree

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_report import batch_page, condensate_figures, ensemble_figures, ensemble_page, in_words  # noqa: E402
from nfold_report import observables, page, page_files, run_page, slab, style  # noqa: E402
from nfold_report.ensemble_folder import Ensemble  # noqa: E402
from nfold_report.run_folder import Averages, RunFolderError  # noqa: E402
from nfold_report.structure_figures import smooth_curves, snapshot_frames  # noqa: E402

LONG_NAMES = ["LAF1-RGG-with-a-long-tail-of-many-glycines-0123456789", "a spacer between its domains"]


def ensemble(windows=(), folding=(132.8, 0.4), temperatures=(124, 130, 136, 142)):
    """A synthetic ensemble with two basins and a barrier between them."""
    q = np.linspace(0.01, 0.99, 50)
    tables = {"exchange/temperature": np.array(temperatures, float), "exchange/contact_strength": np.ones(len(temperatures)),
              "thermodynamics/folding_temperature": np.array(folding), "free_energy/native_fraction": q,
              "free_energy/at_folding_temperature": 3 * np.cos(2 * np.pi * q) ** 2}
    if len(windows):
        tables["folding_order/windows"] = np.array(windows)
    return Ensemble(Path("posed"), "posed", {}, 100, tables)


def visible_texts(figure):
    """Visible texts of axes, colour bars and boxes."""
    figure.canvas.draw()
    return [text for text in figure.findobj(style.plt.Text) if text.get_visible() and text.get_text().strip()]


class Figures(unittest.TestCase):
    def tearDown(self):
        style.plt.close("all")

    def assert_apart(self, texts, renderer):
        for (one, box), (other, beside) in itertools.combinations(
                zip(texts, style.text_boxes(texts, renderer, margin=0)), 2):
            self.assertFalse(box.overlaps(beside), f"{one.get_text()!r} lies over {other.get_text()!r}")

    def test_names_of_basins_do_not_overlap(self):
        for windows in (((0.14, 0.36), (0.56, 0.62), (0.72, 0.92)), ((0.40, 0.44), (0.44, 0.48), (0.48, 0.52)),
                        ((0.0, 0.02), (0.02, 0.04), (0.04, 0.06)), ((0.96, 0.97), (0.97, 0.98), (0.98, 1.0))):
            with self.subTest(windows=windows):
                figure = ensemble_figures.free_energy(ensemble(windows))
                figure.canvas.draw()
                axes, renderer = figure.axes[0], figure.canvas.get_renderer()
                labels = list(axes.texts)
                self.assertEqual(len(labels), 3)
                self.assert_apart(labels, renderer)
                inside, curve = axes.get_window_extent(renderer), axes.lines[0]
                points = axes.transData.transform(curve.get_xydata())
                for label, box in zip(labels, style.text_boxes(labels, renderer, margin=0)):
                    self.assertTrue(inside.x0 - 1 <= box.x0 and box.x1 <= inside.x1 + 1, label.get_text())
                    self.assertFalse(any(box.contains(x, y) for x, y in points), label.get_text())

    def test_maps_with_long_names_do_not_overlap(self):
        maps = np.random.default_rng(1).random
        found = Averages(5, 0, LONG_NAMES, {
            "contact_maps/within_0": maps((176, 176)), "contact_maps/within_1": maps((30, 30)),
            "contact_maps/between_0_0": 1e-3 * maps((176, 176)), "contact_maps/between_0_1": maps((176, 30))})
        figure = condensate_figures.contact_maps(found)
        texts, renderer = visible_texts(figure), figure.canvas.get_renderer()
        self.assertEqual(sum(text.get_text().startswith(("within", "between")) for text in texts), 4)
        self.assert_apart(texts, renderer)
        bars = [bar for axes in figure.axes for bar in axes.child_axes]
        self.assertEqual(len(bars), 4)
        for bar in bars:
            for axes in figure.axes:
                self.assertFalse(bar.get_window_extent(renderer).overlaps(axes.title.get_window_extent(renderer)))
                self.assertFalse(bar.get_window_extent(renderer).overlaps(axes.get_window_extent(renderer)))
        width, height = figure.canvas.get_width_height()
        for text, box in zip(texts, style.text_boxes(texts, renderer, margin=0)):
            self.assertTrue(0 <= box.x0 and box.x1 <= width and 0 <= box.y0 and box.y1 <= height, text.get_text())

    def test_density_profile_needs_species_and_slices(self):
        place, row = np.linspace(-1, 1, 20), np.ones(20)

        def found(mean, species):
            return Averages(5, 0, species, {"density_profile/position": place, "density_profile/axis": 2,
                                            "density_profile/mass_density": mean,
                                            "density_profile/mass_density_error": 0.1 * mean,
                                            "density_profile/mass_density_total": row,
                                            "density_profile/mass_density_total_error": row})
        for species in (["A"], ["A", "B"]):
            figure = condensate_figures.density_profile(found(np.tile(row, (len(species), 1)), species))
            self.assertEqual(len(figure.axes[0].lines), 1 if len(species) == 1 else 3)
        with self.assertRaisesRegex(RunFolderError, r"\(20,\); expected \(species, slices\) = \(1, 20\)"):
            condensate_figures.density_profile(found(row, ["A"]))

    def test_structures_are_of_different_frames(self):
        frames = 201
        step = np.where(np.arange(frames) < 137, 0.05, 0.95)  # all levels are passed within one frame
        for name, q in (("sudden", step), ("at once", step[::-1][:frames]), ("never", np.full(frames, 0.1)),
                        ("late", np.where(np.arange(frames) < 199, 0.05, 0.95)),
                        ("slow", np.linspace(0, 1, frames)), ("few", np.array([0, 0.1, 0.9, 1.0]))):
            with self.subTest(way=name):
                found = snapshot_frames(q, 4)
                self.assertEqual((found[0], found[-1], len(found)), (0, len(q) - 1, 4))
                self.assertGreaterEqual(min(np.diff(found)), max(1, (len(q) - 1) // 16))

    def test_maximum_at_the_edge_is_no_folding_temperature(self):
        for place, folds in ((0, True), (1, False), (2, False), (3, False), (4, False)):
            found = ensemble()
            found.tables["thermodynamics/maximum_place"] = np.float64(place)
            self.assertEqual(found.folds_within_the_ladder, folds)
        self.assertFalse(ensemble(folding=(124, 0.4)).folds_within_the_ladder)
        found.tables["thermodynamics/transitions"] = np.array([4, 1])
        self.assertIn("No folding temperature yet: replicas folded 4 times and unfolded 1 time, and 5",
                      ensemble_page.describe_result(found))

    def test_fits_and_pairs_equal_those_of_scipy(self):
        # The tools do not use scipy, since it is larger than all their other modules.
        rng = np.random.default_rng(3)
        for dense, dilute, half, width in ((450, 5, 9.3, 1.1), (300, 0.0, 15, 2.5), (80, 40, 12, 4)):
            place = np.linspace(-35, 35, 140)
            density = slab.interface(place, dense, dilute, half, width) + rng.normal(scale=2, size=len(place))
            reference, _ = curve_fit(slab.interface, place, density, p0=(dense, dilute, half, width),
                                     bounds=([0, 0, 0, 0.05], [np.inf, np.inf, place.max(), np.ptp(place)]))
            np.testing.assert_allclose(slab.fitted_interface(place, density), reference, rtol=2e-4, atol=2e-4)
        for points in (rng.uniform(0, 3, (200, 3)), rng.uniform(0, 0.1, (3, 3)), rng.uniform(0, 90, (50, 3))):
            pairs = cKDTree(points).query_pairs(0.8, output_type="ndarray")
            self.assertEqual({tuple(pair) for pair in np.sort(pairs, axis=1).tolist()},
                             {tuple(pair) for pair in observables.close_pairs(points, 0.8).tolist()})

    def test_curve_of_a_chain_passes_through_its_residues(self):
        points = np.random.default_rng(4).normal(size=(9, 3)).cumsum(axis=0)
        (curve, place), = smooth_curves(points, ["A"] * 9)
        np.testing.assert_allclose(place[[0, -1]], [0, 1])
        nearest = np.linalg.norm(curve[:, None] - points, axis=2).min(axis=0)
        self.assertLess(nearest.max(), 0.1)
        np.testing.assert_allclose(curve[[0, -1]], points[[0, -1]])


class Tables(HTMLParser):
    """Parser that counts tables, and those inside a scrolling box."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables, self.scrolling = [], 0, 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables += 1
            self.scrolling += any(held == ("div", "wide") for held in self.open)
        if tag not in ("img", "meta", "br", "input"):
            self.open.append((tag, dict(attributes).get("class", "")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, f"</{tag}> closes another tag"


class Pages(unittest.TestCase):
    def synthetic_page(self):
        sections = page.Sections(Path("nowhere"))
        sections.add_table("states", "States", "", ["State"] + ["a long head of a column"] * 20, [["1"] + ["2"] * 20])
        return page.Page("a<b", "x & y", "<b>It folded</b>", [("1.36 ns", "until"), ("1.167 ± 0.002 nm", "size")],
                         sections.all, "a: <1>", "here", ["<b>Not finished</b>"])

    def test_wide_tables_scroll_inside(self):
        text = page.page_text(self.synthetic_page())
        tables = Tables(text)
        self.assertEqual((tables.tables, tables.scrolling, tables.open), (1, 1, []))
        self.assertRegex(page.STYLE, r"\.wide \{[^}]*overflow-x: auto")
        self.assertRegex(page.STYLE, r"\npre \{[^}]*overflow-x: auto")

    def test_narrow_windows_show_each_cell_with_its_head(self):
        columns = [page.Column("T<sub>f</sub>, K", title="in kelvin", sorts=True), page.Column("Why", is_text=True)]
        text = page.table_html(columns, [page.Row(["130 <small>(a)</small>", "b"], [130.0, "b"], ' data-words="x"')])
        self.assertIn('<th scope="col" title="in kelvin" aria-sort="none"><button type="button">T<sub>f</sub>, K</button></th>',
                      text)
        self.assertIn('<th scope="col" class="text">Why</th>', text)  # an unsorted column has no button
        self.assertIn('<tr data-words="x"><td data-head="Tf, K" data-sort="130.0">130 <small>(a)</small></td>', text)
        self.assertIn('<td class="text" data-head="Why">b</td>', text)
        narrow = page.STYLE[page.STYLE.index("@media (max-width"):]
        self.assertIn("td::before { content: attr(data-head)", narrow)
        self.assertRegex(narrow, r"\.picture img \{ min-width: \d+px")  # letters keep the size in which they are drawn

    def test_pages_have_light_and_dark_colours(self):
        self.assertIn("color-scheme: light dark", page.STYLE)
        for text in (page.STYLE, batch_page.BATCH_STYLE):
            light, dark = (re.findall(r"--[a-z-]+(?=:)", part) for part in
                           text.split("@media (prefers-color-scheme: dark)", 1))
            self.assertLessEqual(set(light), set(dark), "each colour has a dark one")
        svg = style.to_svg(style.plt.figure()).decode()
        self.assertNotIn("fill: #ffffff", svg)  # a background would be inverted

    def test_unconverged_results_are_not_bold(self):
        self.assertEqual(page.headline("It folds at 100 K"), "<b>It folds at 100 K</b>")
        self.assertNotIn("<b>", page.headline("It folds at 100 K", "Not converged:"))
        self.assertIn('class="tile unsure"', page.tile_html("100 K", "folding temperature", "not converged"))
        found = ensemble(windows=((0.1, 0.3), (0.4, 0.5), (0.7, 0.9)))
        found.tables.update({"free_energy/barrier": np.array([3, 0.2]), "thermodynamics/maximum_place": np.float64(0),
                             "exchange/acceptance": np.full(3, 0.3), "exchange/round_trips": np.full(4, 5)})
        self.assertIn("<b>It folds at 132.8 ± 0.4 K</b>", ensemble_page.describe_result(found))
        unseen = ensemble()
        unseen.tables = {**found.tables, "free_energy/barrier": np.full(2, np.nan)}
        self.assertIn("the barrier is not known", ensemble_page.describe_result(unseen))
        self.assertFalse([tile for tile in ensemble_page.make_tiles(unseen) if tile[1] == "barrier there"])
        for path, value in (("exchange/round_trips", np.full(4, 1)), ("convergence/starts", np.array([0.2, 130]))):
            lacking = ensemble()
            lacking.tables = {**found.tables, path: value}
            self.assertNotIn("<b>", ensemble_page.describe_result(lacking))
            self.assertIn("Not converged", ensemble_page.describe_result(lacking))
            self.assertTrue(all(tile[2] for tile in ensemble_page.make_tiles(lacking)[:2]))
        for folded, is_bold in ((4, False), (5, True)):
            kinetics = Ensemble(Path("posed"), "posed", {}, 100, {
                "exchange/temperature": np.array([100.0]), "exchange/acceptance": np.zeros(0),
                "kinetics/folding_mean_time": np.array([[3400.0, 1400, 10000]]),
                "kinetics/folding_replicas": np.array([[8, folded]])})
            self.assertEqual("<b>" in ensemble_page.describe_result(kinetics), is_bold)

    def test_texts_are_escaped(self):
        text = page.page_text(self.synthetic_page())
        self.assertIn("<h1>a&lt;b</h1>", text)
        self.assertIn("a: &lt;1&gt;", text)
        self.assertIn("1.167<small> ± 0.002 nm</small>", text)
        self.assertIn('<a href="#states">States</a>', text)
        self.assertNotIn("://", text)

    def test_only_old_figures_are_removed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for one in ("report.html", "free_energy.png", "mine.png"):
                (folder / one).write_text("")
            page_files.remove_old(folder)
            self.assertEqual([path.name for path in folder.iterdir()], ["mine.png"])

    def test_condensate_is_described_by_its_chains(self):
        description = run_page.describe_averages(Averages(51, 1000, ["A", "B"], {"species/chains": np.array([60, 1])}))
        self.assertIn("<b>60 chains of A and 1 chain of B</b>, averaged over 51 frames from step 1,000 on", description)

    def test_numbers_have_no_exponents(self):
        for value, expected in ((150.0, "150"), (0.0381, "0.0381"), (12345.6, "12,346"), (1.36, "1.36"), (99.96, "100"),
                                (4.0, "4"), (0.0, "0"), (float("nan"), "not known")):
            self.assertEqual(in_words.plain(value), expected)
        self.assertEqual(in_words.with_error(-0.2, 1.3), "0 ± 1")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
