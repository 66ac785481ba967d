"""All nodes as arrays: what each offers of each resource, and what is asked of it.

A row is a resource and a column a node, so that a question about one resource reads memory in order. Rows of `changes`
name the nodes that rankings have to rate again.
"""

import numpy as np

from windlass.scheduler.model.columns import CPU, MEMORY, WIDTH, Vector

REMEMBERED = 200_000  # changes kept before all rankings are computed again


class NodeTable:
    """`version` grows when nodes come, go or offer something else; `epoch` when `changes` is emptied."""

    def __init__(self, room: int = 64) -> None:
        self.names: list[str] = []
        self.index: dict[str, int] = {}
        self._free: list[int] = []
        self.allocatable = np.zeros((WIDTH, room))
        self.used = np.zeros((WIDTH, room))
        self.releasing = np.zeros((WIDTH, room))
        """Asked by pods that are being terminated; `ending` is how many they are. Only `Snapshot` changes it."""
        self.ending = 0
        self.promised = np.zeros((WIDTH, room))
        """Asked by pods that wait for others to end there."""
        self.kept = np.zeros((WIDTH, room))
        """What is promised beyond what others will free: nobody else may have it now."""
        self.promises = 0
        """How many pods something is promised to."""
        self.felt = np.zeros((2, room))
        """cpu and memory, where pods that ask for nothing count for a little: what scores of emptiness look at."""
        self.present = np.zeros(room, dtype=np.bool_)
        self.changes: list[int] = []
        self.epoch = 0
        self.version = 0

    def __len__(self) -> int:
        return len(self.names)

    # --- nodes

    def put(self, name: str, allocatable: Vector) -> int:
        number = self._number(name)
        if not self.present[number] or not np.array_equal(self.allocatable[:, number], allocatable):
            self.version += 1
        self.present[number] = True
        self.allocatable[:, number] = allocatable
        self.touch(number)
        return number

    def absent(self, name: str) -> int:
        """Pods are, or were, on a node that is not there."""
        number = self._number(name)
        if self.present[number]:
            self.version += 1
        self.present[number] = False
        self.allocatable[:, number] = 0
        self.touch(number)
        return number

    def drop(self, name: str) -> None:
        """Nothing is known of it any more."""
        number = self.index.pop(name, None)
        if number is None:
            return
        self.names[number] = ""
        for array in (self.allocatable, self.used, self.releasing, self.promised, self.kept, self.felt):
            array[:, number] = 0
        self.present[number] = False
        self._free.append(number)
        self.version += 1
        self.touch(number)

    def _number(self, name: str) -> int:
        number = self.index.get(name)
        if number is not None:
            return number
        if self._free:
            number = self._free.pop()
            self.names[number] = name
        else:
            number = len(self.names)
            self.names.append(name)
            if number >= self.present.shape[0]:
                self._grow()
        self.index[name] = number
        self.version += 1  # also for a node that is not there: arrays of others have no place for it yet
        return number

    def _grow(self) -> None:
        room = self.present.shape[0]
        for field in ("allocatable", "used", "releasing", "promised", "kept", "felt"):
            array = getattr(self, field)
            setattr(self, field, np.concatenate([array, np.zeros((array.shape[0], room))], axis=1))
        self.present = np.concatenate([self.present, np.zeros(room, dtype=np.bool_)])

    # --- what is asked of them

    def use(self, number: int, amounts: Vector, cpu: float, memory: float, pods: int) -> None:
        """So many pods that are alike came, or went if negative; `cpu` and `memory`: what one is felt to ask for."""
        self.used[:, number] += amounts if pods == 1 else pods * amounts
        self.felt[CPU, number] += pods * cpu
        self.felt[MEMORY, number] += pods * memory
        self.touch(number)

    def unused(self, number: int) -> None:
        """The last pod has left: what rounding left of the sums is set to zero."""
        self.used[:, number] = 0
        self.felt[:, number] = 0

    def release(self, number: int, amounts: Vector, sign: int, *, left: int) -> None:
        """A pod there began to end (1), or is gone or stays after all (-1); `left`: how many are ending there now."""
        self.releasing[:, number] += sign * amounts
        if not left:
            self.releasing[:, number] = 0
        self.ending += sign
        self._keep(number)

    def promise(self, number: int, amounts: Vector, sign: int, *, left: int) -> None:
        """A pod is to have room there (1), or no more (-1); `left`: how many are promised room there now."""
        self.promised[:, number] += sign * amounts
        if not left:
            self.promised[:, number] = 0
        self.promises += sign
        self._keep(number)

    def suppose_ended(self) -> Vector:
        """As if all that are ending had ended; answers what `unsuppose` takes to undo it."""
        before = self.releasing
        self.used -= before
        self.releasing = np.zeros_like(before)
        self._keep_all(before)
        return before

    def unsuppose(self, before: Vector) -> None:
        self.used += before
        self.releasing = before
        self._keep_all(before)

    def _keep_all(self, changed: Vector) -> None:
        self.kept = np.maximum(self.promised - self.releasing, 0)
        for number in np.flatnonzero(changed.any(axis=0)).tolist():
            self.touch(number)

    def _keep(self, number: int) -> None:
        self.kept[:, number] = np.maximum(self.promised[:, number] - self.releasing[:, number], 0)
        self.touch(number)

    def touch(self, number: int) -> None:
        if len(self.changes) >= REMEMBERED:
            self.changes = []
            self.epoch += 1
        self.changes.append(number)

    # --- read

    def free(self, column: int, *, future: bool = False) -> Vector:
        """What is free of a resource on each node; or will be, when those that end and those that wait are through."""
        size = len(self.names)
        found = self.allocatable[column, :size] - self.used[column, :size]
        if future:
            return found + self.releasing[column, :size] - self.promised[column, :size]
        return found - self.kept[column, :size] if self.promises else found

    def total(self) -> Vector:
        """What all nodes that are there offer together."""
        size = len(self.names)
        return self.allocatable[:, :size][:, self.present[:size]].sum(axis=1)
