import { createInterface, clearLine, cursorTo, type Interface } from 'node:readline'
import type { ProgramIo, ProgramOutput } from '@botwright/framework/start'
import { BotwrightError, isBotwrightError, printableLine } from '@botwright/protocol/facts'
import { createTerminal, cursorTerminal, table, type Terminal } from '../../terminal/terminal.ts'
import { directMessages } from '../act.ts'
import { type Action, clickButton, join, react, say } from '../actions.ts'
import type { BotSearch } from '../bot-at-service.ts'
import type { Recording } from '../recording.ts'
import { findService, PersonAtService, type Place } from '../person.ts'
import { endLines } from '../report.ts'
import { follow, openRecording } from '../result.ts'
import { openStream, type StreamedEvent } from '../stream.ts'
import { chatCommands, type ChatInput, readInput } from './chat-input.ts'
import { ChatLines, type ChatView } from './chat-lines.ts'

export interface ChatOptions extends BotSearch {
  service: string | undefined
  as: string
  /** The name of the first channel. */
  where: string
  /** The longest time for the bot's handler, in ms. */
  waitMs: number
  io: ProgramIo
}

const DEFAULT_CHANNEL = 'general'

/**
 * `framework chat`: reads lines, does what they ask as a person, and prints what the person sees. In a pipe, each line waits until the
 * bot has handled the one before. Resolves with the exit code: 1 if a line of a pipe failed, or the service has stopped.
 */
export async function runChat(options: ChatOptions): Promise<number> {
  const { io } = options
  const { stdin: input, stdout } = io
  const terminal = createTerminal(io)
  const service = await findService(io.cwd, options.service)
  using recording = await openRecording(io, service)
  const prompt = input.isTTY === true && stdout.isTTY === true
  const cursor = cursorTerminal(stdout)
  const reader = createInterface({ input, ...(prompt && { output: cursor, historySize: 500 }) })
  // From now on: the reader keeps no lines for a later iteration.
  const lines = reader[Symbol.asyncIterator]()
  const chat = new Chat({
    ...options,
    service,
    given: options.service,
    recording,
    print: printerFor({ terminal, cursor, reader, prompt }),
    terminal,
    prompt,
  })
  try {
    await chat.enter(options.as, options.where)
    const show = () => void (prompt && (reader.setPrompt(chat.prompt), reader.prompt()))
    reader.on('SIGINT', () => reader.close())
    chat.onEnd = () => reader.close()
    show()
    for await (const line of lines) {
      if (!(await chat.take(line))) break
      show()
    }
    return chat.code
  } finally {
    reader.close()
    chat.leave()
  }
}

/** Prints above the line that is being typed, and shows that line again. */
function printerFor({
  terminal,
  cursor,
  reader,
  prompt,
}: {
  terminal: Terminal
  cursor: ProgramOutput
  reader: Interface
  prompt: boolean
}): (lines: readonly string[]) => void {
  return (lines) => {
    if (lines.length === 0) return
    if (prompt) {
      cursorTo(cursor, 0)
      clearLine(cursor, 0)
    }
    terminal.print(lines.join('\n'))
    if (prompt) reader.prompt(true)
  }
}

interface ChatParts extends Omit<ChatOptions, 'service'> {
  service: URL
  /** `--service`. */
  given: string | undefined
  recording: Recording | undefined
  print: (lines: readonly string[]) => void
  terminal: Terminal
  prompt: boolean
}

/** A person in a channel, with the open stream of what the person sees. */
class Chat {
  readonly #parts: ChatParts
  readonly #lines: ChatLines
  #person!: PersonAtService
  #place: Place = { id: '', title: '' }
  #titles = new Map<string, string>()
  #names = new Map<string, string>()
  #stream = new AbortController()
  /** Texts that the person has typed on a terminal, which shows them already. */
  readonly #typed: string[] = []
  #newest: { channelId: string; id: string } | undefined
  code = 0
  /** Called when the service has ended the stream. */
  onEnd = (): void => {}

  constructor(parts: ChatParts) {
    this.#parts = parts
    this.#lines = new ChatLines(parts.terminal.colors)
  }

