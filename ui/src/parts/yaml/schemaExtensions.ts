/** CodeMirror's completion and tooltips, from the schemas of the text's kinds. */
import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { EditorView, hoverTooltip } from "@codemirror/view";
import type { Schemas } from "../../api/openapi";
import type { Words } from "../../words";
import { meaningAt, suggestionsAt, type FieldMeaning } from "./schemaHelp";

/** `schemas` is asked each time: they are fetched while one types. */
export function schemaExtensions(schemas: () => Schemas, words: Words["editing"]): Extension[] {
  const complete = (context: CompletionContext): CompletionResult | null => {
    const found = suggestionsAt(context.state.doc.toString(), context.pos, schemas());
    if (found === undefined || (found.word === "" && !context.explicit)) return null;
    return { from: found.from, options: found.suggestions.map((one): Completion => ({ label: one.label, detail: one.detail, apply: one.insert, ...(one.info === "" ? {} : { info: one.info }) })), validFor: /^[\w./-]*$/ };
  };
  const hover = hoverTooltip((view, position) => {
    const meaning = meaningAt(view.state.doc.toString(), position, schemas());
    return meaning === undefined ? null : { pos: meaning.from, end: meaning.to, above: true, create: () => ({ dom: meaningElement(meaning, words) }) };
  });
  return [autocompletion({ override: [complete], icons: false }), hover, THEME];
}

function meaningElement(meaning: FieldMeaning, words: Words["editing"]): HTMLElement {
  const box = element("div", "cm-meaning");
  const head = element("div", "cm-meaning-name", meaning.name);
  head.append(" ", element("span", "cm-meaning-type", [meaning.type, ...(meaning.isRequired ? [words.isRequired] : [])].join(", ")));
  box.append(head);
  if (meaning.description !== "") box.append(element("div", "", meaning.description));
  if (meaning.values.length > 0) box.append(element("div", "", `${words.oneOf}: ${meaning.values.join(", ")}`));
  if (meaning.byDefault !== "") box.append(element("div", "", `${words.byDefault}: ${meaning.byDefault}`));
  return box;
}

function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}

const THEME = EditorView.theme({
  ".cm-tooltip.cm-tooltip-hover": { borderRadius: "var(--radius-control)", overflow: "hidden", boxShadow: "var(--shadow)" },
  ".cm-meaning": { maxWidth: "min(440px, 80vw)", maxHeight: "240px", overflow: "auto", padding: "var(--space-2) var(--space-3)", fontSize: "var(--text-xs)", lineHeight: "1.5", whiteSpace: "pre-line" },
  ".cm-meaning-name": { fontFamily: "var(--mono)", fontWeight: "var(--bold)" },
  ".cm-meaning-type": { color: "var(--ink-3)", fontWeight: "var(--regular)" },
  ".cm-tooltip.cm-tooltip-autocomplete": { borderRadius: "var(--radius-control)", overflow: "hidden", boxShadow: "var(--shadow)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--text-s)", maxHeight: "260px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px var(--space-3)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--ink)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "var(--bold)" },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal" },
  ".cm-completionInfo": { maxWidth: "320px", padding: "var(--space-2) var(--space-3)", fontFamily: "var(--font)", fontSize: "var(--text-xs)" },
});
