/** Texts of controls as values of fields, and back. Pure. */

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A number where the text is one; what is not is left as it is, for the server to say so. */
export function numberOf(text: string): number | string | undefined {
  if (text.trim() === "") return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** One item a line. */
export const linesOf = (text: string): string[] | undefined => (text === "" ? undefined : text.split("\n"));

export const linesText = (value: unknown): string => (Array.isArray(value) ? value.map(textOf).join("\n") : "");

const isLine = (value: unknown): boolean => typeof value === "string" && !value.includes("\n");

/** Whether each item of a list can be a line: a program of several lines cannot. */
export const isLineList = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.every(isLine));

/** Whether each entry of a map can be a line `key=value`. */
export const isLineMap = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "object" && !Array.isArray(value) && Object.entries(value).every(([key, item]) => !key.includes("=") && (isLine(item) || typeof item === "number")));

/** `key=value` a line. */
export function mapOf(text: string): Record<string, string> | undefined {
  if (text === "") return undefined;
  return Object.fromEntries(
    text.split("\n").map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

export function mapText(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([key, item]) => `${key}=${textOf(item)}`)
    .join("\n");
}
