import type { ConfigFieldSchema } from "@agate/protocol";
import { useState } from "react";
import type { FieldIds } from "../design/field.tsx";
import { NumberBox, parseNumber } from "../design/number-box.tsx";
import { boundTexts } from "./bound-texts.ts";
import { Slider } from "./slider.tsx";
import { sliderRange, stepNumber } from "./slider-range.ts";

interface NumberFieldProps {
  readonly field: ConfigFieldSchema;
  readonly label: string;
  readonly ids: FieldIds;
  readonly value: unknown;
  /** The box alone: in a list, buttons beside it leave a slider no room. */
  readonly isCompact?: boolean | undefined;
  readonly onChange: (value: unknown) => void;
}

/** Of characters, both bounds together. */
const LONGEST_BESIDE = 11;

/** A slider between the bounds with a number box beside it; the box alone where a bound is missing. */
export function NumberField(props: NumberFieldProps) {
  const { field, label, ids, value, isCompact = false, onChange } = props;
  const [typed, setTyped] = useState("");
  const range = isCompact ? null : sliderRange(field);
  // "1.50" stays as it was typed for as long as it is what the value is.
  const text = Object.is(readNumber(typed), value) ? typed : numberText(value);
  const box = (
    <NumberBox
      {...ids}
      text={text}
      onText={(next) => {
        setTyped(next);
        onChange(readNumber(next));
      }}
      onStep={(steps) => onChange(stepNumber(field, value, steps))}
      lowest={field.minimum ?? field.exclusiveMinimum}
      highest={field.maximum ?? field.exclusiveMaximum}
    />
  );
  const [lowest, highest] = boundTexts(field);
  if (range === null) {
    return (
      <div className="flex items-center gap-2">
        <div className={isCompact ? "w-28 shrink-0" : "w-40 shrink-0"}>{box}</div>
        <Bound text={[lowest, highest].filter((text) => text !== undefined).join(" … ")} />
      </div>
    );
  }
  const slider = (
    <Slider
      label={`${label}, slider`}
      range={range}
      value={typeof value === "number" ? value : Number(field.default)}
      isInvalid={ids["aria-invalid"] === true}
      onChange={onChange}
    />
  );
  // Beside it, long bounds would leave the slider no room.
  const isBelow = `${lowest}${highest}`.length > LONGEST_BESIDE;
  return (
    <div className="flex items-center gap-2">
      {isBelow ? (
        <div className="flex min-w-0 flex-1 flex-col">
          {slider}
          <div className="flex justify-between gap-2">
            <Bound text={lowest} />
            <Bound text={highest} />
          </div>
        </div>
      ) : (
        <>
          <Bound text={lowest} />
          {slider}
          <Bound text={highest} />
        </>
      )}
      <div className="w-28 shrink-0">{box}</div>
    </div>
  );
}

/** Read out with the number box already. */
function Bound({ text }: { readonly text: string | undefined }) {
  return (
    <span aria-hidden className="text-xs whitespace-nowrap text-ink-soft tabular-nums">
      {text}
    </span>
  );
}

/** The number, or what was typed instead of one. */
function readNumber(text: string): unknown {
  return parseNumber(text) ?? text;
}

function numberText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
