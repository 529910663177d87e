import type { ReactNode } from "react";
import { badgeClass, type Tone } from "./tone.ts";

/** A small coloured label. */
export function Badge({
  tone = "neutral",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}) {
  return (
    <span title={title} className={badgeClass(tone)}>
      {children}
    </span>
  );
}
