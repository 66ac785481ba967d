/** Reads JSON whose shape only its writer knows; what is missing or of another type is empty. Pure. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
export const object = (value: unknown): Json => (isObject(value) ? value : {});
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string => (typeof value === "string" ? value : "");
/** `a.b.c` of nested objects. */
export const dig = (value: unknown, ...keys: string[]): unknown => keys.reduce<unknown>((inner, key) => object(inner)[key], value);
