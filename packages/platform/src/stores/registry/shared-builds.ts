/**
 * What replicas share of builds beside their records: a build that is deployed through one replica runs on
 * all of them.
 */
export interface SharedBuilds {
  readonly archives: BuildArchives;
  /**
   * Waits until no other replica has the lease of this key, an environment's or a build's id, and keeps it
   * from others until it is disposed of, or this process has ended.
   *
   * @throws the signal's reason when it fires meanwhile.
   */
  acquireLease(key: string, signal: AbortSignal): Promise<DeployLease>;
  /** The same without waiting: undefined while another replica has the lease. */
  tryLease(key: string): Promise<DeployLease | undefined>;
}

/**
 * The right to change an environment, or to deploy a build; it passes to another replica when this one hangs
 * for longer than the lease.
 */
export interface DeployLease extends AsyncDisposable {
  /** Sent with every change under the lease: the registry rejects changes under a lost lease. */
  readonly token: number;
}

/** The archives of builds, by the ids of these. */
export interface BuildArchives {
  /** Deleted with the build's record; if that is deleted already, nothing is stored. */
  keep(buildId: string, archive: Uint8Array): Promise<void>;
  /** Undefined where there is none (any more). */
  read(buildId: string): Promise<Uint8Array | undefined>;
  /** Of a build that was refused: it never serves. */
  remove(buildId: string): Promise<void>;
  /** Deletes the archives of an application's builds, except of these and of those that are held by a lease. */
  keepOnly(
    applicationId: string,
    buildIds: ReadonlySet<string>,
    /** Nothing is deleted if it was lost. Null: without one. */
    lease: { readonly key: string; readonly token: number } | null,
  ): Promise<void>;
}
