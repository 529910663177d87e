import { classNames } from "./class-names.ts";

export type Tone = "neutral" | "accent" | "danger" | "warning" | "success";

const TONES: Record<Tone, string> = {
  neutral: "bg-sunken text-ink-soft",
  accent: "bg-accent-soft text-accent",
  danger: "bg-danger-soft text-danger",
  warning: "bg-warning-soft text-warning",
  success: "bg-success-soft text-success",
};

/** How a small coloured label looks. */
export function badgeClass(tone: Tone): string {
  return classNames(
    "inline-flex h-5 max-w-full items-center gap-1 truncate rounded px-1.5 text-xs font-medium",
    TONES[tone],
  );
}
