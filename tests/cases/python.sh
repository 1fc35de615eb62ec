#!/bin/bash
# Python as people run it: threads, processes, shared memory, numpy, plots.
. "$(dirname "$0")/../lib.sh"

t code prints
job -c 'print("hi")'
want_rc 0
want_out hi

t eight threads start
job -c '
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(lambda n: n * n, range(9))))'
want_rc 0
want_out 204

t a process pool and a shared memory block
cat >"$T/pool.py" <<'PY'
from multiprocessing import Lock, Pool, shared_memory

def double(n):
    return 2 * n

if __name__ == "__main__":
    lock = Lock()
    with lock, Pool(2) as pool:
        print(*pool.map(double, [3, 5, 8]))
    block = shared_memory.SharedMemory(create=True, size=8192)
    block.buf[17] = 99
    other = shared_memory.SharedMemory(name=block.name)
    print(other.buf[17])
    other.close()
    block.close()
    block.unlink()
PY
job "$T/pool.py"
want_rc 0
want_out $'6 10 16\n99'

t many subprocesses from several threads and from asyncio
job --wall 50 -c '
import asyncio, subprocess
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(6) as pool:
    codes = list(pool.map(lambda n: subprocess.call(["false"]), range(36)))
async def ask(word):
    process = await asyncio.create_subprocess_exec(
        "printf", word, stdout=asyncio.subprocess.PIPE)
    return (await process.communicate())[0].decode()
async def main():
    print(sum(codes), *await asyncio.gather(ask("one"), ask("two")))
asyncio.run(main())'
want_rc 0
want_out '36 one two'

t a virtual environment can be made and used
job --wall 50 -- bash -c 'python3 -m venv --without-pip v &&
    v/bin/python -c "import sys; print(sys.prefix != sys.base_prefix)"'
want_rc 0
want_out True

numpy='
import numpy
a = numpy.full((400, 400), 0.5)
print(float((a @ a).trace()))'
if python3 -c 'import numpy' 2>/dev/null; then
	t numpy multiplies with as many threads as it likes
	job -- /usr/bin/python3 -c "$numpy"
	want_rc 0
	want_out 40000.0

	t numpy under a ceiling of two threads ends by itself
	job --wall 20 --max-procs 2 -- /usr/bin/python3 -c "$numpy"
	want_rc 0 2
	want_ms_below 30000
	[ "$RC" = 0 ] || [ -s "$T/err" ] || fail "no word on stderr"
else
	t numpy
	skip no python3-numpy here
fi

if python3 -c 'import matplotlib' 2>/dev/null; then
	t matplotlib draws without a complaint about its caches
	job --wall 90 -c '
import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
pyplot.bar([1, 2, 3], [4, 1, 2])
pyplot.savefig("bars.png")
print(open("bars.png", "rb").read(4)[1:].decode())'
	want_rc 0
	want_out PNG
	want_no_err_re 'not a writable'
else
	t matplotlib
	skip no python3-matplotlib here
fi

t a database in the working directory
job -c '
import sqlite3
with sqlite3.connect("t.db") as db:
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("CREATE TABLE t (n)")
    db.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(50)])
    print(db.execute("SELECT sum(n) FROM t").fetchone()[0])'
want_rc 0
want_out 1225

finish
