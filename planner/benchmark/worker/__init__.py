"""The benchmark itself: a child process on the standard library and torch, in Python ≥ 3.9 with torch ≥ 2.0.

    python /path/to/planner/benchmark/worker --json         in any Python, wherever this folder lies
    python -m planner.benchmark.worker --json

It prints one JSON object per line, each with an "event" (typed on the other side in planner/benchmark/events.py):

    stage      {name, index, total, elapsed_s, eta_s}      what begins now; index counts from 1, 0 before the first
    hello      {device_kind, device_name, uuid, torch, cuda, python, memory_bytes, sm_count, threads}
    heartbeat  {elapsed_s}                                 about every second, as long as there is progress
    probe      the fields of ProbeResult                   sent after each visit: a later one replaces the earlier
    curve      {name, probe, elapsed_s, time_s}            lists: the device kept busy, "soak" or "sustained"
    skipped    {name, code, detail}                        this probe gives no number; for out_of_memory the size
    warning    {name, code, detail}                        it gives one, but …
    failed | cancelled | done                              the last line: {code, detail} | {} | {duration_s}

The line "cancel" on standard input, or its end, stops it: a parent that dies takes the worker with it.
"""
