// What a command needs to read its options. It is loaded by `agate --help`: nothing of it loads the server.
export type { UserRange } from "../deployments/processes/build-users.ts";
export { DEFAULT_USER_RANGE } from "../deployments/processes/build-users.ts";
export type { OtlpGrpcAddress } from "../server/listen-address.ts";
export { isLoopbackAddress, listenFailure, OTLP_GRPC_PORT } from "../server/listen-address.ts";
export type { LogFormat, LogLevel, LogOptions } from "../server/log/log-options.ts";
export { LOG_FORMATS, LOG_LEVELS } from "../server/log/log-options.ts";
export type {
  ClickHouseAddress,
  ParsedAddress,
  PostgresAddress,
  RegistryAddress,
  SqliteAddress,
} from "../stores/store-address.ts";
export { parseRegistryAddress, parseStoreAddress } from "../stores/store-address.ts";
