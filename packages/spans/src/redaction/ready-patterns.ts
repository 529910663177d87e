import type { RedactionPattern } from "@agate/protocol";
import { findCards } from "./find-cards.ts";
import { findEmails } from "./find-emails.ts";
import { findIbans } from "./find-ibans.ts";
import { findPhones } from "./find-phones.ts";
import { findTokens } from "./find-tokens.ts";
import type { Finder } from "./found.ts";

export interface ReadyPattern {
  readonly find: Finder;
  /**
   * What every occurrence contains one of: texts, or eight digits with at most
   * two other characters between them.
   */
  readonly signs: readonly string[] | "digits";
}

export const READY_PATTERNS: Readonly<Record<RedactionPattern, ReadyPattern>> = {
  token: {
    find: findTokens,
    signs: [...["Bearer ", "bearer ", "k-", "k_", "ghp_", "_pat_", "xox", "AKIA", "AIza", "yJ"]],
  },
  email: { find: findEmails, signs: ["@", "%40"] },
  iban: { find: findIbans, signs: "digits" },
  card: { find: findCards, signs: "digits" },
  phone: { find: findPhones, signs: "digits" },
};
