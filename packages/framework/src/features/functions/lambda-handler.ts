import { BotwrightError } from '@botwright/protocol/facts'
import type { FunctionBot, FunctionEnv } from './bundled-bot.ts'

/** The part of a request to a function URL, or to an HTTP API, that a bot reads (payload format 2.0). */
export interface LambdaRequest {
  rawPath: string
  rawQueryString?: string
  headers?: Readonly<Record<string, string>>
  cookies?: readonly string[]
  body?: string
  isBase64Encoded?: boolean
  requestContext: { http: { method: string } }
}

/** The response of `lambdaHandler`. */
export interface LambdaResponse {
  statusCode: number
  /** Without the cookies. */
  headers: Record<string, string>
  cookies: string[]
  body: string
  isBase64Encoded: true
}

const isRequest = (event: unknown): event is LambdaRequest =>
  typeof event === 'object' && event !== null && 'requestContext' in event

const isReadable = ({ rawPath, requestContext }: Partial<LambdaRequest>): boolean =>
  typeof rawPath === 'string' && requestContext?.http !== undefined

/**
 * Serves a bot with AWS Lambda: `export const handler = lambdaHandler(bot)`. All events but requests, such as those of a schedule, are
 * scheduled runs. Rejects with `ERR_CONFIG` for requests in another format.
 */
export const lambdaHandler =
  (bot: FunctionBot, env: FunctionEnv = process.env) =>
  async (event: unknown): Promise<LambdaResponse | undefined> => {
    if (!isRequest(event)) {
      await bot.scheduled(event, env)
      return undefined
    }
    if (!isReadable(event))
      throw new BotwrightError(
        'ERR_CONFIG',
        'the request has not the payload format 2.0: use a function URL, or an HTTP API with that format',
      )
    // Lambda stops the process with the response, so that the bot must wait for its work.
    const response = await bot.fetch(webRequest(event), env)
    const cookies = response.headers.getSetCookie()
    response.headers.delete('set-cookie')
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      cookies,
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
      isBase64Encoded: true,
    }
  }

function webRequest(given: LambdaRequest): Request {
  const { rawPath, rawQueryString, headers = {}, cookies, body, isBase64Encoded, requestContext } = given
  const { method } = requestContext.http
  const query = rawQueryString ? `?${rawQueryString}` : ''
  // A GET has no body in the web.
  const sent = method === 'GET' || method === 'HEAD' ? undefined : body
  return new Request(`https://${headers['host'] ?? 'localhost'}${rawPath}${query}`, {
    method,
    headers: { ...headers, ...(cookies && { cookie: cookies.join('; ') }) },
    ...(sent !== undefined && { body: Buffer.from(sent, isBase64Encoded ? 'base64' : 'utf8') }),
  })
}
