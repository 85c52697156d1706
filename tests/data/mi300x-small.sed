# SPDX-License-Identifier: BSD-3-Clause
# Gives data/sim/mi300x a small L2 and L3, so that the simulation takes a fifth of the time.
/^\[cache L2\]/,/^\[/s/^size = 4 MiB/size = 512 KiB/
/^\[cache L3\]/,/^\[/s/^size = 256 MiB/size = 16 MiB/
s/^NominalBytes = 4194304$/NominalBytes = 524288/
s/^NominalBytes = 268435456$/NominalBytes = 16777216/
