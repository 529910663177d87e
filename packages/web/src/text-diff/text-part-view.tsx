import type { TextPart } from "./diff-words.ts";

/** A stretch of a compared text. Its mark is a line as well as a colour. */
export function TextPartView({ part: { kind, text } }: { readonly part: TextPart }) {
  switch (kind) {
    case "kept":
      return <span>{text}</span>;
    case "removed":
      return (
        <del className="rounded-xs bg-danger-soft text-danger decoration-1">{visible(text)}</del>
      );
    case "added":
      return (
        <ins className="rounded-xs bg-success-soft text-success decoration-1 underline-offset-2">
          {visible(text)}
        </ins>
      );
  }
}

/** A change of nothing but space would be one that nobody sees. */
function visible(text: string): string {
  if (/\S/.test(text)) return text;
  return text.replaceAll(" ", "·").replaceAll("\t", "⇥").replaceAll("\n", "↵\n");
}
