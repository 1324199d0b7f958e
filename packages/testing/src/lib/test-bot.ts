import { findName, type RunningBot, switchOff, switchOn } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'
import type { RunningWorld, Service } from '@botwright/service'
import { fileURLToPath } from 'node:url'
import { crashEverywhere, type CrashPoint, type Crashes } from './crashes.ts'
import { spanMs } from './duration.ts'
import { failEverywhere, type FailedCalls, RECOVERY_MS, RECOVERY_STEP_MS, recoverySteps } from './failing-calls.ts'
import { control, type FaultOptions, setFault } from './faults.ts'
import { type Member, memberOf } from './people/member.ts'
import { Person } from './people/person.ts'
import { named } from './people/session.ts'
import { type BotCall, type LogLine, type RestartOptions, type TestBotOptions } from './test-bot-options.ts'
import type { TestClock } from './test-clock.ts'
import { TestHttp } from './test-http.ts'
import { type Running, TestBotParts } from './test-bot-parts.ts'
import { TestState } from './test-state.ts'
import type { PlayOptions } from './plays.ts'
import { transcript } from './people/transcript.ts'

/** A bot on a service in memory, both in this process and on one clock, which is stopped until the test advances it. */
export class TestBot implements AsyncDisposable {
  readonly #parts: TestBotParts
  /** Opens another bot on a new service. It crashes at this point, if there is one. */
  readonly #again: (point?: CrashPoint) => Promise<TestBot>
  #running: Running
  #starting: Promise<Running>

  private constructor(parts: TestBotParts, running: Running, again: (point?: CrashPoint) => Promise<TestBot>) {
    this.#parts = parts
    this.#running = running
    this.#starting = Promise.resolve(running)
    this.#again = again
    parts.crashed = () => void this.#crash()
  }

  /** @internal */
  static async open(root: string, options: TestBotOptions, point?: CrashPoint): Promise<TestBot> {
    const now = options.now ?? Date.now()
    const parts = await TestBotParts.open(root, { ...options, now }, point)
    try {
      return new TestBot(parts, await parts.start(), (crash) => TestBot.open(root, { ...options, now }, crash))
    } catch (error) {
      await parts.release()
      throw error
    }
  }

