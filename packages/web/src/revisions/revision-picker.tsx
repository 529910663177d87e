import type { Environment, RegistryVariant } from "@agate/protocol";
import { parseRevisionRef, revisionRefText } from "@agate/protocol";
import { useId } from "react";
import { Select } from "../design/field.tsx";
import { orderEnvironments } from "./order-environments.ts";
import { variantLabel } from "./scratch-badge.tsx";

interface RevisionPickerProps {
  /** The label: "Before". */
  readonly label: string;
  readonly variants: readonly RegistryVariant[];
  /** Environments whose live revision can be chosen; none by default. */
  readonly environments?: readonly Environment[];
  /** `default`, `default@3`, `env:production`; undefined at first. */
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Chooses a configuration: an environment's live revision, or a revision of a variant. */
export function RevisionPicker(props: RevisionPickerProps) {
  const { label, variants, environments = [], value, onChange } = props;
  const id = useId();
  const ref = value === undefined ? undefined : parseRevisionRef(value);
  const variant = ref?.kind === "variant" ? ref.variant : undefined;
  const latest = variants.find(({ slug }) => slug === variant)?.latest_revision ?? 0;
  const chosen = ref && (ref.kind === "environment" ? revisionRefText(ref) : ref.variant);
  const live = orderEnvironments(environments).filter(({ deployment }) => deployment !== null);
  const names = [...live.map(({ slug }) => `env:${slug}`), ...variants.map(({ slug }) => slug)];
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <div className="flex min-w-0 gap-1.5">
        <Select
          id={id}
          className="min-w-0 flex-1"
          value={chosen ?? ""}
          onChange={(event) => onChange(event.target.value)}
        >
          {chosen === undefined && <option value="">Choose…</option>}
          {/* A link may name something that was deleted. */}
          {chosen !== undefined && !names.includes(chosen) && (
            <option value={chosen}>{chosen} (not found)</option>
          )}
          {live.length > 0 && (
            <optgroup label="Live in">
              {live.map(({ slug }) => (
                <option key={slug} value={`env:${slug}`}>
                  {slug}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label="Variants">
            {variants.map(({ slug, latest_revision }) => (
              <option key={slug} value={slug} disabled={latest_revision === 0}>
                {latest_revision === 0 ? `${slug} (no revisions)` : variantLabel(slug)}
              </option>
            ))}
          </optgroup>
        </Select>
        {ref?.kind === "variant" && (
          <Select
            aria-label={`${label}: revision`}
            className="shrink-0"
            value={ref.revision ?? ""}
            onChange={(event) => {
              const revision = event.target.value === "" ? null : Number(event.target.value);
              onChange(revisionRefText({ ...ref, revision }));
            }}
          >
            <option value="">latest</option>
            {ref.revision !== null && ref.revision > latest && (
              <option value={ref.revision}>@{ref.revision} (not found)</option>
            )}
            {Array.from({ length: latest }, (_, index) => latest - index).map((revision) => (
              <option key={revision} value={revision}>
                @{revision}
              </option>
            ))}
          </Select>
        )}
      </div>
    </div>
  );
}
