import type { BotEvent, Journal, Report } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Clock } from '@botwright/clock'
import { warmDriver } from '@botwright/sqlite'
import { SqliteStore } from '../state/sqlite-store.ts'
import { WatchedStore } from '../state/watched-store.ts'
import type { Engine, Footing } from '../instance/footing.ts'
import { openKeptJournal, sendTimesOf, stateFile, stateFolder } from '../instance/kept.ts'
import { lockSupervisor } from '../instance/lock.ts'
import type { BotParts } from '../instance/parts.ts'
import type { StartBotOptions } from '../ports/running-bot.ts'
import { SingleEngine } from '../instance/single-engine.ts'

/** One machine alone: its lock, its journal, its file of values. */
export class SingleFooting implements Footing {
  readonly alone = true
  readonly client = { sendTimes: sendTimesOf(() => this.#journal!) }
  readonly #options: StartBotOptions
  readonly #clock: Clock
  readonly #report: Report
  #journal: Journal | undefined
  #store: WatchedStore | undefined

  constructor(options: StartBotOptions, clock: Clock, report: Report) {
    this.#options = options
    this.#clock = clock
    this.#report = report
  }

  warm(): void {
    warmDriver()
  }

  async open({ id: botId, username }: BotProfile, held: (() => void | Promise<void>)[]): Promise<void> {
    const { baseUrl, config, lockFolder, log, source, stateDir } = this.#options
    const clock = this.#clock
    if (lockFolder !== false) {
      const lock = lockSupervisor({ baseUrl, botId, username, ...(lockFolder !== undefined && { folder: lockFolder }) })
      held.unshift(() => lock.release())
    }
    const folder = stateFolder(source, stateDir)
    held.push(() => this.#journal?.close())
    if (config.store) this.#store = new WatchedStore(await config.store({ botId, clock, log }))
    else {
      const values = new SqliteStore({ file: stateFile(folder, 'state.db'), botId, clock, log })
      this.#store = new WatchedStore(values)
      held.push(() => values.close())
    }
  }

  openJournal({ id: botId }: BotProfile): void {
    const { baseUrl, source, stateDir } = this.#options
    const file = stateFile(stateFolder(source, stateDir), 'journal.db')
    this.#journal = openKeptJournal({ file, baseUrl, botId, clock: this.#clock, report: this.#report })
  }

  get store(): WatchedStore {
    return this.#store!
  }

  setAside(event: BotEvent, reason: string): void {
    this.#journal?.setAside(event, reason)
  }

  engine(parts: BotParts): Engine {
    return new SingleEngine(parts, this.#journal!)
  }
}
