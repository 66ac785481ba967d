/** Where cells are, and which one an arrow key goes to. Pure. */

export function groupByRole<T extends { role: string }>(replicas: T[]): [role: string, members: T[]][] {
  const roles = new Map<string, T[]>();
  for (const replica of replicas) {
    const members = roles.get(replica.role);
    if (members === undefined) roles.set(replica.role, [replica]);
    else members.push(replica);
  }
  return [...roles];
}

interface Place {
  left: number;
  top: number;
}

/** The cell that a key leads to; up and down go to the nearest one of the next line. */
export function neighbour(places: Place[], current: number, key: string): number | undefined {
  const here = places[current];
  if (here === undefined) return undefined;
  if (key === "ArrowRight") return current + 1 < places.length ? current + 1 : undefined;
  if (key === "ArrowLeft") return current > 0 ? current - 1 : undefined;
  if (key === "Home") return 0;
  if (key === "End") return places.length - 1;
  if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
  const isAhead = (place: Place): boolean => (key === "ArrowDown" ? place.top > here.top : place.top < here.top);
  const tops = places.filter(isAhead).map((place) => place.top);
  if (tops.length === 0) return undefined;
  const line = key === "ArrowDown" ? Math.min(...tops) : Math.max(...tops);
  let best: number | undefined;
  places.forEach((place, index) => {
    if (place.top !== line) return;
    const before = best === undefined ? undefined : places[best];
    if (before === undefined || Math.abs(place.left - here.left) < Math.abs(before.left - here.left)) best = index;
  });
  return best;
}
