"""From what is known to decisions: `gang_cycle` for gangs and queues, `pod_cycle` for one pod. No I/O."""
