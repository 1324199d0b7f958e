import type { SeededRandom } from '@botwright/clock/simulated'
import type { OpenService } from '@botwright/service'
import type { Action } from './plan.ts'
import type { SimWorld } from './sim-world.ts'

/** A button that a person can see. */
interface SeenButton {
  channel_id: string
  message_id: string
  custom_id: string
}

/** A click of a person, and when it was answered or failed. */
export interface SimClick {
  id: string
  custom_id: string
  message_id: string
  person: number
  atMs: number
  answeredAtMs?: number
  failed?: boolean
}

/** A message in the chat. */
export interface SimMessage {
  id: string
  channel_id: string
  author_id: string
  content: string
  reply_to_id: string | null
  atMs: number
  deleted?: boolean
}

/** The role of the people who do not own the server. */
export const STAFF = 'Staff'

/** The newest buttons of a channel that a person may click. */
const BUTTONS = 6

/** How long a quick person needs to answer. The shorter time is less than that of a response to the bot. */
const QUICK_MS = [3, 100] as const

interface SimPeopleOptions {
  world: SimWorld
  service: OpenService
  says: readonly string[]
  answers: readonly string[]
  /** When people answer at once. Default: never. */
  quick?: SeededRandom | undefined
}

/** The people of a simulation: they write, click and leave as in the plan, and see what the bot does. */
export class SimPeople {
  readonly clicks = new Map<string, SimClick>()
  readonly messages = new Map<string, SimMessage>()
  /** Messages that only one person sees. */
  readonly ephemeral: { interaction_id: string; content: string }[] = []
  readonly channels: string[]
  readonly #world: SimWorld
  readonly #service: OpenService
  readonly #says: readonly string[]
  readonly #answers: readonly string[]
  readonly #quick: SeededRandom | undefined
  readonly #people: { id: string; token: string; name: string }[]
  readonly #server: string
  readonly #role: string
  /** When people had the role. */
  readonly staff: { person_id: string; atMs: number; has: boolean }[] = []
  readonly #buttons: SeenButton[] = []
  /** Replies of the bot that ask a person. */
  readonly #questions: { channel_id: string; person_id: string }[] = []
  #number = 0

  constructor(options: SimPeopleOptions) {
    this.#world = options.world
    this.#service = options.service
    this.#says = options.says
    this.#answers = options.answers
    this.#quick = options.quick
    const { people, servers } = options.service.world
    this.#people = Object.entries(people).map(([name, { id, token }]) => ({ name, id, token }))
    const [server] = Object.values(servers)
    this.#server = server!.id
    this.#role = server!.roles[STAFF]!
    this.channels = Object.values(server!.channels)
    // The owner sees all channels.
    options.service.observer.person(this.#people[0]!.id, (told) => {
      if (told.type === 'message_create' || told.type === 'message_update') this.#sees(told.data.message)
      else if (told.type === 'message_delete') {
        const message = this.messages.get(told.data.message_id)
        if (message) message.deleted = true
      }
    })
    for (const { id } of this.#people)
      options.service.observer.person(id, (told) => {
        if (told.type === 'ephemeral') {
          this.ephemeral.push({ interaction_id: told.data.interaction_id, content: told.data.message.content })
          this.#world.note(`ephemeral "${told.data.message.content}"`)
        } else if (told.type === 'click') {
          const click = this.clicks.get(told.data.interaction_id)
          if (!click) return
          if (told.data.state === 'answered') click.answeredAtMs ??= this.#world.nowMs
          else if (told.data.state === 'failed') click.failed = true
        }
      })
  }

