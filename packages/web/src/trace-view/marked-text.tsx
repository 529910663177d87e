/** A text with the first occurrence of another in it marked, upper or lower case. */
export function MarkedText({ text, mark }: { readonly text: string; readonly mark: string }) {
  const lower = text.toLowerCase();
  const at = mark === "" ? -1 : lower.indexOf(mark.toLowerCase());
  // Some letters have more of them in lower case; then places do not correspond.
  if (at < 0 || lower.length !== text.length) return text;
  const to = at + mark.length;
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-sm bg-warning text-surface">{text.slice(at, to)}</mark>
      {text.slice(to)}
    </>
  );
}
