const origin = process.argv[2] ?? 'http://127.0.0.1:7420'
const headers = { 'content-type': 'application/json' }

async function call(method, path, body) {
  const response = await fetch(`${origin}/people/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`)
  return answer
}

// Sign in. A new name creates a new person.
const { token } = await call('POST', '/sessions', { username: 'ann' })
headers.authorization = `Person ${token}`

const { servers } = await call('GET', '/me')
const { channels } = await call('GET', `/servers/${servers[0].id}`)
const channel = channels.find(({ name }) => name === 'general')

// Listen before posting, so that no answer is missed.
const stream = await fetch(`${origin}/people/v1/stream`, { headers, signal: AbortSignal.timeout(30_000) })
const events = read(stream.body)
await events.next()

const said = await call('POST', `/channels/${channel.id}/messages`, { content: '/vote' })
const question = await next('message_create', ({ message }) => message.reply_to_id === said.id)
console.log(question.message.content)

const [button] = question.message.components[0].components
const path = `/channels/${channel.id}/messages/${question.message.id}/clicks`
await call('POST', path, { custom_id: button.custom_id })
const update = await next('message_update', ({ message }) => message.id === question.message.id)
console.log(update.message.content)
await events.return()

/** Waits for an event of the stream. */
async function next(name, matches) {
  for (;;) {
    const { value, done } = await events.next()
    if (done) throw new Error('the stream ended')
    if (value.event === name && matches(value.data)) return value.data
  }
}

/** Server-sent events: blocks of `field: value` lines that end with a blank line. A comment becomes a block without an event. */
async function* read(body) {
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part
    const blocks = text.split('\n\n')
    text = blocks.pop()
    for (const block of blocks) {
      const field = (name) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      yield { event: field('event'), data: JSON.parse(field('data') ?? 'null') }
    }
  }
}
