import type { FunctionBot, FunctionEnv } from './bundled-bot.ts'

/** The part of a request to a function URL, or to an HTTP API, that a bot reads (payload format 2.0). */
export interface LambdaRequest {
  rawPath: string
  rawQueryString?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  isBase64Encoded?: boolean
  requestContext: { http: { method: string } }
}

/** The response of `lambdaHandler`. */
export interface LambdaResponse {
  statusCode: number
  headers: Record<string, string>
  body: string
  isBase64Encoded: true
}

const isRequest = (event: unknown): event is LambdaRequest =>
  typeof event === 'object' && event !== null && 'requestContext' in event && 'rawPath' in event

/** Serves a bot with AWS Lambda: `export const handler = lambdaHandler(bot)`. All other events, such as those of a schedule, are scheduled runs. */
export const lambdaHandler =
  (bot: FunctionBot, env: FunctionEnv = process.env) =>
  async (event: unknown): Promise<LambdaResponse | undefined> => {
    if (!isRequest(event)) {
      await bot.scheduled(event, env)
      return undefined
    }
    const { rawPath, rawQueryString = '', headers = {}, body, isBase64Encoded, requestContext } = event
    const query = rawQueryString === '' ? '' : `?${rawQueryString}`
    const request = new Request(`https://${headers['host'] ?? 'localhost'}${rawPath}${query}`, {
      method: requestContext.http.method,
      headers: { ...headers },
      ...(body !== undefined && { body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }),
    })
    // Lambda stops the process with the response, so that the bot must wait for its work.
    const response = await bot.fetch(request, env)
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
      isBase64Encoded: true,
    }
  }
