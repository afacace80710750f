# What tools/report.py and tools/openmm_go.py are made of; start at page.py or at go_terms.py.
# SPDX-License-Identifier: BSD-3-Clause
