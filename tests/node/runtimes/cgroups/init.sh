#!/bin/sh
# The first process of the machine that test_cgroups boots: makes it usable, runs the story, switches it off.
# $1: the kernel's modules, $2: the story, $3: how Python finds Windlass, $4: the interpreter
export PATH=/usr/sbin:/usr/bin:/sbin:/bin PYTHONPATH="$3" PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
mount -t proc proc /proc && mount -t sysfs sys /sys && mount -t cgroup2 cgroup /sys/fs/cgroup
mkdir -p /dev/pts /dev/shm && mount -t devpts pts /dev/pts
for place in /dev/shm /run /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$place"; done
insmod "$1/fs/overlayfs/overlay.ko"
echo "BOOTED $(cat /sys/fs/cgroup/cgroup.controllers)"

run() { # a name, a runtime, and what to put before the interpreter
    name="$1" runtime="$2" && shift 2
    mkdir -m 777 "/var/tmp/$name-$runtime"
    if "$@" "$python" "$story" "$runtime" "/var/tmp/$name-$runtime"; then echo "PASSED $name $runtime"; fi
}

python="$4" story="$2" user=/sys/fs/cgroup/user
run root sandbox env
run root process env
mkdir -p "$user/leaf" && chown -R 1000 "$user" && echo $$ > "$user/leaf/cgroup.procs"
run user sandbox setpriv --reuid 1000 --regid 1000 --clear-groups
run user process setpriv --reuid 1000 --regid 1000 --clear-groups
echo HALTING
"$python" -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)'
