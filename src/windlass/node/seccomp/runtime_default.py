"""The RuntimeDefault profile: the system calls that ordinary programs need.

It follows the defaults of container runtimes: not allowed are calls that change the machine (modules, kexec, swap,
time), mounts and namespaces, the kernel's keyring, bpf, perf, io_uring and userfaultfd. Pure.
"""

from collections.abc import Collection

from windlass.node.seccomp.profile import ENOSYS, EPERM, Argument, Errno, Profile, Rule

_ALLOWED = """
    accept accept4 access adjtimex alarm arch_prctl bind brk cachestat capget capset chdir chmod chown clock_getres
    clock_gettime clock_nanosleep close close_range connect copy_file_range creat dup dup2 dup3 epoll_create
    epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group
    faccessat faccessat2 fadvise64 fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl
    fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex
    futex_requeue futex_wait futex_waitv futex_wake futimesat get_robust_list get_thread_area getcpu getcwd getdents
    getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority
    getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid
    getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents
    io_pgetevents io_setup io_submit ioctl ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset
    landlock_restrict_self lchown lgetxattr link linkat listen listxattr llistxattr lremovexattr lseek lsetxattr
    lstat madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mkdir mkdirat mknod mknodat mlock
    mlock2 mlockall mmap modify_ldt mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink
    mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap name_to_handle_at nanosleep newfstatat
    open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll
    prctl pread64 preadv preadv2 prlimit64 process_madvise process_mrelease process_vm_readv process_vm_writev
    pselect6 ptrace pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg
    remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending
    rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
    sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
    sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp
    select semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto set_robust_list set_thread_area
    set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid
    setreuid setrlimit setsid setsockopt setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd
    signalfd4 socketpair splice stat statfs statx symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill
    time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
    timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes vfork vmsplice wait4
    waitid write writev
"""
ALLOWED = frozenset(_ALLOWED.split())

BY_CAPABILITY = {"SYS_CHROOT": ("chroot",)}
"""Calls that are allowed only with a capability that containers may have."""

_NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag but CLONE_NEWTIME, which clone() cannot express
_PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)  # Linux, 32-bit layout, UNAME26, both, and the query
_FAMILIES = (38, 40)  # AF_ALG, AF_VSOCK: sockets to the kernel's crypto code, and to a hypervisor
_INT = 0xFFFFFFFF


def runtime_default(capabilities: Collection[str]) -> Profile:
    """Return the profile for a container with these capabilities (without CAP_)."""
    by_capability = {call for name, calls in BY_CAPABILITY.items() if name in capabilities for call in calls}
    return Profile(
        (
            Rule(ALLOWED | by_capability),
            Rule(frozenset({"clone"}), arguments=(Argument(0, "masked_eq", _NEW_NAMESPACES, 0),)),
            # clone3 passes its flags in memory, which a filter cannot read: with ENOSYS, libraries fall back to clone.
            Rule(frozenset({"clone3"}), Errno(ENOSYS)),
            *(Rule(frozenset({"personality"}), arguments=(Argument(0, "eq", value),)) for value in _PERSONALITIES),
            # The kernel reads an int: comparing all 64 bits would let a caller hide the family in the high word.
            *(
                Rule(frozenset({"socket"}), Errno(EPERM), (Argument(0, "masked_eq", _INT, family),))
                for family in _FAMILIES
            ),
            Rule(frozenset({"socket"})),
        ),
        default=Errno(EPERM),
    )
