import { Compartment, EditorState, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { editorExtensions } from "./editor-extensions.ts";
import type { EditorProps } from "./plain-editor.tsx";

/** CodeMirror as a component. Loaded by `CodeEditor` alone, when an editor is shown. */
export function CodeMirror(props: EditorProps) {
  const { value, onChange, language, label, takesFocus, caret, ...ids } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ view: EditorView; attributes: Compartment } | null>(null);
  /** What was said to whoever holds the value, and may come back from there late. */
  const told = useRef(new Set<string>());
  const attributes: Record<string, string> = {
    "aria-label": label,
    "aria-multiline": "true",
    // A dialog opens after what is in it is there, and gives the focus to whatever asks for it.
    ...(takesFocus && { autofocus: "" }),
    ...(ids.id !== undefined && { id: ids.id }),
    ...(ids["aria-describedby"] !== undefined && { "aria-describedby": ids["aria-describedby"] }),
    ...(ids["aria-invalid"] && { "aria-invalid": "true" }),
  };
  const attributesText = JSON.stringify(attributes);

  const create = useEffectEvent((parent: HTMLElement) => {
    const compartment = new Compartment();
    const view = new EditorView({
      parent,
      state: EditorState.create({
        doc: value,
        extensions: [
          editorExtensions(language),
          compartment.of(EditorView.contentAttributes.of(attributes)),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) tell(state.doc.toString());
          }),
        ],
      }),
    });
    editor.current = { view, attributes: compartment };
    if (caret.current !== null) {
      const { from, to } = caret.current;
      view.dispatch({ selection: { anchor: from, head: to } });
      view.focus();
      caret.current = null;
    }
    return view;
  });
  const tell = useEffectEvent((text: string) => {
    told.current.add(text);
    if (text !== value) onChange(text);
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another language is another editor.
  useEffect(() => {
    if (host.current === null) return;
    const view = create(host.current);
    return () => view.destroy();
  }, [language]);

  useEffect(() => {
    const view = editor.current?.view;
    const shown = view?.state.doc;
    if (shown === undefined) return;
    const isCurrent = shown.toString() === value;
    // An echo of what has been typed over since: putting it back would undo the latest letters.
    if (!isCurrent && told.current.has(value)) return;
    told.current.clear();
    if (isCurrent) return;
    view?.dispatch({
      changes: { from: 0, to: shown.length, insert: value },
      // Undoing does not bring back the text of something else that was edited here before.
      annotations: Transaction.addToHistory.of(false),
    });
  }, [value]);

  useEffect(() => {
    const { view, attributes: compartment } = editor.current ?? {};
    const content = EditorView.contentAttributes.of(JSON.parse(attributesText));
    view?.dispatch({ effects: compartment?.reconfigure(content) ?? [] });
  }, [attributesText]);

  return <div ref={host} className="flex min-h-0 flex-1 flex-col font-mono" />;
}
