import { expect, test } from "vitest";
import { parseInline, parseMarkdown, type Inline } from "./markdown";

const text = (value: string): Inline => ({ type: "text", text: value });

test.each<[string, Inline[]]>([
  ["plain", [text("plain")]],
  ["a **b** c", [text("a "), { type: "strong", children: [text("b")] }, text(" c")]],
  ["*a* _b_", [{ type: "emphasis", children: [text("a")] }, text(" "), { type: "emphasis", children: [text("b")] }]],
  ["snake_case_name", [text("snake_case_name")]],
  ["`a*b*`", [{ type: "code", text: "a*b*" }]],
  ["[a](https://x.org)", [{ type: "link", href: "https://x.org", children: [text("a")] }]],
  ["![chart](https://x.org/a.png)", [{ type: "link", href: "https://x.org/a.png", children: [text("chart")] }]],
  ["<https://x.org>", [{ type: "link", href: "https://x.org", children: [text("https://x.org")] }]],
])("%s", (source, pieces) => {
  expect(parseInline(source)).toEqual(pieces);
});

test.each(["[a](javascript:alert(1))", "[a](data:text/html,x)", "[a](//evil.example)", "[a](vbscript:x)"])("%s is no link", (source) => {
  expect(JSON.stringify(parseInline(source))).not.toContain('"link"');
});

test("HTML is text", () => {
  expect(parseMarkdown("<script>alert(1)</script>")).toEqual([{ type: "paragraph", children: [text("<script>alert(1)</script>")] }]);
});

test("blocks of every kind", () => {
  const source = "# A\n\ntwo\nlines\n\n- x\n- y\n  - z\n\n1. one\n2. two\n\n> quoted\n\n```py\ncode **x**\n```\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n---\n";
  expect(parseMarkdown(source).map((block) => block.type)).toEqual(["heading", "paragraph", "list", "list", "quote", "code", "table", "rule"]);
});

test("an open fence reaches to the end", () => {
  expect(parseMarkdown("```\na\nb")).toEqual([{ type: "code", text: "a\nb" }]);
});

test("hostile text takes no long time", () => {
  const started = performance.now();
  for (const source of ["*".repeat(20_000), "`".repeat(20_000), "[".repeat(20_000), "> ".repeat(5_000), "_a".repeat(9_000), "|".repeat(50_000), `${"- ".repeat(3_000)}x`]) parseMarkdown(source);
  expect(performance.now() - started).toBeLessThan(5_000);
});
