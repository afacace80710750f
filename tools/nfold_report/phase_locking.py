# Phase-locking matrices from nfold's files, of a run or of a state of an ensemble.
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass

import numpy as np


@dataclass
class PhaseLocking:
    residue: np.ndarray  # (phases), from 1
    locked: np.ndarray  # (phases, phases) complex, C_ij
    order: np.ndarray  # (phases) complex, R_i

    @property
    def connected(self):
        """Complex correlation (phases, phases): C without the part that stiff angles always have."""
        spread = np.sqrt(np.clip(1 - np.abs(self.order) ** 2, 1e-12, None))
        return (self.locked - np.outer(self.order, self.order.conj())) / np.outer(spread, spread)


def read_phase_locking(found, which):
    """Matrix `which` of the tables given by found.table(); None without counts."""
    if not found.has("phase_locking/cosine") or not found.table("phase_locking/samples")[which]:
        return None
    residue = found.table("phase_locking/residue").astype(int) + 1
    rows, columns = np.triu_indices(len(residue))
    locked = np.zeros((len(residue),) * 2, complex)
    locked[rows, columns] = found.table("phase_locking/cosine")[which] + 1j * found.table("phase_locking/sine")[which]
    locked[columns, rows] = locked[rows, columns].conj()
    order = found.table("phase_locking/order_cosine")[which] + 1j * found.table("phase_locking/order_sine")[which]
    return PhaseLocking(residue, locked, order)
