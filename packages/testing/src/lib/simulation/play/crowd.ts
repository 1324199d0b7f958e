import { frameworkTexts } from '@botwright/framework/start'
import type { OpenService } from '@botwright/service'
import type { SimWorld } from '../sim-world.ts'
import type { Act } from './cases/case.ts'
import type { PlayedMessage } from './invariants.ts'
import { withAnswers } from './answers.ts'

/** Something that the bot showed. */
export interface Shown {
  atMs: number
  channel_id: string
  /** The person who alone sees it. */
  viewer?: string
  text: string
}

interface SeenButton {
  channel_id: string
  message_id: string
  custom_id: string
  label: string
}

/** A click, until its end. */
export interface Click {
  act: number
  person: string
  custom_id: string
  message_id: string
  isRefused: boolean
}

type Part = { content: string; embeds?: unknown; components?: unknown }
type Told = { id: string; channel_id: string; author_id: string } & Part

/** Newest texts from which a person takes a word. */
const ANSWERS = 4
/** Newest buttons that a person may click. */
const BUTTONS = 8
/** The texts for a click on the buttons of another person, and on old ones. */
const refusals = new Set(
  ['ask.not_for_you', 'outdated_button'].flatMap((key) =>
    Object.values<unknown>({ ...(frameworkTexts as Record<string, object>)[key] }),
  ),
)

/** The people of a play. */
export class Crowd {
  readonly shown: Shown[] = []
  readonly messages = new Map<string, PlayedMessage & { channel_id: string; author_id: string; atMs: number }>()
  readonly clicks = new Map<string, Click>()
  readonly names = new Map<string, string>()
  /** The texts that people have written, by the number of the act. */
  readonly said = new Map<number, string>()
  readonly #world: SimWorld
  readonly #service: OpenService
  readonly #botId: string
  readonly #people: { id: string; token: string; name: string; dm: string; channels: Map<string, string> }[]
  /** The names of the channels by their ids. */
  readonly #channels = new Map<string, string>()
  /** The buttons of each message as they are now, by the people who see them. */
  readonly #buttons = new Map<string, { buttons: SeenButton[]; seenBy: Set<string> }>()
  readonly #states = new Map<string, string>()
  /** Called with each click that was answered. */
  onAnswered: ((click: Click) => void) | undefined
  /** Called with each line for the reader. */
  readonly #note: (line: string) => void

