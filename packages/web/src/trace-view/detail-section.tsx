import type { ReactNode } from "react";

/** A part of what is recorded, under its name. */
export function DetailSection({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="min-w-0 border-b border-line px-4 py-3 last:border-b-0">
      <h3 className="mb-1.5 text-xs font-semibold text-ink-soft">{title}</h3>
      {children}
    </div>
  );
}
