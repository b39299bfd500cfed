"""Runs one command and writes what it used as JSON; a script of its own so that the forking process is small.

On Linux the peak memory of a child starts at what its parent held when it forked, so a parent with numpy
and polars loaded would lend every child its own size.
"""

import json
import os
import signal
import sys
import time


def main() -> None:
    out, err, told, limit_s, *command = sys.argv[1:]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(os.open(out, flags, 0o644), 1)
            os.dup2(os.open(err, flags, 0o644), 2)
            os.execvp(command[0], command)
        except OSError as problem:
            os.write(2, f"{command[0]}: {problem.strerror}\n".encode())
        os._exit(127)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(int(limit_s))
    _, state, used = os.wait4(child, 0)
    wall_s = time.perf_counter() - started
    signal.alarm(0)
    unit = 1 if sys.platform == "darwin" else 1024
    numbers = {
        "status": os.waitstatus_to_exitcode(state),
        "user_s": used.ru_utime,
        "system_s": used.ru_stime,
        "wall_s": wall_s,
        "peak_bytes": used.ru_maxrss * unit,
    }
    with open(told, "w", encoding="utf-8") as file:
        json.dump(numbers, file)


if __name__ == "__main__":
    main()
