const WIDTHS = ["w-11/12", "w-2/3", "w-4/5", "w-1/2", "w-3/4", "w-5/6"] as const;

/** Stands where something is being loaded, in about its shape. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex animate-pulse flex-col gap-3 p-4">
      {WIDTHS.slice(0, lines).map((width) => (
        <div key={width} className={`h-4 rounded bg-line ${width}`} />
      ))}
    </div>
  );
}
