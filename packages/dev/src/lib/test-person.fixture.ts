import { connectPeople, type PeopleClient, peopleStream } from '@botwright/service/people'
import { createParser } from 'eventsource-parser'

/** A person who types into #general of the default world, over real HTTP. */
export interface Person {
  /** The people's API. */
  api: PeopleClient
  /** Posts a text, and waits for the bot's next message. Rejects if none arrives. */
  answerTo(content: string): Promise<string>
  /** Posts a text until the bot answers so, and less often the longer that takes: a bot has a limit of 30 messages a minute. */
  comesToAnswer(content: string, expected: string): Promise<void>
  /** The texts of #general, oldest first. */
  sees(): Promise<string[]>
  /** Receives events of one type until the signal. Returns those received so far. */
  follow(type: string, signal: AbortSignal): Promise<() => readonly unknown[]>
}

/** As for `expect.poll`, which hooks cannot use. */
const LONGEST_MS = 60_000

/** Signs in at the local service, whose address has no trailing slash. */
export async function startPerson(url: string, username: string): Promise<Person> {
  const session = await connectPeople(() => ({ origin: url })).sessions.create({ username })
  const api = connectPeople(() => ({ origin: url, token: session.token }))
  const { servers } = await api.me.get()
  const { channels } = await api.servers.get({ server_id: servers[0]!.id })
  const channel_id = channels.find(({ name }) => name === 'general')!.id
  const person: Person = {
    api,
    async sees() {
      return (await api.messages.list({ channel_id, limit: 50 })).messages.map(({ content }) => content)
    },
    async follow(type, signal) {
      const { body } = await fetch(`${url}${peopleStream}?token=${session.token}`, { signal })
      const received: unknown[] = []
      const parser = createParser({ onEvent: ({ event, data }) => event === type && received.push(JSON.parse(data)) })
      const read = async () => {
        for await (const text of body!.pipeThrough(new TextDecoderStream())) parser.feed(text)
      }
      void read().catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      return () => received
    },
    async answerTo(content) {
      const { id } = await api.messages.create({ channel_id, content })
      const start = Date.now()
      for (let waitedMs = 0; waitedMs < LONGEST_MS; waitedMs = Date.now() - start) {
        const { messages } = await api.messages.list({ channel_id, limit: 20 })
        const at = messages.findIndex((message) => message.id === id)
        const answer = messages.slice(at + 1).find((message) => message.author_id !== session.person.id)
        if (at >= 0 && answer) return answer.content
        await new Promise((resolve) => setTimeout(resolve, Math.min(15 + waitedMs / 10, 100)))
      }
      throw new Error(`nothing answered ${content}`)
    },
    async comesToAnswer(content, expected) {
      const start = Date.now()
      for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, 3000)) {
        const answer = await person.answerTo(content)
        if (answer === expected) return
        if (Date.now() - start > LONGEST_MS) throw new Error(`the answer to ${content} is still ${answer}`)
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    },
  }
  return person
}
