#!/bin/bash
# A program is compiled inside and run there: the scratch allows execution.
. "$(dirname "$0")/../lib.sh"

t gcc compiles and the result runs with its own exit status
have gcc && {
	job -- bash -c 'cat >a.c <<C
#include <stdio.h>
int main(void) { puts("compiled"); return 9; }
C
gcc -O2 -o a a.c && ./a; echo $?'
	want_rc 0
	want_out $'compiled\n9'
}

t g++ with a heavy header
have g++ && {
	job --wall 55 -- bash -c 'cat >a.cc <<C
#include <bits/stdc++.h>
int main() { std::map<std::string, int> m{{"k", 31}}; std::cout << m["k"]; }
C
g++ -o a a.cc && ./a'
	want_rc 0
	want_out 31
}

t make runs its rules in parallel
have make gcc && {
	job --wall 50 -- bash -c 'for n in 1 2 3 4; do
    echo "int f$n(void) { return $n; }" >f$n.c; done
printf "all: f1.o f2.o f3.o f4.o\n%%.o: %%.c\n\tgcc -c \$<\n" >Makefile
make -s -j4 && ls *.o | wc -l'
	want_rc 0
	want_out 4
}

t an ELF file of the host runs as FILE
have gcc && {
	mkdir "$T/elf"
	echo 'int main(int argc, char **argv) { (void)argv; return argc; }' \
	    >"$T/elf/count.c"
	gcc -static -o "$T/elf/count" "$T/elf/count.c" || fail "cannot build it"
	job --json "$T/elf/count" one two
	want_rc 2
	want_json 'd["exit_code"]' 3
}

finish