  /** The shared clock: `await chat.clock.advance({ minutes: 16 })`. */
  get clock(): TestClock {
    return this.#parts.clock
  }
  /** The local chat service. */
  get service(): Service {
    return this.#parts.service
  }
  /** Ids by name, as of startup: `chat.world.servers.Workshop.channels.general`. */
  get world(): RunningWorld {
    return this.#parts.service.world
  }
  /** The bot's state: for a test that begins with values of an older version, or checks stored values. */
  get state(): TestState {
    return new TestState(this.#parts.store, this.#running.bot.code.definitions)
  }
  /** Sends requests to the bot's routes: `await chat.http.post('/github', { action: 'published' })`. */
  get http(): TestHttp {
    return new TestHttp({ ...this.#running, settled: () => this.settled() })
  }
  /** The bot's log so far. */
  get log(): readonly LogLine[] {
    return this.#parts.log
  }
  /** The bot's own profile. */
  get bot(): RunningBot['me'] {
    return this.#running.bot.me
  }

  /** A person of the world, or a newcomer, who joins the first server before the first action. Needs no `await`. */
  person(username: string): Person {
    return new Person(this.#parts.stage, username)
  }

  /**
   * Resolves when the bot is idle: no event is on its way to it, no handler runs, no call is open. It does not wait for a handler that waits for the
   * clock or for a person. Throws the `HandlerError` of a failed handler that no step of the test has thrown.
   */
  settled(): Promise<void> {
    return this.#parts.stage.settled()
  }

  /**
   * Switches a command, button, event file, task or route off, as `framework off` does: `await chat.off('/roll', { reason: 'back at noon' })`. `server` is
   * a name of the world. Throws if there is no such name, or if it is off already.
   */
  async off(name: string, { reason, server }: { reason?: string; server?: string } = {}): Promise<void> {
    const { store, code } = this.#running.bot
    const known = findName(name, code.definitions)
    await switchOff(store, { name: known, reason, server: this.#server(server), sinceMs: this.clock.now() })
  }

  /** Switches on what is off; with `server`, only there. Throws if it is not off. */
  async on(name: string, { server }: { server?: string } = {}): Promise<void> {
    const { store, code } = this.#running.bot
    await switchOn(store, findName(name, code.definitions), this.#server(server))
  }

  #server(name: string | undefined): { id: string; name: string } | undefined {
    if (name === undefined) return undefined
    const { servers } = this.world
    const found = named(servers, name)
    if (found) return { id: found[1].id, name: found[0] }
    throw new BotwrightError(
      'ERR_INVALID_REQUEST',
      `the world has no server "${name}"; it has: ${Object.keys(servers).join(', ')}`,
    )
  }

  /** Makes the service's next answers to the bot fail or arrive late: `{ endpoint: 'messages.create', status: 503, times: 2 }`. */
  faults(options: FaultOptions): Promise<void> {
    return setFault(this.#parts.service, options)
  }

  /** Removes the faults that have not occurred yet. */
  async clearFaults(): Promise<void> {
    await control(this.#parts.service, 'DELETE', 'faults')
  }

  /** The bot's calls, in order, without its polls. */
  async calls(): Promise<BotCall[]> {
    const { calls } = await control<{ calls: BotCall[] }>(this.#parts.service, 'GET', 'journal')
    return calls.filter(({ path, method }) => method !== 'GET' || !path.startsWith('/v1/events'))
  }

  /** A member of a server (default: the first one), with the names of its roles. Undefined if there is no member with that name. */
  member(username: string, server?: string): Promise<Member | undefined> {
    return memberOf(this.#parts.stage, { owner: this.#parts.owner, username, server })
  }

  /**
   * Stops the bot, and starts it again on its stored state: the variables of its modules are lost, as after a real restart.
   * It takes half a second of the clock, in which the bot notifies people of lost conversations; `{ after: '2h' }` leaves it down for that long.
   * Resolves when it has processed the events it missed.
   */
  async restartBot({ after, meanwhile }: RestartOptions = {}): Promise<void> {
    const downMs = after === undefined ? DOWN_MS : spanMs(after)
    const { stage, clock } = this.#parts
    await stage.activity.settled()
    await this.#stop()
    try {
      await meanwhile?.()
      await clock.advance(downMs)
    } finally {
      this.#running = await (this.#starting = this.#parts.start())
    }
    await clock.advance(WARM_MS)
  }

  /**
   * Tests durable handlers: plays a conversation once undisturbed, and then once with a crash before and once with a crash after every step of
   * its runs, each time with a new bot on a new service. Throws with the name of the step if the messages or the state of a play differ from
   * the undisturbed ones: one is missing, doubled or different. Ephemeral messages are not compared. With `{ sample: 10 }`, it plays ten of these
   * crashes, spread evenly.
   */
  crashAfterEveryStep(play: (chat: TestBot) => Promise<unknown>, options: PlayOptions = {}): Promise<Crashes> {
    return crashEverywhere(async (point) => {
      await using chat = await this.#again(point)
      return await chat.#played(play, SLACK_MS)
    }, options)
  }

  /**
   * Tests durable handlers on a failing service: plays a conversation once undisturbed, and then four times for each call of the bot, in which
   * this call fails: its answer never comes, its connection breaks before or after its effect, or the service answers 500. Compares the
   * plays as `crashAfterEveryStep` does, with the same options, and throws with the name of the call.
   */
  failEveryCall(play: (chat: TestBot) => Promise<unknown>, options: PlayOptions = {}): Promise<FailedCalls> {
    return failEverywhere(async (call) => {
      await using chat = await this.#again()
      if (call.fault) await chat.faults(call.fault)
      chat.#parts.called = (endpoint) => {
        if (call.fails(endpoint)) void chat.#recover(() => chat.#waitOut())
      }
      return await chat.#played(play, RECOVERY_MS)
    }, options)
  }

  /** Plays a conversation, and returns its messages and the state. */
  async #played(play: (chat: TestBot) => Promise<unknown>, slackMs: number): Promise<string[]> {
    this.clock.slack(slackMs)
    await play(this)
    await this.settled()
    return await transcript(this.#parts.stage, this.#parts.store)
  }

  /** Lets time pass until the bot has recovered from a fault. */
  async #waitOut(): Promise<void> {
    const { clock, work, stage } = this.#parts
    for (const patienceMs of recoverySteps) {
      await clock.pass(RECOVERY_STEP_MS)
      if (await stage.activity.rests(() => work.works(), patienceMs)) return
    }
  }

  /** The bot recovers by itself, while the test waits. */
  async #recover(work: () => Promise<unknown>): Promise<void> {
    const { stage, work: own } = this.#parts
    own.recovery = 'warms'
    try {
      await work()
    } catch (error) {
      stage.failures.push({ error: error as Error, about: undefined })
    } finally {
      own.recovery = undefined
      stage.activity.touch()
    }
  }

  /** The process has died: starts the bot again on its stored state. */
  #crash(): Promise<void> {
    const { clock, work } = this.#parts
    return this.#recover(async () => {
      work.recovery = 'down'
      this.#running = await (this.#starting = this.#starting.then(async () => {
        await this.#stop()
        await clock.warm(DOWN_MS, false)
        return this.#parts.start()
      }))
      await clock.warm(WARM_MS, true)
    })
  }

  async #stop(): Promise<void> {
    this.#parts.work.stop()
    // The clock is stopped: the test would wait for ever for a handler that waits for the clock.
    await this.#running.bot.stop({ graceMs: 0 })
    await this.#running.copy.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#stop()
      this.#parts.trace?.keep()
    } finally {
      await this.#parts.release()
    }
  }
}

/** How long a restart takes: nothing of the former process is as young as the new one. */
const DOWN_MS = 100
/** By then the bot has done all work that it postpones while it starts. */
const WARM_MS = 400
/** More than a crash takes. */
const SLACK_MS = 1000

/**
 * Runs the bot of a folder on the local service, in memory and in this process. `root`: the bot's folder, as a path or a file URL.
 * Throws the errors that `framework dev` and `framework start` would report.
 */
export function startTestBot(root: string | URL, options: TestBotOptions = {}): Promise<TestBot> {
  const path = root instanceof URL ? fileURLToPath(root) : root.startsWith('file:') ? fileURLToPath(root) : root
  return TestBot.open(path.replace(/[\\/]$/, ''), options)
}
