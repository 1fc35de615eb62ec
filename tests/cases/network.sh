#!/bin/bash
# Sockets: loopback inside works, and nothing else is there.
. "$(dirname "$0")/../lib.sh"

t a server is reached by number and by name
job --wall 20 -c '
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
def answer():
    while True:
        peer, _ = server.accept()
        with peer:
            peer.sendall(b"pong")
threading.Thread(target=answer, daemon=True).start()
port = server.getsockname()[1]
for host in "127.0.0.1", "localhost":
    with socket.create_connection((host, port), 3) as client:
        print(host, client.recv(4).decode())'
want_rc 0
want_out $'127.0.0.1 pong\nlocalhost pong'

t IPv6 loopback and a unix socket
job --wall 20 -c '
import socket, threading
def echo(family, address):
    server = socket.socket(family)
    server.bind(address)
    server.listen()
    def one():
        peer, _ = server.accept()
        peer.sendall(b"x")
    threading.Thread(target=one, daemon=True).start()
    client = socket.socket(family)
    client.connect(server.getsockname()[:2] if family != socket.AF_UNIX else address)
    return client.recv(1).decode()
print(echo(socket.AF_INET6, ("::1", 0)), echo(socket.AF_UNIX, "s.sock"))'
want_rc 0
want_out 'x x'

t lo is the only interface
job -c 'import socket; print(*[name for _, name in socket.if_nameindex()])'
want_rc 0
want_out lo

t a listener of the host is not reached
python3 -c '
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
server.settimeout(30)
try:
    server.accept()
    print("reached")
except TimeoutError:
    pass' >"$T/listener" &
listener=$!
for ((i = 0; i < 50; i++)); do
	[ -s "$T/listener" ] && break
	sleep 0.1
done
port=$(head -1 "$T/listener")
job -c "
import errno, socket
try:
    socket.create_connection(('127.0.0.1', $port), 3)
except OSError as e:
    print(errno.errorcode[e.errno])"
want_rc 0
want_out ECONNREFUSED
python3 -c "import socket; socket.create_connection(('127.0.0.1', $port), 3)" ||
    fail "the listener was not there to be reached"
wait "$listener"

finish
