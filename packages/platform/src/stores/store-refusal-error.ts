/** A store cannot be opened as it is: one sentence for the person who started it. Nothing was changed. */
export class StoreRefusalError extends Error {
  override readonly name: string = "StoreRefusalError";
}