  constructor(options: { world: SimWorld; service: OpenService; botId: string; note: (line: string) => void }) {
    this.#world = options.world
    this.#service = options.service
    this.#botId = options.botId
    this.#note = options.note
    const { people, servers } = options.service.world
    this.#people = Object.entries(people).map(([name, { id, token }]) => ({
      name,
      id,
      token,
      dm: '',
      channels: new Map(),
    }))
    for (const { name, id } of this.#people) this.names.set(id, name)
    for (const server of Object.values(servers))
      for (const [name, id] of Object.entries(server.channels)) {
        this.#channels.set(id, name)
        // Another server may have a channel with the same name.
        for (const { id: person, channels } of this.#people)
          if (!channels.has(name) && options.service.observer.accessOf(person, id).channel) channels.set(name, id)
      }
  }

  /** Opens direct messages, and begins to watch. */
  async open(): Promise<void> {
    for (const person of this.#people) {
      const answer = await this.#ask(person, 'POST', `/users/${this.#botId}/dm`)
      person.dm = ((await answer.json()) as { channel_id?: string }).channel_id ?? ''
    }
    for (const { id, name } of this.#people)
      this.#service.observer.person(id, (told) => {
        const { data } = told
        if (told.type === 'message_create' || told.type === 'message_update') this.#sees(told.data.message, id)
        else if (told.type === 'message_delete') {
          const message = this.messages.get(told.data.message_id)
          if (message) message.deleted = true
          this.#buttons.delete(told.data.message_id)
        } else if (told.type === 'ephemeral') {
          const { message, interaction_id } = told.data
          const click = this.clicks.get(interaction_id)
          if (click && refusals.has(message.content)) click.isRefused = true
          this.#shows(message.channel_id, textOf(message), id)
          this.#keep(`${interaction_id} ${message.id}`, { ...message, author_id: this.#botId })
        } else if (told.type === 'click' && told.data.state !== 'waiting') {
          const click = this.clicks.get(told.data.interaction_id)
          if (told.data.state === 'failed') this.#shows(String(data.channel_id), '(the click failed)', id)
          // The message of an answer arrives after it.
          else if (click) this.#world.timeline.after(500, () => this.onAnswered?.(click))
        }
        void name
      })
  }

  personAt(index: number): { id: string; name: string; dm: string } {
    return this.#people[index % this.#people.length]!
  }

  /** The number of the person with an id. */
  numberOf(id: string): number | undefined {
    const index = this.#people.findIndex((one) => one.id === id)
    return index === -1 ? undefined : index
  }

  channelOf(act: Pick<Act, 'person' | 'place'>): string {
    const { dm, channels } = this.#people[act.person % this.#people.length]!
    if (act.place === 'dm') return dm
    return channels.get(act.place) ?? [...this.#channels].find(([, name]) => name === act.place)?.[0] ?? ''
  }

  /** `ann in #general: /ping`, for an act that may not end. */
  intention(act: Act): string {
    const text = act.do === 'say' ? short(act.text) : `(${act.do})`
    return `${this.personAt(act.person).name} ${whereOf(act.place)}: ${text}`
  }

  /** Does it. */
  async act(act: Act, index: number): Promise<void> {
    const who = this.#people[act.person % this.#people.length]!
    const channel_id = this.channelOf(act)
    const note = (text: string, place = act.place) => this.#note(`${who.name} ${whereOf(place)}: ${text}`)
    switch (act.do) {
      case 'say': {
        const text = withAnswers(act.text, this.#answersFor(who.id, channel_id))
        this.said.set(index, text)
        note(short(text))
        const answer = await this.#ask(who, 'POST', `/channels/${channel_id}/messages`, { content: text || ' ' })
        if (answer.status >= 300) this.#note(`  (not sent: ${answer.status})`)
        return
      }
      case 'click': {
        const button = this.#buttonFor(who.id, channel_id, act.pick)
        if (!button) return note('finds no button')
        const { message_id, custom_id } = button
        // Buttons in other channels can be clicked too.
        note(`clicks [${button.label}]${act.twice ? ' twice' : ''}`, this.messages.get(message_id)?.channel)
        const path = `/channels/${button.channel_id}/messages/${message_id}/clicks`
        for (let i = 0; i < (act.twice ? 2 : 1); i++) {
          const answer = await this.#ask(who, 'POST', path, { custom_id })
          if (answer.status >= 300) continue
          const { interaction_id } = (await answer.json()) as { interaction_id: string }
          this.clicks.set(interaction_id, { act: index, person: who.id, custom_id, message_id, isRefused: false })
        }
        return
      }
      case 'leave': {
        const servers = Object.values(this.#service.world.servers)
        const path = `/servers/${servers[0]!.id}/members/me`
        const answer = await this.#ask(who, 'DELETE', path)
        note(answer.status < 300 ? 'leaves the server, and joins again later' : 'stays in the server')
        if (answer.status < 300) this.#world.timeline.after(act.forMs, () => void this.#ask(who, 'PUT', path))
        return
      }
      case 'react':
      case 'edit':
      case 'delete': {
        const own = act.do === 'react' ? this.#botId : who.id
        const all = [...this.messages.values()].filter(
          (one) => one.author_id === own && !one.deleted && one.channel_id === channel_id,
        )
        const message = all.at(-1 - (act.pick % 3))
        if (!message) return note('finds no message')
        const path = `/channels/${message.channel_id}/messages/${message.id}`
        note(act.do === 'react' ? `reacts with ${act.emoji}` : `${act.do}s "${short(message.content)}"`)
        if (act.do === 'delete') await this.#ask(who, 'DELETE', path)
        else if (act.do === 'edit') await this.#ask(who, 'PATCH', path, { content: act.text })
        else await this.#ask(who, 'PUT', `${path}/reactions/${encodeURIComponent(act.emoji)}`)
        return
      }
    }
  }

  /** The newest texts of the bot that a person sees in a channel. */
  #answersFor(person: string, channel_id: string): string[] {
    const seen = this.shown.filter((one) => one.channel_id === channel_id && (one.viewer ?? person) === person)
    return seen.slice(-ANSWERS).map(({ text }) => text)
  }

  /** Changes of the first server that its owner makes. */
  async asOwner(method: string, path: string, body?: object): Promise<void> {
    await this.#ask(this.#people[0]!, method, path, body)
  }

  /** A text in which names stand for ids. */
  readable(text: string): string {
    return text.replace(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
      (id) => this.names.get(id) ?? '<id>',
    )
  }

  #sees(message: Told, viewer: string): void {
    const { id, channel_id, author_id } = message
    const buttons = rowsOf(message).map((one) => ({ ...one, channel_id, message_id: id }))
    const known = this.#buttons.get(id)
    if (known) {
      known.buttons = buttons
      known.seenBy.add(viewer)
    } else this.#buttons.set(id, { buttons, seenBy: new Set([viewer]) })
    const text = textOf(message)
    const state = JSON.stringify([text, message.components])
    if (this.#states.get(id) === state) return
    this.#states.set(id, state)
    this.#keep(id, message)
    if (author_id === this.#botId) this.#shows(channel_id, text)
  }

  #keep(key: string, message: Told): void {
    const { id, channel_id, author_id, content } = message
    const former = this.messages.get(key)
    if (former) return void (former.content = content)
    const dm = this.#people.some((one) => one.dm === channel_id)
    const channel = dm ? 'dm' : (this.#channels.get(channel_id) ?? channel_id)
    const { startMs, nowMs } = this.#world
    this.messages.set(key, {
      ...{ id, channel_id, author_id, channel, content, deleted: false, atMs: nowMs },
      author: this.names.get(author_id) ?? 'bot',
      isBot: author_id === this.#botId,
      at: new Date(startMs + nowMs),
    })
  }

  #shows(channel_id: string, text: string, viewer?: string): void {
    const readable = this.readable(text)
    this.shown.push({ atMs: this.#world.nowMs, channel_id, text: readable, ...(viewer !== undefined && { viewer }) })
    this.#note(`  bot: ${short(readable)}${viewer === undefined ? '' : ` (to ${this.names.get(viewer)} alone)`}`)
  }

  #buttonFor(person: string, channel_id: string, pick: number): SeenButton | undefined {
    const all = [...this.#buttons.values()].filter(({ seenBy }) => seenBy.has(person)).flatMap(({ buttons }) => buttons)
    const here = all.filter((one) => one.channel_id === channel_id).toReversed()
    const elsewhere = all.filter((one) => one.channel_id !== channel_id).toReversed()
    const some = [...here.slice(0, BUTTONS), ...here.slice(BUTTONS).slice(-1), ...elsewhere.slice(0, 2)]
    return some[pick % some.length]
  }

  #ask({ token }: { token: string }, method: string, path: string, body?: object): Promise<Response> {
    const headers = { host: '127.0.0.1:7420', authorization: `Person ${token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return this.#service.answer(
      new Request(`${this.#service.url}/people/v1${path}`, init),
      new AbortController().signal,
    )
  }
}

const whereOf = (place: string): string => (place === 'dm' ? 'in direct messages' : `in #${place}`)

interface Row {
  components?: { custom_id?: string; label?: string; emoji?: string; disabled?: boolean }[]
}

const rowsOf = ({ components }: Part): { custom_id: string; label: string }[] =>
  ((components ?? []) as Row[]).flatMap((row) =>
    (row.components ?? []).flatMap(({ custom_id, label, emoji, disabled }) =>
      custom_id === undefined || disabled ? [] : [{ custom_id, label: label ?? emoji ?? '' }],
    ),
  )

/** The visible text of a message. */
function textOf(message: Part): string {
  const cards = ((message.embeds ?? []) as Record<string, unknown>[]).map((embed) => {
    const { title, description, fields, footer } = embed as {
      title?: string
      description?: string
      fields?: { name: string; value: string }[]
      footer?: { text: string }
    }
    return [title, description, ...(fields ?? []).map(({ name, value }) => `${name}: ${value}`), footer?.text]
      .filter(Boolean)
      .join(' · ')
  })
  const buttons = ((message.components ?? []) as Row[]).flatMap(({ components = [] }) =>
    components.map(({ label, emoji, disabled }) => (disabled ? `(${label ?? emoji})` : `[${label ?? emoji}]`)),
  )
  return [message.content, ...cards, ...buttons].filter((part) => part !== '').join(' ')
}

const MOST_SHORT = 100
const short = (text: string): string => {
  const line = text.replaceAll('\n', ' ⏎ ')
  return line.length > MOST_SHORT ? `${line.slice(0, MOST_SHORT)}… (${line.length} characters)` : line
}
