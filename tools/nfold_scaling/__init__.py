# What tools/scaling_study is made of; start at study.py.
# SPDX-License-Identifier: BSD-3-Clause
