import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { classNames } from "../design/class-names.ts";
import { Choice } from "../design/field.tsx";
import { diffWords, type TextPart } from "./diff-words.ts";
import { type FoldedText, foldedText, foldUnchanged } from "./fold-unchanged.ts";

interface TextDiffProps {
  readonly from: string;
  readonly to: string;
  /** Stands above, beside the choice of the layout. */
  readonly heading?: ReactNode;
  /** Only the changes are of interest: what is far from all of them is folded. */
  readonly isFolded?: boolean;
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

/** Says how much is folded, until it is unfolded. */
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
        // Scrolls: to be reached by the keyboard as well.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
      >
        {parts.length === 0
          ? "empty"
          : parts.map((part, index) => {
              // Texts may be equal, and one that was unfolded is not another that took its place.
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

/** A stretch of a compared text. Its mark is a line as well as a colour. */
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

/** Space around words bears no mark; space that is all there is must be seen. */
function split(text: string) {
  const marked = text.trim();
  if (marked === "") {
    const visible = text.replaceAll(" ", "·").replaceAll("\t", "⇥").replaceAll("\n", "↵\n");
    return { before: "", marked: visible, after: "" };
  }
  const start = text.indexOf(marked);
  return { before: text.slice(0, start), marked, after: text.slice(start + marked.length) };
}
