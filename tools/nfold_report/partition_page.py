# Page of nfold check --partitions: cuts, costs and balance of each method, as pictures and a table.
# SPDX-License-Identifier: BSD-3-Clause

import html

from .in_words import count, listed, plain
from .page import Page, Sections, write_page
from .page_files import REPORT_PAGE, remove_old
from .partition_figures import partition_maps

HEAD = ("Ranks", "Method", "Contacts cut", "Ghosts", "of the rank with most", "Balance", "Sent in a step",
        "Predicted step", "Efficiency")


def make_row(partitions, one):
    cut = f"{one.contacts_cut} ({one.contacts_cut / len(partitions.contacts):.1%})" if len(partitions.contacts) else "-"
    method = html.escape(one.method) + (" <strong>(auto)</strong>" if one.is_auto else "")
    return (one.ranks, method, cut, f"{one.ghosts:,}", f"{one.most_ghosts:,}", f"{one.balance:.3f}",
            f"{plain(one.exchange_bytes / 1000)} kB", f"{plain(one.step_microseconds)} µs", f"{one.efficiency:.0%}")


def describe_result(partitions):
    chosen = [f"<strong>{html.escape(one.method)}</strong> on {one.ranks} ranks" for one in partitions.maps if one.is_auto]
    return f"<code>partition.method: auto</code> takes {listed(chosen)}." if chosen else ""


def write_partition_report(partitions, folder):
    """(path of the page, its figures)"""
    folder.mkdir(parents=True, exist_ok=True)
    remove_old(folder)
    sections = Sections(folder)
    sections.add("partitions", "Who owns what", partition_maps(partitions),
                 "Colours are ranks. Contacts that one rank owns whole lie above the diagonal, those that are cut below it in "
                 "black; the strip at the left is the chain. Below each map is the start structure.",
                 "Contact maps and chains coloured by the rank that owns each residue, a column for each method")
    sections.add_table("figures", "Figures", "Ghosts are copies of residues that another rank owns. Balance is the mean over "
                       "the largest counted work. The step is predicted from counted work, ghosts and messages.",
                       HEAD, [make_row(partitions, one) for one in partitions.maps], words=(1,))
    residues = len(partitions.positions_nm)
    page = Page(partitions.folder.name, f"{count(residues, 'residue')}, {count(len(partitions.contacts), 'native contact')}",
                describe_result(partitions), [], sections.all, "", str(partitions.folder))
    return write_page(page, folder / REPORT_PAGE), sections.figures
