import { printableBlock } from '@botwright/protocol/facts'
import type { Message } from '@botwright/protocol'
import { foldName } from '@botwright/protocol/typed-text'
import type { Service } from '@botwright/service'
import type { Activity } from './activity.ts'
import { Answer } from './answer.ts'
import { actionsOf } from './bot-actions.ts'
import type { Failure } from '../handler-error.ts'
import { Session } from './session.ts'
import { unheardBy } from './unheard.ts'

/** Where people and a bot meet: the parts of a test that a person uses. */
export class Stage {
  readonly service: Service
  readonly botId: string
  readonly activity: Activity
  /** Errors of handlers that no step has thrown yet. */
  readonly failures: Failure[] = []
  /** The ids of the messages that people deleted. */
  readonly removed = new Set<string>()
  /** The subjects of actions that a step waited for: no other step asks for their errors. */
  readonly #acted = new Set<unknown>()
  readonly #sessions = new Map<string, Promise<Session>>()
  /** The ids of newcomers: the world has only the people that it began with. */
  readonly #newcomers = new Map<string, string>()
  readonly #patienceMs: number | undefined
  readonly #why: () => string | undefined
  readonly #stillRuns: () => Promise<string | undefined>
  readonly #acts: () => void
  /** Why the bot does not receive a message, by the message's id. */
  readonly #unheard = new Map<string, string>()
  readonly #warned = new Set<string>()

  constructor(options: {
    service: Service
    botId: string
    activity: Activity
    patienceMs?: number
    /** The reason why the bot cannot answer, if it is known. */
    why?: () => string | undefined
    /** The handlers that still run, and what they wait for. */
    stillRuns?: () => Promise<string | undefined>
    /** Called before each action of a person. */
    acted?: () => void
  }) {
    this.service = options.service
    this.botId = options.botId
    this.activity = options.activity
    this.#patienceMs = options.patienceMs
    this.#why = options.why ?? (() => undefined)
    this.#stillRuns = options.stillRuns ?? (() => Promise.resolve(undefined))
    this.#acts = options.acted ?? (() => {})
  }

  /** Everyone in the world, and the newcomers that have acted. */
  get usernames(): string[] {
    return [...Object.keys(this.service.world.people), ...this.#newcomers.keys()]
  }

  /** A username as the service keeps it: a person has one name in any case. */
  nameOf(username: string): string {
    const typed = username.normalize('NFC')
    if (this.idOf(typed) !== undefined) return typed
    return this.usernames.find((known) => foldName(known) === foldName(typed)) ?? typed
  }

  /** The id of a person; undefined for a newcomer that has not acted. */
  idOf(username: string): string | undefined {
    return this.service.world.people[username]?.id ?? this.#newcomers.get(username)
  }

  /** A person's session, opened on first use. A newcomer joins the first server, unless `joins` is set. */
  session(username: string, { joins = false } = {}): Promise<Session> {
    let opened = this.#sessions.get(username)
    if (!opened) {
      opened = Session.open(this.service, username, this.activity).then(async (session) => {
        if (!this.service.world.people[username]) this.#newcomers.set(username, session.id)
        if (joins || this.service.world.people[username] || Object.keys(this.service.world.servers).length === 0)
          return session
        await session.api.servers.join({ server_id: session.serverId() })
        // The bot's greeting of a newcomer is not an answer to the newcomer's next action.
        await this.activity.settled({ patienceMs: this.#patienceMs })
        return session
      })
      this.#sessions.set(username, opened)
    }
    return opened
  }

  /**
   * Runs an action of a person, waits until the bot is idle, and returns what the person saw of it.
   * `act` returns the id of the subject of the bot's event. Throws the `HandlerError` of a handler that failed because of it, or because of an earlier
   * action whose handler waited for this answer.
   */
  async upon(session: Session, upon: string, act: () => Promise<string | undefined>): Promise<Answer> {
    this.#acts()
    const from = session.told.length
    const about = await act()
    const actions = () =>
      actionsOf(session.told.slice(from), { botId: this.botId, userId: session.id, about, removed: this.removed })
    const enough = () => {
      const { shown, reactions } = actions()
      return shown.length + reactions.length > 0
    }
    await this.activity.settled({ enough, patienceMs: this.#patienceMs })
    if (about !== undefined) this.#acted.add(about)
    this.#throwFailure(about)
    const unheard = about === undefined ? undefined : this.#unheard.get(about)
    const stillRuns = unheard === undefined && !enough() ? await this.#stillRuns() : undefined
    return new Answer(upon, actions(), { stillRuns, why: () => unheard ?? this.#why() })
  }

  /** A person has written a message. If the bot cannot see it, a warning is printed: a silent bot looks like one that has nothing to answer. */
  written(username: string, message: Message): void {
    const unheard = unheardBy(this.service, this.botId, message)
    if (!unheard) return
    const { reason, unseen } = unheard
    this.#unheard.set(message.id, reason)
    if (!unseen || this.#warned.has(reason)) return
    this.#warned.add(reason)
    console.warn(printableBlock(`${username} wrote where the bot cannot respond: ${reason}`))
  }

  /** Resolves when the bot is idle. Throws the error of a handler that no step of the test has thrown yet. */
  async settled(): Promise<void> {
    await this.activity.settled({ patienceMs: this.#patienceMs })
    this.#throwFailure(undefined)
  }

  #throwFailure(about: string | undefined): void {
    const index = this.failures.findIndex((failure) => about === undefined || this.#acted.has(failure.about))
    const [failure] = index < 0 ? [] : this.failures.splice(index, 1)
    if (failure) throw failure.error
  }
}
