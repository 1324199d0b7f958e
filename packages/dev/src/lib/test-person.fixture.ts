/** A person who types into #general of the default world, over real HTTP. */
export interface Person {
  /** Posts a text, and waits for the bot's next message. Rejects if none arrives. */
  answerTo(content: string): Promise<string>
  /** The texts of #general, oldest first. */
  sees(): Promise<string[]>
  /** Makes a call of the people's API. */
  call<T>(method: string, path: string, body?: object): Promise<T>
}

interface Message {
  id: string
  content: string
  author_id: string
}

/** Signs in at the local service, whose address has no trailing slash. */
export async function startPerson(url: string, username: string): Promise<Person> {
  let token = ''
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}/people/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Person ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  const session = await call<{ token: string; person: { id: string } }>('POST', '/sessions', { username })
  token = session.token
  const { servers } = await call<{ servers: { id: string }[] }>('GET', '/me')
  const { channels } = await call<{ channels: { id: string; name: string }[] }>('GET', `/servers/${servers[0]!.id}`)
  const channel = channels.find(({ name }) => name === 'general')!.id
  return {
    call,
    async sees() {
      const path = `/channels/${channel}/messages?limit=50`
      return (await call<{ messages: Message[] }>('GET', path)).messages.map(({ content }) => content)
    },
    async answerTo(content) {
      const posted = await call<{ id: string } & { message?: { id: string } }>(
        'POST',
        `/channels/${channel}/messages`,
        { content },
      )
      const id = posted.message?.id ?? posted.id
      for (const end = Date.now() + 5000; Date.now() < end;) {
        const { messages } = await call<{ messages: Message[] }>('GET', `/channels/${channel}/messages?limit=20`)
        const at = messages.findIndex((message) => message.id === id)
        const answer = messages.slice(at + 1).find((message) => message.author_id !== session.person.id)
        if (at >= 0 && answer) return answer.content
        await new Promise((resolve) => setTimeout(resolve, 15))
      }
      throw new Error(`nothing answered ${content}`)
    },
  }
}
