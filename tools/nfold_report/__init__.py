# Modules of tools/report.py; start at page.py.
# SPDX-License-Identifier: BSD-3-Clause
