# Program nfold by python -m nfold.
# SPDX-License-Identifier: BSD-3-Clause

from ._process import main

main()
