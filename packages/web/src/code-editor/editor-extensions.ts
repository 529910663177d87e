import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { readJson } from "./json-syntax.ts";
import type { EditorLanguage } from "./plain-editor.tsx";

/**
 * The editor's features. Tab keeps moving the focus, so that keyboard users can leave the editor.
 */
export function editorExtensions(language: EditorLanguage): Extension {
  return [
    EditorView.cspNonce.of(cspNonce()),
    history(),
    drawSelection(),
    EditorView.lineWrapping,
    typedOverSelection,
    keymap.of([...defaultKeymap, ...historyKeymap]),
    editorTheme,
    language === "json" ? [json(), indentOnInput(), bracketMatching(), jsonLinter] : [],
  ];
}

/**
 * Replaces typed-over selections itself: the browser would keep the style of the selected text inline, which
 * the content security policy forbids.
 */
const typedOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    // The document's selection: the editor does not know one that a script made.
    const selection = view.contentDOM.ownerDocument.getSelection();
    if (inputType !== "insertText" || data === null || isComposing) return false;
    if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return false;
    const range = selection.getRangeAt(0);
    const from = view.posAtDOM(range.startContainer, range.startOffset);
    const to = view.posAtDOM(range.endContainer, range.endOffset);
    event.preventDefault();
    view.dispatch({
      changes: { from, to, insert: data },
      selection: { anchor: from + data.length },
      userEvent: "input.type",
      scrollIntoView: true,
    });
    return true;
  },
});

const jsonLinter = linter(
  ({ state }): readonly Diagnostic[] => {
    const text = state.doc.toString();
    // An empty text is not marked; the form reports a missing value.
    if (text.trim() === "") return [];
    const reading = readJson(text);
    if (reading.kind === "value") return [];
    const { position, message } = reading.fault;
    const at = Math.min(position, text.length);
    // At the end of the text, only the last character can be underlined.
    const from = at === text.length && at > 0 ? at - 1 : at;
    return [{ from, to: Math.min(from + 1, text.length), severity: "error", message }];
  },
  { delay: 300 },
);

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
  // The default underline is an image in a data URL, which the content security policy forbids.
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

/** Uses the page's CSS variables, which follow the theme. */
const editorTheme: Extension = [look, syntaxHighlighting(highlight)];

/** The nonce that the page's content security policy requires of style elements that scripts create. */
function cspNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
