import { isSameJson } from "@agate/protocol";
import { useState } from "react";

/** A value that is made anew with each drawing: the very same for as long as nothing in it changes. */
export function useSameJson<Value>(value: Value): Value {
  const [kept, setKept] = useState(value);
  if (kept === value || isSameJson(kept, value)) return kept;
  setKept(value);
  return value;
}
