/** The place of a column among others, for the eye: names that are read out have it in words. */
export function ColumnNumber({ place }: { readonly place: number }) {
  return (
    <span aria-hidden className="font-medium text-ink-soft tabular-nums">
      {place}
    </span>
  );
}
