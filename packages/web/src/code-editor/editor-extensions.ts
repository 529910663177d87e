import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import type { EditorLanguage } from "./editor-props.ts";
import { editorTheme } from "./editor-theme.ts";
import { readJson } from "./json-syntax.ts";

/**
 * What the editor can do. Tab is left to the browser, so that nobody is caught in it who has no mouse.
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
 * The browser would keep the look of what is typed over, in a style that the page's policy forbids; the
 * editor replaces it by itself.
 */
const typedOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    // The page's own selection: one that a script has made is not the editor's yet.
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
    // Nothing yet is nothing wrong; whoever needs a value says so.
    if (text.trim() === "") return [];
    const reading = readJson(text);
    if (reading.kind === "value") return [];
    const { position, message } = reading.fault;
    const at = Math.min(position, text.length);
    // At the very end there is no character to underline but the last one.
    const from = at === text.length && at > 0 ? at - 1 : at;
    return [{ from, to: Math.min(from + 1, text.length), severity: "error", message }];
  },
  { delay: 300 },
);

/** What the platform's policy asks of style elements that are made by scripts, as the editor's are. */
function cspNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