  #sees(message: {
    id: string
    channel_id: string
    author_id: string
    content: string
    components: unknown[]
    reply_to_id: string | null
  }): void {
    const { id, channel_id, author_id, content, reply_to_id } = message
    const former = this.messages.get(id)
    this.#world.note(`${former ? 'edited' : 'posted'} "${content}"`)
    if (former) former.content = content
    else this.messages.set(id, { id, channel_id, author_id, content, reply_to_id, atMs: this.#world.nowMs })
    const asked = content.endsWith('?') ? this.messages.get(reply_to_id ?? '')?.author_id : undefined
    const person_id = asked ?? /^<@([\w-]+)> Why/.exec(content)?.[1]
    if (!former && person_id !== undefined) {
      this.#questions.push({ channel_id, person_id })
      this.#soon('answer', channel_id)
    }
    for (const row of message.components as { components: { custom_id?: string; disabled?: boolean }[] }[])
      for (const { custom_id, disabled } of row.components)
        if (custom_id !== undefined && disabled !== true) this.#buttons.push({ channel_id, message_id: id, custom_id })
    if (!former && message.components.length > 0) this.#soon('click', channel_id)
  }

  /** A quick person answers what has just appeared. The odd value selects the newest question. */
  #soon(what: 'answer' | 'click', channel_id: string): void {
    const random = this.#quick
    if (!random?.chance(0.5)) return
    const [channel, person, value] = [this.channels.indexOf(channel_id), random.int(3), 2 * random.int(2 ** 20) + 1]
    const { timeline, nowMs } = this.#world
    timeline.after(random.int(random.pick(QUICK_MS)), () => this.act({ atMs: nowMs, person, channel, do: what, value }))
  }

  idOf(person: number): string {
    return this.#people[person % this.#people.length]!.id
  }

  /** The texts in a channel that the bot has posted. */
  textsOf(authorId: string): SimMessage[] {
    return [...this.messages.values()].filter((message) => message.author_id === authorId)
  }

  act(action: Action): void {
    void this.#act(action).then((result) => this.#world.note(`${action.do} of ${action.person}: ${result}`))
  }

  async #act({ person, channel, do: what, value }: Action): Promise<string> {
    let channel_id = this.channels[channel % this.channels.length]!
    let who = this.#people[person % this.#people.length]!
    switch (what) {
      case 'say':
      case 'answer': {
        // Most answers are those to a question.
        const question = what === 'answer' && value % 4 > 0 ? this.#questions.pop() : undefined
        if (question) {
          channel_id = question.channel_id
          who = this.#people.find(({ id }) => id === question.person_id) ?? who
        }
        const texts = what === 'say' ? this.#says : this.#answers
        const content = texts[value % texts.length]!.replace('{n}', String(++this.#number))
        return `${content} ${await this.#call(who, 'POST', `/channels/${channel_id}/messages`, { content })}`
      }
      case 'click':
      case 'click_twice': {
        const here = this.#buttons.filter((one) => one.channel_id === channel_id)
        const buttons = (here.length > 0 ? here : this.#buttons).slice(-BUTTONS)
        const button = buttons[value % buttons.length]
        if (!button) return 'no button'
        if (what === 'click_twice') void this.#click(who, button, person)
        return this.#click(who, button, person)
      }
      case 'edit':
      case 'delete':
      case 'react': {
        const own = [...this.messages.values()].filter(({ author_id, deleted }) => author_id === who.id && !deleted)
        const message = own.at(-1 - (value % 3))
        if (!message) return 'no message'
        const path = `/channels/${message.channel_id}/messages/${message.id}`
        if (what === 'delete') return this.#call(who, 'DELETE', path)
        if (what === 'react') return this.#call(who, 'PUT', `${path}/reactions/${encodeURIComponent('👍')}`)
        return this.#call(who, 'PATCH', path, { content: `edited ${++this.#number}` })
      }
      case 'leave': {
        const path = `/servers/${this.#server}/members/me`
        // The owner cannot leave.
        if (person % this.#people.length === 0) return 'stays'
        const status = await this.#call(who, 'DELETE', path)
        this.#world.timeline.after(5000 + (value % 30_000), () => void this.#call(who, 'PUT', path))
        return status
      }
      case 'act':
        return 'no person'
    }
  }

  async #click(who: { id: string; token: string }, button: SeenButton, person: number): Promise<string> {
    const { channel_id, message_id, custom_id } = button
    const atMs = this.#world.nowMs
    const path = `/channels/${channel_id}/messages/${message_id}/clicks`
    const answer = await this.#answer(who, 'POST', path, { custom_id })
    if (answer.status >= 300) return `${answer.status}`
    const { interaction_id } = (await answer.json()) as { interaction_id: string }
    if (!this.clicks.has(interaction_id))
      this.clicks.set(interaction_id, { id: interaction_id, custom_id, message_id, person, atMs })
    return custom_id
  }

  async #call(who: { token: string }, method: string, path: string, body?: object): Promise<string> {
    const answer = await this.#answer(who, method, path, body)
    const text = await answer.text()
    return answer.status < 300 ? String(answer.status) : `${answer.status} ${text}`
  }

  /** The owner bans a person for a while, who joins again afterwards. */
  ban(person: number, forMs: number): void {
    const who = this.#people[person]!
    const path = `/servers/${this.#server}`
    const note = ({ status }: Response) => this.#world.note(`ban of ${person}: ${status}`)
    void this.asOwner('POST', `${path}/bans`, { user_id: who.id }).then(note)
    const end = async () => {
      note(await this.asOwner('DELETE', `${path}/bans/${who.id}`))
      note(await this.#answer(who, 'PUT', `${path}/members/me`))
    }
    this.#world.timeline.after(forMs, () => void end())
  }

  /** The owner takes the role of a person away for a while. */
  loseRole(person: number, forMs: number): void {
    const who = this.#people[person]!
    const set = (has: boolean) => {
      const path = `/servers/${this.#server}/members/${who.id}/roles/${this.#role}`
      this.staff.push({ person_id: who.id, atMs: this.#world.nowMs, has })
      void this.asOwner(has ? 'PUT' : 'DELETE', path).then(({ status }) =>
        this.#world.note(`role of ${person}: ${has} ${status}`),
      )
    }
    set(false)
    this.#world.timeline.after(forMs, () => set(true))
  }

  /** Changes of the server that its owner makes. */
  asOwner(method: string, path: string, body?: object): Promise<Response> {
    return this.#answer(this.#people[0]!, method, path, body)
  }

  #answer({ token }: { token: string }, method: string, path: string, body?: object): Promise<Response> {
    const headers = { host: '127.0.0.1:7420', authorization: `Person ${token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const request = new Request(`${this.#service.url}/people/v1${path}`, init)
    return this.#service.answer(request, new AbortController().signal)
  }
}
