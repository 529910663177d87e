import { Badge } from "../design/badge.tsx";

/** The variant that drafts of the playground are committed to before they are evaluated. */
export const SCRATCH_VARIANT = "scratch";

/** Marks {@link SCRATCH_VARIANT} in a list of variants; nothing for others. */
export function ScratchBadge({ variant }: { readonly variant: string }) {
  if (variant !== SCRATCH_VARIANT) return null;
  return <Badge title="Drafts of the playground that were run as evaluations.">drafts</Badge>;
}

/** @example variantLabel("scratch") // "scratch (drafts)" */
export function variantLabel(variant: string): string {
  return variant === SCRATCH_VARIANT ? `${variant} (drafts)` : variant;
}
