/** A document of the API: parsed, and as it came. */
export interface ApiDocument<Value> {
  readonly value: Value;
  /** `null` where the API answered without a body. */
  readonly json: string;
}
