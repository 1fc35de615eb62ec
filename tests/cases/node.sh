#!/bin/bash
# Node: V8 reserves gigabytes that it never touches, and starts its own threads.
. "$(dirname "$0")/../lib.sh"

need node

t WebAssembly under the usual memory ceiling
job --memory-mb 512 -- node -e '
const memory = new WebAssembly.Memory({initial: 4});
console.log(memory.buffer.byteLength)'
want_rc 0
want_out 262144

t a worker thread answers
job -- node -e '
const {Worker} = require("worker_threads");
const worker = new Worker(
    "const {parentPort} = require(\"worker_threads\");" +
    "parentPort.postMessage(6 * 7)", {eval: true});
worker.on("message", (n) => console.log(n))'
want_rc 0
want_out 42

t a server and its client over loopback
job --wall 20 -- node -e '
const http = require("http");
const server = http.createServer((_, answer) => answer.end("served"));
server.listen(0, "127.0.0.1", () =>
    http.get({port: server.address().port}, (reply) => {
        reply.on("data", (bytes) => console.log(String(bytes)));
        reply.on("end", () => server.close());
    }))'
want_rc 0
want_out served

t a child process and its output
job -- node -e '
const {execFileSync} = require("child_process");
process.stdout.write(execFileSync("echo", ["from a child"]))'
want_rc 0
want_out 'from a child'

t the user has a name and a home
job -- node -e '
const user = require("os").userInfo();
console.log(typeof user.username, require("fs").existsSync(user.homedir))'
want_rc 0
want_out 'string true'

t too few threads for node is an end, never a hang
LIMIT=30 job --wall 5 --max-procs 5 -- node -e 'console.log("up")'
want_rc 0 2
want_ms_below 12000

finish
