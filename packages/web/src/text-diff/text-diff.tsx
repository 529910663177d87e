import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { Choice } from "../design/choice.tsx";
import { classNames } from "../design/class-names.ts";
import { diffWords, type TextPart } from "./diff-words.ts";
import { TextPartView } from "./text-part-view.tsx";

interface TextDiffProps {
  readonly from: string;
  readonly to: string;
  /** Stands above, beside the choice of the layout. */
  readonly heading?: ReactNode;
}

type Layout = "inline" | "beside";

const LAYOUTS = [
  { value: "inline", label: "Inline" },
  { value: "beside", label: "Side by side" },
] as const;

/**
 * Two texts in one: what is removed struck through, what is added underlined. Or beside each other, to
 * be read as they are.
 */
export function TextDiff({ from, to, heading }: TextDiffProps) {
  const [layout, setLayout] = useState<Layout>("inline");
  const parts = useMemo(() => diffWords(from, to), [from, to]);
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <div className="min-w-0">{heading}</div>
        <Choice label="Show the texts" options={LAYOUTS} value={layout} onChange={setLayout} />
      </div>
      {layout === "inline" ? (
        <Text parts={parts} />
      ) : (
        <div className="grid gap-1.5 md:grid-cols-2">
          <Text label="Before" parts={parts.filter(({ kind }) => kind !== "added")} />
          <Text label="After" parts={parts.filter(({ kind }) => kind !== "removed")} />
        </div>
      )}
    </div>
  );
}

function Text({ label, parts }: { readonly label?: string; readonly parts: readonly TextPart[] }) {
  return (
    <div className="min-w-0 rounded-md border border-line bg-surface">
      {label !== undefined && (
        <p className="border-b border-line px-2.5 py-1 text-xs font-medium text-ink-soft">
          {label}
        </p>
      )}
      <p
        className={classNames(
          "max-h-80 overflow-y-auto px-2.5 py-1.5 leading-relaxed break-words whitespace-pre-wrap",
          parts.length === 0 && "text-ink-soft italic",
        )}
        // Scrolls: to be reached by the keyboard as well.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
      >
        {parts.length === 0
          ? "empty"
          : parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name, and are all made anew
              <TextPartView key={index} part={part} />
            ))}
      </p>
    </div>
  );
}
