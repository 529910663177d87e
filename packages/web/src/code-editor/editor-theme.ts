import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const look = EditorView.theme({
  "&": { flex: "1", minHeight: "0", color: "var(--ink)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "0.4rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 0.7rem" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--accent-soft)" },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-soft)",
    outline: "1px solid var(--accent)",
  },
  "&.cm-focused .cm-nonmatchingBracket": { color: "var(--danger)" },
  // The library's own wave is an image in a data URL, which the page's policy does not take.
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--danger)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintPoint::after": { borderBottomColor: "var(--danger)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "0.375rem",
  },
  ".cm-diagnostic": { padding: "0.25rem 0.5rem" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--danger)" },
});

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--success)" },
  { tag: tags.number, color: "var(--kind-retrieval)" },
  { tag: [tags.bool, tags.null], color: "var(--kind-llm)" },
  { tag: tags.punctuation, color: "var(--ink-soft)" },
  { tag: tags.invalid, color: "var(--danger)" },
]);

/** The page's own colours, which follow the theme by themselves. */
export const editorTheme: Extension = [look, syntaxHighlighting(highlight)];
