import { useLayoutEffect, useRef } from "react";
import type { EditorProps } from "./editor-props.ts";

/** A text area in the editor's place while that one is loading. */
export function PlainEditor(props: EditorProps) {
  const { value, onChange, label, language, caret, takesFocus: _, ...ids } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    return () => {
      // Before it is taken away, so it still has the focus.
      if (element !== null && element.ownerDocument.activeElement === element) {
        caret.current = { from: element.selectionStart, to: element.selectionEnd };
      }
    };
  }, [caret]);
  return (
    <textarea
      {...ids}
      ref={area}
      aria-label={label}
      spellCheck={language === "text"}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="field-sizing-content min-h-24 w-full flex-1 resize-none px-2.5 py-1.5 font-mono leading-relaxed"
    />
  );
}
