# What tools/report.py is made of; start at page.py.
# SPDX-License-Identifier: BSD-3-Clause
