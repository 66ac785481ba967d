/** The filter box of lists: words, and `column:value` terms. Pure. */

export interface Term {
  column: string | undefined;
  text: string;
}

/** `state:failed kind:"PyTorch Job" bert` as terms. */
export function parseFilter(query: string): Term[] {
  const terms: Term[] = [];
  for (const [, column, quoted, plain] of query.matchAll(/(?:([A-Za-z]+):)?(?:"([^"]*)"|(\S+))/g)) {
    const text = (quoted ?? plain ?? "").toLowerCase();
    if (text !== "") terms.push({ column: column?.toLowerCase(), text });
  }
  return terms;
}

/** Whether a row, given as the text of each of its columns, has every term. An unknown column is part of the text. */
export function matchesFilter(terms: Term[], cells: Record<string, string>): boolean {
  const all = Object.values(cells).join(" ").toLowerCase();
  return terms.every(({ column, text }) => {
    if (column === undefined) return all.includes(text);
    const cell = cells[column];
    return cell === undefined ? all.includes(`${column}:${text}`) : cell.toLowerCase().includes(text);
  });
}

/** The query with the column's terms replaced by one, or removed. */
export function withTerm(query: string, column: string, value: string | undefined): string {
  const rest = query.replace(new RegExp(`(^|\\s)${column}:(?:"[^"]*"|\\S+)`, "gi"), " ").trim().replace(/\s+/g, " ");
  if (value === undefined) return rest;
  const term = `${column}:${/\s/.test(value) ? `"${value}"` : value}`;
  return rest === "" ? term : `${term} ${rest}`;
}

/** The value that the query asks of a column, if it asks for one. */
export function termOf(query: string, column: string): string | undefined {
  return parseFilter(query).find((term) => term.column === column)?.text;
}
