# Other programs on the same systems, and a second reading of the models; start at go_terms.py.
# SPDX-License-Identifier: BSD-3-Clause
