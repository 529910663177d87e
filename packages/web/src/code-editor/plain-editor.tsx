import type { RefObject } from "react";
import { useLayoutEffect, useRef } from "react";

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

export type EditorLanguage = "json" | "text";

/** Where somebody is typing. */
export interface Caret {
  readonly from: number;
  readonly to: number;
}

/** What the editor and the text area in its place have in common. */
export interface EditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly language: EditorLanguage;
  readonly label: string;
  readonly id?: string | undefined;
  readonly "aria-describedby"?: string | undefined;
  readonly "aria-invalid": true | undefined;
  /** Whether one begins to type at once, as in a dialog. */
  readonly takesFocus: boolean;
  /** Set by the text area as it goes, for the editor that takes its place. */
  readonly caret: RefObject<Caret | null>;
}