  get prompt(): string {
    return `${printableLine(`${this.#person.username} in ${this.#place.title}`)}> `
  }

  /** Signs in, and shows what this person sees from now on. */
  async enter(username: string, where: string): Promise<void> {
    const person = await PersonAtService.signIn(this.#parts.service, username, this.#parts.given)
    const place = await person.channel(where)
    await this.#readNames(person)
    const stream = new AbortController()
    this.#stream.abort()
    this.#stream = stream
    this.#person = person
    this.#place = place
    const { ended } = await openStream(person, (event) => this.#show(event), stream.signal)
    this.#note(`${username} is in ${place.title}; :help lists the commands of this prompt`)
    void ended.then(() => {
      if (stream.signal.aborted) return
      this.#parts.print([this.#parts.terminal.colors.red('✘ the service has closed the connection')])
      this.code = 1
      this.onEnd()
    })
  }

  /** Does what a line asks. False ends the chat. */
  async take(line: string): Promise<boolean> {
    try {
      const input = readInput(line)
      if (input?.kind === 'quit') return false
      if (input) await this.#do(input)
    } catch (error) {
      this.#failed(error)
    }
    return true
  }

  #failed(error: unknown): void {
    if (!isBotwrightError(error)) throw error
    this.#parts.print([this.#parts.terminal.colors.red(`✘ ${printableLine(error.message)}`)])
    if (!this.#parts.prompt) this.code = 1
  }

  leave(): void {
    this.#stream.abort()
  }

  async #do(input: ChatInput): Promise<void> {
    const [person, place] = [this.#person, this.#place]
    switch (input.kind) {
      case 'message':
        return this.#act(person, () => this.#say(person, place, input.content))
      case 'click': {
        const button = this.#lines.button(input.number)
        if (!button) throw new BotwrightError('ERR_CONFIG', `there is no button ${input.number}`)
        const on = { id: button.channel_id, title: this.#titleOf(button.channel_id) }
        return this.#act(person, () => clickButton(person, on, button))
      }
      case 'as':
        return this.enter(
          required(input, ':as bob'),
          this.#titles.has(place.id) ? place.title.slice(1) : DEFAULT_CHANNEL,
        )
      case 'in':
        this.#place = await person.channel(required(input, ':in random'))
        return
      case 'dm':
        this.#place = await directMessages(person, this.#parts)
        if (input.argument === '') return
        try {
          return await this.#do({ kind: 'message', content: input.argument })
        } finally {
          this.#place = place
        }
      case 'react': {
        const emoji = required(input, ':react 👍')
        const on = this.#newest?.channelId === place.id ? this.#newest.id : undefined
        return this.#act(person, () => react(person, place, { emoji, on }))
      }
      case 'join':
        await this.#act(person, () => join(person, input.argument || undefined))
        return this.#readNames(person)
      case 'help':
        this.#parts.print(helpLines(this.#parts.terminal))
        return
      case 'quit':
    }
  }

  async #say(person: PersonAtService, place: Place, content: string): Promise<Action> {
    if (!this.#parts.prompt) return say(person, place, content)
    this.#typed.push(content)
    try {
      return await say(person, place, content)
    } catch (error) {
      this.#isTyped(content)
      throw error
    }
  }

  /** Whether the terminal shows this text already, as the person typed it; once for each time. */
  #isTyped(content: string): boolean {
    const at = this.#typed.indexOf(content)
    if (at >= 0) this.#typed.splice(at, 1)
    return at >= 0
  }

  /** Does something. Then shows an error of the bot, or why it did nothing: at once in a pipe, in the meantime on a terminal. */
  async #act(person: PersonAtService, run: () => Promise<Action>): Promise<void> {
    const { io, bot, recording, waitMs, terminal, prompt, print } = this.#parts
    let done = (): void => {}
    const performed = new Promise<void>((resolve) => (done = resolve))
    const result = follow(person, () => run().finally(done), { io, bot, recording, waitMs })
      .then((result) => print(endLines(terminal.colors, result)))
      .finally(done)
    if (!prompt) return result
    // On a terminal, the next line need not wait for the bot. Its errors are shown as those of a line.
    void result.catch((error: unknown) => this.#failed(error))
    return performed
  }

  #show(event: StreamedEvent): void {
    const { type, data } = event
    if (type === 'message_create') {
      const { id, channel_id: channelId } = data.message
      this.#newest = { channelId, id }
      const isTyped = data.author.id === this.#person.id && this.#isTyped(data.message.content)
      // Its text is remembered all the same.
      const lines = this.#lines.of(event, this.#view)
      return isTyped ? undefined : this.#parts.print(lines)
    }
    if (type === 'message_delete' && this.#newest?.id === data.message_id) this.#newest = undefined
    if (type === 'member_join') this.#names.set(data.member.user_id, data.member.username)
    if (type === 'channel_create' || type === 'channel_update')
      this.#titles.set(data.channel.id, `#${data.channel.name}`)
    this.#parts.print(this.#lines.of(event, this.#view))
  }

  get #view(): ChatView {
    return {
      channelId: this.#place.id,
      channelName: (id) => this.#titleOf(id),
      userName: (id) => this.#names.get(id) ?? 'a member',
    }
  }

  #titleOf(channelId: string): string {
    return this.#titles.get(channelId) ?? 'direct messages'
  }

  async #readNames(person: PersonAtService): Promise<void> {
    for (const { channels, members } of await person.servers()) {
      for (const { id, name } of channels) this.#titles.set(id, `#${name}`)
      for (const { user_id, username } of members) this.#names.set(user_id, username)
    }
  }

  #note(text: string): void {
    this.#parts.print([this.#parts.terminal.colors.dim(printableLine(text))])
  }
}

function required({ kind, argument }: { kind: string; argument: string }, example: string): string {
  if (argument !== '') return argument
  throw new BotwrightError('ERR_CONFIG', `:${kind} requires an argument, as in ${example}`)
}

const helpLines = ({ colors }: Terminal): string[] =>
  table([
    [colors.cyan('TEXT'), 'send a message; :: at the start sends a text that begins with ":"'],
    [colors.cyan(':1'), 'press the button with this number'],
    ...Object.entries(chatCommands).map(([name, [argument, about]]) => [
      colors.cyan(`:${name} ${argument}`.trimEnd()),
      about,
    ]),
  ])
