import type {
  ClickHouseAddress,
  ParsedAddress,
  PostgresAddress,
  SqliteAddress,
} from "@agate/platform/options";
import { parseRegistryAddress, parseStoreAddress } from "@agate/platform/options";
import { Option } from "commander";
import { WrongUsage } from "./client/failures.ts";

/** The variables say the same as the options: a password on a command line is seen by all on the machine. */
const STORE = { flag: "--store", variable: "AGATE_STORE" } as const;
const REGISTRY = { flag: "--registry", variable: "AGATE_REGISTRY" } as const;

export function storeOption(): Option {
  return new Option(
    `${STORE.flag} <url>`,
    `database for spans: postgres://… or clickhouse://… (default: $${STORE.variable}, else the data folder)`,
  );
}

export function registryOption(): Option {
  return new Option(
    `${REGISTRY.flag} <url>`,
    `database for configurations and keys: postgres://… (default: $${REGISTRY.variable}, else the data folder)`,
  );
}

/**
 * Where spans are kept; undefined for the data folder.
 *
 * @param value The option's; its variable speaks where it is absent.
 * @throws WrongUsage that does not repeat the address: it may have a password in it.
 */
export function readStore(
  value: string | undefined,
  env: NodeJS.ProcessEnv,
): PostgresAddress | ClickHouseAddress | undefined {
  return read<PostgresAddress | ClickHouseAddress>(STORE, value, env, (text) =>
    parseStoreAddress(text, "postgres://… or clickhouse://…"),
  );
}

/** The same for the registry. */
export function readRegistry(
  value: string | undefined,
  env: NodeJS.ProcessEnv,
): PostgresAddress | undefined {
  return read<PostgresAddress>(REGISTRY, value, env, (text) =>
    parseRegistryAddress(text, "postgres://…"),
  );
}

function read<Address extends { readonly kind: string }>(
  { flag, variable }: { readonly flag: string; readonly variable: string },
  value: string | undefined,
  env: NodeJS.ProcessEnv,
  parse: (text: string) => ParsedAddress<Address | SqliteAddress>,
): Address | undefined {
  const text = value ?? env[variable];
  if (text === undefined || text === "") return undefined;
  const unusable = (reason: string) =>
    new WrongUsage(
      `the address in ${value === undefined ? `$${variable}` : flag} cannot be used. ${reason}`,
    );
  const parsed = parse(text);
  if (parsed.kind === "invalid") throw unusable(parsed.reason);
  if (isInFolder(parsed.address)) {
    throw unusable(`SQLite is in the folder that --data-dir names: leave ${flag} out.`);
  }
  return parsed.address;
}

function isInFolder(address: { readonly kind: string }): address is SqliteAddress {
  return address.kind === "sqlite";
}

/**
 * Reads an argument that is the address of a database, or `env:VARIABLE` that has one.
 *
 * @throws WrongUsage that does not repeat the address: it may have a password in it.
 */
export function readAddress<Address>(
  argument: string,
  text: string,
  parse: (text: string) => ParsedAddress<Address>,
): Address {
  const [, variable] = /^env:(\w+)$/.exec(text) ?? [];
  const place = variable === undefined ? argument : `$${variable}`;
  const address = variable === undefined ? text : process.env[variable];
  if (address === undefined) throw new WrongUsage(`${place} is not set`);
  const parsed = parse(address);
  if (parsed.kind === "parsed") return parsed.address;
  throw new WrongUsage(`the address in ${place} cannot be used. ${parsed.reason}`);
}
