import type { RefObject } from "react";

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
