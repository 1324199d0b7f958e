import type { StateStore } from '../../author/ports.ts'
import { standardRetry } from '../tasks/task.ts'
import { durationText } from '../../author/time/duration.ts'
import type { RunEnd, RunFailure } from '../../link/ports.ts'
import { ownDelivery } from '../../link/task-event.ts'
import { againMsOf, DueRowRunner, OTHERS_MS, type Work } from '../due-rows/due-row-runner.ts'
import { KEPT_MS } from '../tasks/runtime/failed-runs.ts'
import type { WorkHost } from '../../runtime/ports/work.ts'
import { removed, type RouteWork } from './plain-request.ts'
import { recordable } from './recordable.ts'
import type { KnownRoute } from './route-table.ts'
import { isStoredRequest, RequestStore, rowPrefix, type StoredRequest } from './stored-requests.ts'

const { errors, waitsMs } = standardRetry

/** After this time, the routes of new code are known. */
const RELOAD_MS = 1000
const LONGEST_WAIT_MS = Math.max(RELOAD_MS, ...waitsMs)

type Row = Awaited<ReturnType<StateStore['list']>>[number]

export interface RunnerHost extends WorkHost {
  route: (name: string) => KnownRoute | undefined
}

/** Runs stored requests: those of one queue one after the other, in the order of their arrival. */
export class RequestRunner {
  readonly requests: RequestStore
  readonly rows: DueRowRunner<Row>
  readonly #host: RunnerHost
  /** Rows that were logged: damaged ones, and those whose route has no file now. */
  readonly #reported = new Set<string>()

  constructor(host: RunnerHost) {
    const { store, clock, log, claims } = host
    this.#host = host
    this.requests = new RequestStore(store, clock)
    this.rows = new DueRowRunner({
      ...{ clock, log, claims, name: 'the stored requests' },
      list: async (limit) => {
        const rows = await store.list(rowPrefix, { limit })
        if (rows.length < limit) this.requests.open = rows.length
        this.requests.follow(rows.at(-1)?.key)
        return rows
      },
      dueMs: () => 0,
      begin: (row, rows) => this.#begin(row, rows),
      failed: (_, error) => log.error({ error }, `a stored request could not run (${error.message}); trying again`),
      refused: (_, error) =>
        log.error({ error }, `the result of a stored request cannot be stored (${error.message}); trying again`),
      loading: host.loading,
      // Those of an instance that is gone, and those that `framework requests` lets run again.
      pollMs: OTHERS_MS,
    })
  }

  /** The code has changed. */
  update(): void {
    this.#reported.clear()
    this.rows.look()
  }

