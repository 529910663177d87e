import { Compartment, EditorState, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { editorExtensions } from "./editor-extensions.ts";
import type { EditorProps } from "./plain-editor.tsx";

/** CodeMirror as a component. Only `CodeEditor` imports it, lazily. */
export function CodeMirror(props: EditorProps) {
  const { value, onChange, language, label, takesFocus, caret, ...ids } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ view: EditorView; attributes: Compartment } | null>(null);
  /** Texts that `onChange` reported and that may come back late as `value`. */
  const reported = useRef(new Set<string>());
  const attributes: Record<string, string> = {
    "aria-label": label,
    "aria-multiline": "true",
    // A dialog opens after its content is rendered, and focuses the element with this attribute.
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
            if (docChanged) report(state.doc.toString());
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
  const report = useEffectEvent((text: string) => {
    reported.current.add(text);
    if (text !== value) onChange(text);
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another language needs another editor.
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
    // An outdated echo: applying it would undo the latest keystrokes.
    if (!isCurrent && reported.current.has(value)) return;
    reported.current.clear();
    if (isCurrent) return;
    view?.dispatch({
      changes: { from: 0, to: shown.length, insert: value },
      // Undo must not bring back the text of another value that this editor showed before.
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
