/**
 * What the replicas of a platform share of builds beside their records: a build that came through
 * one is run by all of them.
 */
export interface SharedBuilds {
  readonly archives: BuildArchives;
  /**
   * Waits until no other replica is changing which build serves the application, and keeps them from
   * it until the turn is disposed of, or this process is gone.
   *
   * @throws the signal's reason when it fires meanwhile.
   */
  acquireLease(applicationId: string, signal: AbortSignal): Promise<DeployLease>;
  /** The same without waiting: undefined while another has the turn. */
  tryLease(applicationId: string): Promise<DeployLease | undefined>;
}

/** A turn that is lost to another replica when this one hangs for longer than its lease. */
export interface DeployLease extends AsyncDisposable {
  /** Goes with every change that is made in the turn: the registry refuses those of a lost turn. */
  readonly token: number;
}

/** The archives of builds, by the ids of these. */
export interface BuildArchives {
  /** Goes when the build's record goes; where that is gone already, nothing is kept. */
  keep(buildId: string, archive: Uint8Array): Promise<void>;
  /** Undefined where there is none (any more). */
  read(buildId: string): Promise<Uint8Array | undefined>;
  /** Removes those of an application's builds, but for these. */
  keepOnly(
    applicationId: string,
    buildIds: ReadonlySet<string>,
    /** Of the turn that it is done in: nothing is removed where it was lost. Null is no turn. */
    token: number | null,
  ): Promise<void>;
}
