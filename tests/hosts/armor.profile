# All that a program may do, but for userns: what a distribution that restricts
# user namespaces by AppArmor does to a program that it does not know.
profile agsbx-hosts /run/host/agsbx* {
	file,
	capability,
	network,
	mount,
	umount,
	remount,
	pivot_root,
	ptrace,
	signal,
	unix,
	mqueue,
	dbus,
}
