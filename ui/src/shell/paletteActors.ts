/** The objects whose actions the palette offers for what was typed. Pure. */
import type { JobRow, NotebookRow, TensorboardRow } from "../kinds/generated";
import { nameOf, type Run } from "../apps/pipelines/kinds/pipelines";
import type { Known } from "./paletteEntries";

export type Actor =
  | { kind: "job"; name: string; id: string; row: JobRow }
  | { kind: "notebook"; name: string; id: string; row: NotebookRow }
  | { kind: "board"; name: string; id: string; row: TensorboardRow }
  | { kind: "run"; name: string; id: string; row: Run; namespace: string };

const MIN_CHARACTERS = 2;
const MAX_ACTORS = 8;

const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length >= MIN_CHARACTERS);

/** Objects whose name has a word of the query, those that begin with one first. `namespace` is that of runs. */
export function actorsOf({ jobs, notebooks, tensorboards, runs }: Known, namespace: string, query: string): Actor[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const all: Actor[] = [
    ...(notebooks?.rows ?? []).map((row) => ({ kind: "notebook" as const, name: row.name, id: row.uid, row })),
    ...(jobs?.rows ?? []).map((row) => ({ kind: "job" as const, name: row.name, id: row.uid, row })),
    ...(tensorboards?.rows ?? []).map((row) => ({ kind: "board" as const, name: row.name, id: row.uid, row })),
    ...(runs ?? []).map((row) => ({ kind: "run" as const, name: nameOf(row), id: row.run_id, row, namespace })),
  ];
  const begins = ({ name }: Actor) => words.some((word) => name.toLowerCase().startsWith(word));
  const named = all.filter(({ name }) => words.some((word) => name.toLowerCase().includes(word)));
  return [...named.filter(begins), ...named.filter((one) => !begins(one))].slice(0, MAX_ACTORS);
}

/** Whether a text has all words of the query, wherever they are. */
export const hasWords = (contains: (text: string, part: string) => boolean, text: string, query: string): boolean =>
  query
    .split(/\s+/)
    .filter((word) => word !== "")
    .every((word) => contains(text, word));
