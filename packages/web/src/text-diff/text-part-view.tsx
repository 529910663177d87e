import type { TextPart } from "./diff-words.ts";

const LOOKS = {
  removed: "mx-0.5 rounded-xs bg-danger-soft text-danger decoration-1",
  added: "mx-0.5 rounded-xs bg-success-soft text-success decoration-1 underline-offset-2",
} as const;

/** A stretch of a compared text. Its mark is a line as well as a colour. */
export function TextPartView({ part: { kind, text } }: { readonly part: TextPart }) {
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
