/**
 * What replicas share of builds beside their records: a build that is deployed through one replica runs on
 * all of them.
 */
export interface SharedBuilds {
  readonly archives: BuildArchives;
  /**
   * Waits until no other replica is deploying the application, and keeps others from deploying it until the
   * lease is disposed of, or this process has ended.
   *
   * @throws the signal's reason when it fires meanwhile.
   */
  acquireLease(applicationId: string, signal: AbortSignal): Promise<DeployLease>;
  /** The same without waiting: undefined while another replica has the lease. */
  tryLease(applicationId: string): Promise<DeployLease | undefined>;
}

/**
 * The right to deploy an application; it passes to another replica when this one hangs for longer than the
 * lease.
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
  /** Deletes the archives of an application's builds except these. */
  keepOnly(
    applicationId: string,
    buildIds: ReadonlySet<string>,
    /** Of the lease: nothing is deleted if it was lost. Null: without a lease. */
    token: number | null,
  ): Promise<void>;
}
