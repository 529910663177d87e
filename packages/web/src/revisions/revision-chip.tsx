import { Link } from "@tanstack/react-router";
import { GitCommitHorizontal } from "lucide-react";
import { type RevisionName, revisionText } from "./live-plan.ts";

interface RevisionChipProps {
  readonly app: string;
  readonly name: RevisionName;
}

/** A revision's name, linked to its variant. */
export function RevisionChip({ app, name }: RevisionChipProps) {
  return (
    <Link
      to="/apps/$app/variants/$variant"
      params={{ app, variant: name.slug }}
      className="inline-flex h-6 max-w-full items-center gap-1 rounded-md bg-accent-soft px-1.5 font-mono text-[0.93rem] font-medium text-accent hover:underline"
    >
      <GitCommitHorizontal size={14} aria-hidden className="shrink-0" />
      <span className="truncate">{revisionText(name)}</span>
    </Link>
  );
}
