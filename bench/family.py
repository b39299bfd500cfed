"""Runs one command and all that it starts, and writes what they used together as JSON.

Spark runs in a process of its own that outlives the command by a moment; whatever loses its parent is taken over and
waited for. A script of its own, for the same reason as `launch.py`. Linux alone.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    out, err, told, limit_s, *command = sys.argv[1:]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before, started = _io(), time.perf_counter()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(os.open(out, flags, 0o644), 1)
            os.dup2(os.open(err, flags, 0o644), 2)
            os.execvp(command[0], command)
        except OSError as problem:
            os.write(2, f"{command[0]}: {problem.strerror}\n".encode())
        os._exit(127)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(int(limit_s))
    status = None
    while True:
        try:
            pid, state = os.wait()
        except ChildProcessError:
            break
        if pid == child:
            status, wall_s = os.waitstatus_to_exitcode(state), time.perf_counter() - started
    signal.alarm(0)
    used, after = resource.getrusage(resource.RUSAGE_CHILDREN), _io()
    numbers = {
        "status": status,
        "cpu_s": used.ru_utime + used.ru_stime,
        "wall_s": wall_s,
        "peak_bytes": used.ru_maxrss * 1024,  # of the largest process
        "read_bytes": after["rchar"] - before["rchar"],
        "written_bytes": after["wchar"] - before["wchar"],
    }
    with open(told, "w", encoding="utf-8") as file:
        json.dump(numbers, file)


def _io() -> dict[str, int]:
    """Bytes read and written so far, by this process and by all that it has waited for."""
    with open("/proc/self/io", encoding="ascii") as lines:
        return {name: int(value) for name, value in (line.split(": ") for line in lines)}


if __name__ == "__main__":
    main()
