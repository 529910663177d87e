import { StoreUnavailableError } from "../store-unavailable-error.ts";

/** It is the registry that cannot be read or written now. */
export class RegistryUnavailableError extends StoreUnavailableError {
  override readonly name = "RegistryUnavailableError";
}