  async #begin({ key, value, version }: Row, rows: readonly Row[]): Promise<Work | number | undefined> {
    const { store, clock, log, claims, route } = this.#host
    if (this.#reported.has(key)) return Infinity
    if (!isStoredRequest(value)) {
      this.#reported.add(key)
      log.error({ key }, `${key} in the state is not a request and does not run. Another program wrote it: delete it`)
      return Infinity
    }
    const { state, againMs = 0, failures: failed = 0 } = value
    if (state === 'running' && (await this.rows.isActive(key, value))) return clock.now() + OTHERS_MS
    if (this.#isBehind(key, value, rows)) return claims ? clock.now() + OTHERS_MS : Infinity
    const dueMs = againMsOf(againMs, LONGEST_WAIT_MS, clock.now())
    if (dueMs > clock.now()) return dueMs
    const known = route(value.route)
    if (!known) {
      this.#reported.add(key)
      log.warn({}, `${value.route}: the file of this route is gone; its stored requests wait until it exists again`)
      return Infinity
    }
    const { file } = known
    const interrupted = state === 'running' && !this.rows.isOwn(key, value, version)
    const failures = failed + (interrupted ? 1 : 0)
    if (await this.requests.hasRun(value)) {
      await this.requests.delete(key)
      return undefined
    }
    if (interrupted && (await this.requests.finishSettingAside(key, value))) return undefined
    if (interrupted && failures > errors) {
      await this.#setAside(known, key, { ...value, failures }, 'it was interrupted')
      return undefined
    }
    if (interrupted) log.warn({ file }, `${file}: its request of ${iso(value.atMs)} was interrupted and runs again`)
    const { againMs: _againMs, again, ...plain } = value
    if (again) await this.requests.unlist(key)
    const running: StoredRequest = { ...plain, state: 'running', failures }
    const claim = await this.rows.claimAs(store, { key, value, version }, running)
    return claim && (() => this.#run(known, key, claim))
  }

  /** Whether another request of the queue is before this one, or runs. */
  #isBehind(key: string, { queue, state }: StoredRequest, rows: readonly Row[]): boolean {
    return rows.some(({ key: other, value }) => {
      if (other === key || !isStoredRequest(value) || value.queue !== queue || this.#reported.has(other)) return false
      // A copy has the key of its interrupted first one, so that it may come before one that has begun.
      return state === value.state ? other < key : value.state === 'running'
    })
  }

  /** Returns the write of the result. */
  async #run(route: KnownRoute, key: string, stored: StoredRequest): Promise<() => Promise<void>> {
    const failure = await this.#dispatch(route, key, stored)
    return async () => {
      const expected = await this.rows.claimedVersion(this.#host.store, key, stored)
      if (expected === undefined) return
      if (failure === removed) await this.#waitAgain(key, stored, expected)
      else if (failure) await this.#failed(route, { key, stored, expected }, failure)
      else await this.requests.end(key, stored, expected)
    }
  }

  async #dispatch(
    { retry }: KnownRoute,
    key: string,
    { route, request, atMs, queue, failures = 0 }: StoredRequest,
  ): Promise<RunFailure | typeof removed | undefined> {
    const { clock, dispatch, observer } = this.#host
    let failure: RunFailure | typeof removed | undefined
    const work: RouteWork = {
      ...{ step: 'run', route, request, receivedMs: atMs, key, retry },
      ...(failures >= errors && { isLast: true }),
      channel_id: `route:${queue}`,
    }
    const ended = (end: RunEnd) => {
      failure = 'reason' in end ? end : removed
    }
    const delivery = ownDelivery('route', work, clock.now(), failures > 0)
    const over = observer?.workBegan?.(recordable(delivery))
    await dispatch(delivery, ended).finally(over)
    return failure
  }

  /** Until its file exists again. */
  async #waitAgain(key: string, stored: StoredRequest, expected: number): Promise<void> {
    const { store, clock } = this.#host
    const again: StoredRequest = { ...stored, state: 'waiting', againMs: clock.now() + RELOAD_MS }
    await store.set(key, again, { expected })
  }

  async #failed(
    route: KnownRoute,
    { key, stored, expected }: { key: string; stored: StoredRequest; expected: number },
    { reason, isFinal = false }: RunFailure,
  ): Promise<void> {
    const { store, clock, log } = this.#host
    const { file } = route
    const failures = (stored.failures ?? 0) + 1
    const waitMs = isFinal || !route.retry ? undefined : waitsMs[failures - 1]
    if (waitMs === undefined) return this.#setAside(route, key, { ...stored, failures }, reason)
    const again: StoredRequest = { ...stored, state: 'waiting', failures, againMs: clock.now() + waitMs }
    await store.set(key, again, { expected })
    const when = durationText(waitMs)
    log.warn({ file }, `${file}: its request of ${iso(stored.atMs)} failed and runs again in ${when}`)
  }

  async #setAside({ file }: KnownRoute, key: string, stored: StoredRequest, reason: string): Promise<void> {
    await this.requests.setAside(key, stored, { reason, keptMs: KEPT_MS })
    const { failures = 1, atMs } = stored
    const after = failures > 1 ? ` after ${failures} attempts` : ''
    const text = `${file}: its request of ${iso(atMs)} is set aside${after}: ${reason}; framework requests lists it`
    this.#host.log.error({ code: 'ERR_HANDLER', file }, text)
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()
