/** Edits of an object that has changed on the server meanwhile: what both changed, and both changes together. Pure. */

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** The same value, whatever the order of its fields. */
function isSame(a: unknown, b: unknown): boolean {
  if (isFields(a) && isFields(b)) return keysOf(a, b).every((key) => isSame(a[key], b[key]));
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, index) => isSame(one, b[index]));
  return a === b;
}

const keysOf = (...objects: Fields[]): string[] => [...new Set(objects.flatMap(Object.keys))];

/** Paths of fields that I and others have set to different values since `base`. A list is one value. */
export function clashesOf(base: unknown, mine: unknown, theirs: unknown, path = ""): string[] {
  if (isSame(mine, base) || isSame(theirs, base) || isSame(mine, theirs)) return [];
  if (isFields(mine) && isFields(theirs)) {
    const before = isFields(base) ? base : {};
    return keysOf(mine, theirs).flatMap((key) => clashesOf(before[key], mine[key], theirs[key], path === "" ? key : `${path}.${key}`));
  }
  return [path];
}

/** What others have made of it, with my changes; mine is kept where both changed a field. */
export function rebase(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (isSame(mine, base)) return theirs;
  if (!isFields(mine) || !isFields(theirs)) return mine;
  const before = isFields(base) ? base : {};
  const merged = keysOf(theirs, mine).map((key): [string, unknown] => [key, rebase(before[key], mine[key], theirs[key])]);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}
