# Other programs on the same systems, and independent code of the models; start at go_terms.py.
# SPDX-License-Identifier: BSD-3-Clause
