"""System-call filters of containers: profiles as data, compiled to classic BPF. Pure but for `localhost.load`.

syscall_numbers   numbers by name and architecture
profile           what a profile is
runtime_default   the profile `RuntimeDefault`
localhost         profiles of the type `Localhost`, in the OCI's JSON
bpf               a profile as a program for seccomp(2)
selection         the filter of a container, by its pod's manifest and its namespace
"""
