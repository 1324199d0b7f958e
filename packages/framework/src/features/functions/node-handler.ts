import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { printableBlock } from '@botwright/protocol/facts'
import type { FunctionBot, FunctionEnv } from './bundled-bot.ts'

/** Passes the requests of a server of Node to a bot. */
export interface NodeHandler {
  (req: IncomingMessage, res: ServerResponse): void
  /** Resolves once the work of all requests has ended. Wait for it before the process exits. */
  idle(): Promise<void>
}

/** Serves a bot with Node: `createServer(nodeHandler(bot))`. Work continues after the response, because the process does. */
export function nodeHandler(bot: FunctionBot, env: FunctionEnv = process.env): NodeHandler {
  const running = new Set<Promise<unknown>>()
  const waitUntil = (work: Promise<unknown>): void => {
    const over = () => running.delete(work)
    running.add(work)
    work.then(over, over)
  }
  const handler = (req: IncomingMessage, res: ServerResponse): void => {
    const request = requestOf(req)
    if (!request) return void res.writeHead(400, { connection: 'close' }).end()
    const answering = answer(request, req, res)
    answering.catch((error: unknown) => {
      // The bot is not at fault if the sender goes away.
      if (req.complete || !req.destroyed)
        console.error(printableBlock(error instanceof Error ? (error.stack ?? error.message) : String(error)))
      res.destroy()
    })
    waitUntil(answering)
  }
  async function answer(request: Request, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const response = await bot.fetch(request, env, { waitUntil })
    const body = Buffer.from(await response.arrayBuffer())
    const cookies = response.headers.getSetCookie()
    res.writeHead(response.status, {
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
      // The rest of a body that was not read is not worth reading.
      ...(!req.complete && { connection: 'close' }),
    })
    res.end(body)
  }
  const idle = async (): Promise<void> => {
    while (running.size > 0) await Promise.allSettled(running)
  }
  return Object.assign(handler, { idle })
}

/** Undefined for a request that only Node knows: with an invalid host, or the method TRACE. Anyone can send it. */
function requestOf(req: IncomingMessage): Request | undefined {
  const { method = 'GET', url = '/', headers } = req
  const hasBody = method !== 'GET' && method !== 'HEAD'
  try {
    return new Request(`http://${headers.host ?? 'localhost'}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(hasBody && { body: Readable.toWeb(req) as ReadableStream<Uint8Array>, duplex: 'half' }),
    })
  } catch {
    return undefined
  }
}
