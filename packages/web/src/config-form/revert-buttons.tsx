import { isSameJson, shownValue } from "@agate/protocol";
import { RotateCcw } from "lucide-react";

interface RevertButtonsProps {
  readonly name: string;
  readonly value: unknown;
  readonly base: unknown;
  /** The schema default. */
  readonly initial: unknown;
  readonly onRevert: () => void;
  readonly onUseDefault: () => void;
}

/** Buttons that set a field to its base value or its default, where these differ from its value. */
export function RevertButtons(props: RevertButtonsProps) {
  const { name, value, base, initial, onRevert, onUseDefault } = props;
  const isChanged = !isSameJson(value, base);
  const isUnusual = !isSameJson(value, initial) && !isSameJson(base, initial);
  if (!isChanged && !isUnusual) return null;
  return (
    <div className="flex flex-wrap gap-x-3 text-[0.93rem] text-ink-soft">
      {isChanged && (
        <RevertButton
          verb={isSameJson(base, initial) ? "Reset to default" : "Revert"}
          name={name}
          value={base}
          onClick={onRevert}
        />
      )}
      {isUnusual && (
        <RevertButton verb="Use default" name={name} value={initial} onClick={onUseDefault} />
      )}
    </div>
  );
}

interface RevertButtonProps {
  readonly verb: string;
  readonly name: string;
  readonly value: unknown;
  readonly onClick: () => void;
}

function RevertButton({ verb, name, value, onClick }: RevertButtonProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      title={typeof value === "string" ? value : undefined}
      className="inline-flex min-h-[24px] max-w-full items-center gap-1 rounded hover:text-ink hover:underline"
    >
      <RotateCcw size={12} aria-hidden className="shrink-0" />
      <span className="shrink-0">{verb}</span>
      <span className="sr-only">for {name}:</span>
      {/* Lists and objects are too long to show. */}
      {(typeof value !== "object" || value === null) && (
        <code className="truncate font-mono">{shown(value)}</code>
      )}
    </button>
  );
}

function shown(value: unknown): string {
  return value === undefined ? "not set" : shownValue(value);
}
