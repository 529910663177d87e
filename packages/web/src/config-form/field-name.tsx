/** The title of a field, where it has one, and its name in the code. */
export function FieldName({
  name,
  title,
}: {
  readonly name: string;
  readonly title: string | undefined;
}) {
  if (title === undefined) return <code className="font-mono">{name}</code>;
  return (
    <>
      {title} <code className="font-mono text-[0.93rem] font-normal text-ink-soft">{name}</code>
    </>
  );
}
