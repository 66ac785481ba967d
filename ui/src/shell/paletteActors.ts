/** The objects whose actions the palette offers for what was typed. Pure. */
import type { FoundObject } from "../apps/app";

const MIN_CHARACTERS = 2;
const MAX_ACTORS = 8;

const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length >= MIN_CHARACTERS);

/** An object on which actions are offered. */
export type Actor = FoundObject & Required<Pick<FoundObject, "useActions">>;

const hasActions = (object: FoundObject): object is Actor => object.useActions !== undefined;

/** Objects with actions whose name has a word of the query, those that begin with one first. */
export function actorsOf(objects: FoundObject[], query: string): Actor[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const begins = ({ label }: FoundObject) => words.some((word) => label.toLowerCase().startsWith(word));
  const named = objects.filter(hasActions).filter(({ label }) => words.some((word) => label.toLowerCase().includes(word)));
  return [...named.filter(begins), ...named.filter((one) => !begins(one))].slice(0, MAX_ACTORS);
}

/** Whether a text has all words of the query, wherever they are. */
export const hasWords = (contains: (text: string, part: string) => boolean, text: string, query: string): boolean =>
  query
    .split(/\s+/)
    .filter((word) => word !== "")
    .every((word) => contains(text, word));
