import { expect, test } from "vitest";
import { preferredLanguage } from ".";
import { en } from "./en";
import { zh } from "./zh";

/** Every text by its path; one that takes arguments is called with them. */
function texts(words: object, path = ""): [path: string, text: string][] {
  return Object.entries(words).flatMap(([key, value]: [string, unknown]): [string, string][] => {
    const at = `${path}.${key}`;
    // Made of what the server sends: `zh/reasons.test.ts`.
    if (at === ".reasons") return [];
    if (typeof value === "string") return [[at, value]];
    if (typeof value === "function") return [[at, String((value as (...values: unknown[]) => unknown)(...argumentsOf(at)))]];
    return typeof value === "object" && value !== null ? texts(value, at) : [];
  });
}

const argumentsOf = (path: string): unknown[] => [2, 3, 4, 5].map((number) => `${path.length}-${number}`);

/** Names that are the same in both languages. */
const NAMES =
  /\b(API|CPU|CSV|GPUs?|Gi|GitHub|HTML|ID|JSON|Markdown|Jupyter(Lab)?|Kernel|Kubernetes|Notebook|PID|PersistentVolume(Claim)?|Pod|Python|RStudio( Server)?|SHA|TTL|TensorBoards?|UID|URL|VS Code|YAML|kubeconfig|kubectl|p50|p90|p99|windlass)\b/gi;

/** Whether a text has a word that is to be translated. */
const hasWords = (text: string): boolean => /\p{L}/u.test(text.replace(NAMES, ""));

test("both languages have the same texts", () => {
  expect(texts(zh).map(([path]) => path).sort()).toEqual(texts(en).map(([path]) => path).sort());
});

test("no text was left in English", () => {
  const english = new Map(texts(en));
  const same = texts(zh).filter(([path, text]) => english.get(path) === text && hasWords(text));

  expect(same).toEqual([]);
});

test("no text is empty", () => {
  expect([...texts(en), ...texts(zh)].filter(([, text]) => text.trim() === "").map(([path]) => path)).toEqual([]);
});

test.each([
  [null, ["zh-CN", "en"], "zh"],
  [null, ["de", "en-GB"], "en"],
  [null, [], "en"],
  ["en", ["zh-CN"], "en"],
  ["nonsense", ["zh-CN"], "zh"],
])("stored %s, browser %j", (stored, browser, language) => {
  expect(preferredLanguage(stored, browser)).toBe(language);
});
