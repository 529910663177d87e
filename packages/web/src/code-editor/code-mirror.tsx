import { Compartment, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { editorExtensions } from "./editor-extensions.ts";
import type { EditorProps } from "./editor-props.ts";

/** CodeMirror as a component. Loaded by `CodeEditor` alone, when an editor is shown. */
export function CodeMirror({ value, onChange, language, label, caret, ...ids }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ view: EditorView; attributes: Compartment } | null>(null);
  const attributes: Record<string, string> = {
    "aria-label": label,
    "aria-multiline": "true",
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
    // What came from the editor itself is there already; replacing it would move the caret.
    if (shown === undefined || shown.toString() === value) return;
    view?.dispatch({ changes: { from: 0, to: shown.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const { view, attributes: compartment } = editor.current ?? {};
    const content = EditorView.contentAttributes.of(JSON.parse(attributesText));
    view?.dispatch({ effects: compartment?.reconfigure(content) ?? [] });
  }, [attributesText]);

  return <div ref={host} className="flex min-h-0 flex-1 flex-col font-mono" />;
}
