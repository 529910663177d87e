import type { MovedParts } from "../api/change-live.ts";
import { Choice } from "../design/field.tsx";

const PARTS = [
  { value: "both", label: "Code and configuration" },
  { value: "code", label: "Code only" },
  { value: "config", label: "Configuration only" },
] as const;

interface PartsChoiceProps {
  readonly parts: MovedParts;
  readonly onChange: (parts: MovedParts) => void;
}

/** Chooses what moves with a promotion or a roll-back. */
export function PartsChoice({ parts, onChange }: PartsChoiceProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span aria-hidden className="font-medium">
        Move
      </span>
      <Choice label="Move" options={PARTS} value={parts} onChange={onChange} />
    </div>
  );
}
