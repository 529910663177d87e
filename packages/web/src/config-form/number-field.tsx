import type { ConfigFieldSchema } from "@agate/protocol";
import { useState } from "react";
import type { FieldIds } from "../design/field.tsx";
import { NumberBox } from "../design/number-box.tsx";
import { parseNumber } from "../design/parse-number.ts";
import { boundTexts } from "./bound-texts.ts";
import { Slider } from "./slider.tsx";
import { sliderRange, stepNumber } from "./slider-range.ts";

interface NumberFieldProps {
  readonly field: ConfigFieldSchema;
  readonly label: string;
  readonly ids: FieldIds;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A slider between the bounds with a number box beside it; the box alone where a bound is missing. */
export function NumberField({ field, label, ids, value, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState("");
  const range = sliderRange(field);
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
        <div className="w-40">{box}</div>
        <Bound text={lowest ?? highest} />
      </div>
    );
  }
  return (
    <div className="flex items-center gap-2">
      <Bound text={lowest} />
      <Slider
        label={`${label}, slider`}
        range={range}
        value={typeof value === "number" ? value : Number(field.default)}
        isInvalid={ids["aria-invalid"] === true}
        onChange={onChange}
      />
      <Bound text={highest} />
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
