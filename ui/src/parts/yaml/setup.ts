/** What the YAML editor is made of: CodeMirror's parts, with the colours of the tokens. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const COLOURS = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--syntax-key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--syntax-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--syntax-number)" },
  { tag: [tags.comment, tags.meta], color: "var(--syntax-comment)" },
]);

const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "var(--text-s)" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "var(--mono)", padding: "var(--space-2) 0", caretColor: "var(--ink)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" },
  ".cm-searchMatch": { backgroundColor: "var(--state-waiting-soft)" },
  ".cm-searchMatch-selected": { outline: "1px solid var(--state-waiting)" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--sunken)",
    color: "var(--ink-3)",
    border: "1px solid var(--line)",
    padding: "0 var(--space-1)",
  },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panel.cm-search": { padding: "var(--space-2)", fontFamily: "var(--font)", fontSize: "var(--text-xs)" },
  ".cm-textfield": { backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", borderRadius: "4px" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", borderRadius: "4px" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", fontFamily: "var(--font)" },
  ".cm-diagnostic": { fontFamily: "var(--font)", whiteSpace: "pre-wrap" },
  ".cm-diagnosticText": { color: "var(--ink)" },
});

/** Tab leaves the editor, as everywhere on the page. */
export function editorSetup(label: string, readOnly: boolean, phrases: Record<string, string>): Extension[] {
  return [
    lineNumbers(),
    lintGutter(),
    foldGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    yaml(),
    syntaxHighlighting(COLOURS),
    THEME,
    EditorState.phrases.of(phrases),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": String(readOnly), spellcheck: "false", tabindex: "0" }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap]),
  ];
}
