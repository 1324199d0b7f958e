import { frameworkTexts } from '@botwright/framework/start'
import type { PlayCase } from './cases/case.ts'
import type { Click, Crowd, Shown } from './crowd.ts'
import type { FoundList } from './found.ts'
import { question } from './places.ts'
import type { PlayBot } from './play-bot.ts'

/** One message fewer than a third of the messages that a bot may send in a minute. */
const MANY = 10
/** Later messages belong to something else, such as a question whose time is up. */
const ANSWER_MS = 2500

/** The texts that the bot showed after each act, until the next one. */
export class Windows {
  readonly #case: PlayCase
  readonly #begun: { index: number; atMs: number; sent: number }[] = []
  readonly #texts = new Map<number, string[]>()
  readonly #files = new Map<number, string>()
  readonly #refused = new Set<number>()
  #endMs = Infinity

  constructor(one: PlayCase) {
    this.#case = one
  }

  begin(index: number, atMs: number): void {
    this.#begun.push({ index, atMs, sent: 0 })
  }

  end(atMs: number): void {
    this.#endMs = atMs
  }

  /** A message was posted. */
  sent(atMs: number): void {
    const now = this.#begun.at(-1)
    if (now && atMs < Math.min(this.#endMs, now.atMs + ANSWER_MS)) now.sent++
  }

  /** A handler has ended, or a guard has refused the person: the framework repeats such a text only now and then. */
  handled(file: string, { isRefused, person }: { isRefused: boolean; person: number | undefined }): void {
    const own = this.#begun.findLast(({ index }) => this.#case.acts[index]!.person === person)
    const now = own ?? this.#begun.at(-1)
    if (!now) return
    this.#files.set(now.index, file)
    if (isRefused) this.#refused.add(now.index)
  }

  /** The file that handled anything last. */
  get lastFile(): { file: string } | undefined {
    const file = [...this.#files.values()].at(-1)
    return file === undefined ? undefined : { file }
  }

  /** The file that handled an act last. */
  fileOf(index: number): string | undefined {
    return this.#files.get(index)
  }

  /** The texts after an act, in an order that does not depend on time. */
  of(index: number): readonly string[] {
    const texts = this.#texts.get(index) ?? []
    // The framework repeats a refusal only now and then.
    return this.#refused.has(index) || texts.every((text) => refusals.has(text)) ? [] : texts
  }

  /** Called at the end, with everything that the bot has shown. */
  fill(shown: readonly Shown[], crowd: Crowd): void {
    const isPaired = this.#case.mode === 'together'
    for (const [i, { index, atMs }] of this.#begun.entries()) {
      const act = this.#case.acts[index]!
      const { id, dm } = crowd.personAt(act.person)
      const here = crowd.channelOf(act)
      const untilMs = isPaired
        ? (this.#begun.find((one) => this.#case.acts[one.index]!.atMs > act.atMs)?.atMs ?? this.#endMs)
        : (this.#begun[i + 1]?.atMs ?? this.#endMs)
      const own = shown.filter(
        (one) =>
          one.atMs >= atMs &&
          one.atMs < untilMs &&
          (one.channel_id === here || one.channel_id === dm) &&
          (one.viewer ?? id) === id,
      )
      this.#texts.set(index, own.map(({ text }) => plain(text)).sort())
    }
  }

  /** A click was answered: was it on a question that the bot had asked another person? */
  answered(click: Click, { bot, crowd, found }: { bot: PlayBot; crowd: Crowd; found: FoundList }): void {
    if (click.isRefused || !isChoice(click.custom_id)) return
    const message = crowd.messages.get(click.message_id)
    const asked = message && this.#begun.findLast(({ atMs }) => atMs <= message.atMs)
    if (!asked || this.#case.mode === 'together' || this.#case.mode === 'faults') return
    const act = this.#case.acts[asked.index]!
    const { id, name } = crowd.personAt(act.person)
    const file = act.do === 'say' ? bot.fileOf(act.text) : undefined
    if (id === click.person || file === undefined) return
    const place = bot.places.find(file, question)
    found.add(
      'answered_by_other',
      place,
      `${crowd.names.get(click.person)} answers the question that ${name} was asked; pass by: 'author', unless everyone may answer`,
    )
  }

  /** Reports commands that send many messages. */
  many(bot: PlayBot, found: FoundList): void {
    if (this.#case.mode === 'faults' || this.#case.mode === 'together') return
    for (const { index, sent } of this.#begun) {
      const act = this.#case.acts[index]!
      const file = act.do === 'say' ? bot.fileOf(act.text) : undefined
      const definition = bot.definitions.find((one) => one.file === file)
      if (file === undefined || sent < MANY || JSON.stringify(definition?.guards ?? []).includes('cooldown.')) continue
      found.add(
        'many_messages',
        { file },
        `one use sends ${sent} messages, so one person can use up the 30 messages that the bot may send in a minute; add cooldown() to its guards`,
      )
    }
  }
}

/** The texts of the framework's own guards. */
const refusals = new Set(
  Object.entries(frameworkTexts).flatMap(([key, text]) =>
    key.startsWith('guard.') ? Object.values<unknown>({ ...text }) : [],
  ),
)

/** The buttons of the framework's questions. */
const isChoice = (custom_id: string): boolean => custom_id.startsWith('?')

/** Times and other long numbers differ by moments, and each error has a number of its own. */
const plain = (text: string): string =>
  text
    .replace(/\(ref \w+\)/g, '')
    .replace(/\d{6,}/g, '#')
    .replace(/(?<!\d)\d{1,5} (?:ms|s|min|h|days?|seconds?|minutes?|hours?)\b/g, '#')
    .replace(/\d{1,2}:\d{2}:\d{2}(?:\.\d+)?/g, '#')
