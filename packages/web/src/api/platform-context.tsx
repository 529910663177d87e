import { createContext, useContext } from "react";
import type { PlatformClient } from "./platform-client.ts";

const PlatformContext = createContext<PlatformClient | null>(null);

export const PlatformProvider = PlatformContext.Provider;

/** The platform that this page belongs to, for the project that is chosen. */
export function usePlatform(): PlatformClient {
  const client = useContext(PlatformContext);
  if (client === null) throw new Error("usePlatform is used outside of PlatformProvider.");
  return client;
}
