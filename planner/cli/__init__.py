"""`gpu-plan`: the whole core without a window, for servers, CI and rented machines.

Exit status: 0 good, 1 the answer is no or a run failed, 2 the input is wrong.
"""
