import type { RefObject } from "react";
import { useLayoutEffect, useRef } from "react";

/** The text area that is shown while the editor loads. */
export function PlainEditor(props: EditorProps) {
  const { value, onChange, label, language, caret, takesFocus: _, ...ids } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    return () => {
      // Runs before the area is removed, while it still has the focus.
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

/** The selection. */
export interface Caret {
  readonly from: number;
  readonly to: number;
}

/** The props of the editor and of the text area that stands in for it. */
export interface EditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly language: EditorLanguage;
  readonly label: string;
  readonly id?: string | undefined;
  readonly "aria-describedby"?: string | undefined;
  readonly "aria-invalid": true | undefined;
  /** Whether it takes the focus, as in a dialog. */
  readonly takesFocus: boolean;
  /** Set by the text area when it is removed, for the editor that replaces it. */
  readonly caret: RefObject<Caret | null>;
}
