import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { classNames } from "../design/class-names.ts";
import { Choice } from "../design/field.tsx";
import { diffWords, type TextPart } from "./diff-words.ts";
import { type FoldedText, foldedText, foldUnchanged } from "./fold-unchanged.ts";

interface TextDiffProps {
  readonly from: string;
  readonly to: string;
  /** Shown above, beside the layout switch. */
  readonly heading?: ReactNode;
  /** Collapses unchanged text that is far from all changes. */
  readonly isFolded?: boolean;
}

type Layout = "inline" | "beside";

const LAYOUTS = [
  { value: "inline", label: "Inline" },
  { value: "beside", label: "Side by side" },
] as const;

/**
 * The differences of two texts: inline, with removed text struck through and added text underlined, or side
 * by side.
 */
export function TextDiff({ from, to, heading, isFolded = false }: TextDiffProps) {
  const [layout, setLayout] = useState<Layout>("inline");
  const parts = useMemo(() => {
    const all = diffWords(from, to);
    return isFolded ? foldUnchanged(all) : all;
  }, [from, to, isFolded]);
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <div className="min-w-0">{heading}</div>
        <Choice label="Diff layout" options={LAYOUTS} value={layout} onChange={setLayout} />
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

/** A button that expands collapsed text. */
function FoldedPart({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return text;
  return (
    <button
      type="button"
      onClick={() => setOpen(true)}
      className="my-0.5 flex min-h-6 w-full items-center justify-center rounded-md bg-sunken px-2 text-xs text-ink-soft hover:text-ink"
    >
      Show {foldedText(text)}
    </button>
  );
}

interface TextProps {
  readonly label?: string;
  readonly parts: readonly (TextPart | FoldedText)[];
}

function Text({ label, parts }: TextProps) {
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
        // It scrolls, so the keyboard must reach it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
      >
        {parts.length === 0
          ? "empty"
          : parts.map((part, index) => {
              // The text is part of the key: an expanded part must not stay expanded with another text.
              const key = `${index} ${part.text}`;
              return part.kind === "folded" ? (
                <FoldedPart key={key} text={part.text} />
              ) : (
                <TextPartView key={key} part={part} />
              );
            })}
      </p>
    </div>
  );
}

const LOOKS = {
  removed: "mx-0.5 rounded-xs bg-danger-soft text-danger decoration-1",
  added: "mx-0.5 rounded-xs bg-success-soft text-success decoration-1 underline-offset-2",
} as const;

/** A part of a compared text. Changes have a line as well as a colour. */
function TextPartView({ part: { kind, text } }: { readonly part: TextPart }) {
  if (kind === "kept") return <span>{text}</span>;
  const Element = kind === "removed" ? "del" : "ins";
  const { before, marked, after } = split(text);
  return (
    <>
      {before}
      <Element className={LOOKS[kind]}>{marked}</Element>
      {after}
    </>
  );
}

/** Does not mark spaces around words; a change of only spaces is made visible. */
function split(text: string) {
  const marked = text.trim();
  if (marked === "") {
    const visible = text.replaceAll(" ", "·").replaceAll("\t", "⇥").replaceAll("\n", "↵\n");
    return { before: "", marked: visible, after: "" };
  }
  const start = text.indexOf(marked);
  return { before: text.slice(0, start), marked, after: text.slice(start + marked.length) };
}
