import { lazy, Suspense, useRef } from "react";
import { classNames } from "../design/class-names.ts";
import { loadPart } from "../design/load-part.ts";
import type { Caret, EditorLanguage } from "./plain-editor.tsx";
import { PlainEditor } from "./plain-editor.tsx";

interface CodeEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly language: EditorLanguage;
  /** The accessible name. */
  readonly label: string;
  /** An error message, shown below. */
  readonly problem?: string | undefined;
  /** `field` grows with its text; `large` fills a dialog and takes the focus. */
  readonly size?: "field" | "large";
  /** From a `Field` around it, which shows the error message itself. */
  readonly id?: string;
  readonly "aria-describedby"?: string | undefined;
  readonly "aria-invalid"?: true | undefined;
}

const CodeMirror = lazy(async () => {
  const { CodeMirror: component } = await loadPart(() => import("./code-mirror.tsx"));
  return { default: component };
});

/**
 * An editor for JSON and long texts. CodeMirror is loaded when the first editor is shown; until then a text
 * area of the same size takes its place.
 */
export function CodeEditor({ problem, size = "field", ...props }: CodeEditorProps) {
  const takesFocus = size === "large";
  const end = props.value.length;
  const caret = useRef<Caret | null>(takesFocus ? { from: end, to: end } : null);
  const isInvalid = problem === undefined ? props["aria-invalid"] : true;
  const editor = { ...props, "aria-invalid": isInvalid, takesFocus, caret };
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div
        className={classNames(
          "flex flex-col overflow-hidden rounded-md border bg-surface",
          isInvalid ? "border-danger" : "border-line-strong/60",
          takesFocus ? "h-[60dvh]" : "max-h-96 min-h-24",
        )}
      >
        <Suspense fallback={<PlainEditor {...editor} />}>
          <CodeMirror {...editor} />
        </Suspense>
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-[0.93rem] text-danger">
          {problem}
        </p>
      )}
    </div>
  );
}
