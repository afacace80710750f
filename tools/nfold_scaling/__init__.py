# Modules of tools/scaling_study; start at study.py.
# SPDX-License-Identifier: BSD-3-Clause
