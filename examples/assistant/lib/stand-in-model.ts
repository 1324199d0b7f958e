// This is not a language model. It is a small HTTP server that takes the place of one in this example and its tests: it recognizes a few words,
// streams fixed sentences word by word, and requests tool calls. The protocol is its own: a line of JSON for each part.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelMessage, ModelPart, ModelRequest } from './model-types.ts'

const MAX_BODY = 1_000_000
const WORD_MS = 5

/** Starts the stand-in on a free port of this computer. */
export async function startStandIn(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    void (async () => {
      const { messages } = JSON.parse(await bodyOf(request)) as ModelRequest
      for (const part of reply(messages)) {
        if (response.destroyed) return
        response.write(`${JSON.stringify(part)}\n`)
        await sleep(WORD_MS)
      }
      response.end()
    })().catch(() => response.writeHead(400).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk as string
    if (body.length > MAX_BODY) throw new Error('too long')
  }
  return body
}

/** The parts of its reply to a conversation. */
function* reply(messages: readonly ModelMessage[]): Generator<ModelPart> {
  const questions = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content.replace(/^.*?\/ask /, ''))
  const question = questions.at(-1)?.toLowerCase() ?? ''
  const results = messages.filter(({ role }) => role === 'tool')
  if (results.length > 0) {
    const { ok, text } = JSON.parse(results.at(-1)!.content) as { ok: boolean; text: string }
    yield* words(ok ? `Done: ${text}` : `That did not work: ${text}`)
    return
  }
  const [, count] = /roll (\S+)/.exec(question) ?? []
  if (count !== undefined) {
    yield* words('I will roll for you. ')
    yield call('roll', { count: Number.isNaN(Number(count)) ? count : Number(count) })
  } else if (question.startsWith('announce ')) yield call('announce', { words: question.slice('announce '.length) })
  else if (question.startsWith('note ')) yield call('note_add', { note: question.slice('note '.length) })
  else if (question.includes('story')) for (let i = 1; i <= 200; i++) yield* words(`Sentence ${i} of a long story. `)
  else if (question.startsWith('repeat')) yield* words(`You asked: ${questions.at(-2) ?? 'nothing yet'}`)
  else yield* words('I can roll dice, and keep notes. Ask me for a story, too.')
}

const call = (name: string, input: object): ModelPart => ({
  type: 'tool_call',
  name,
  arguments: JSON.stringify(input),
})

function* words(text: string): Generator<ModelPart> {
  for (const word of text.split(/(?<= )/)) yield { type: 'text', text: word }
}
