import { VirtualClock } from '@botwright/clock'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  answer,
  badService,
  cutOff,
  drip,
  drive,
  hangUp,
  html,
  id,
  type Behaviour,
} from './bad-service.test.fixture.ts'
import type { RestReport } from './call-types.ts'
import { createCall } from './calls/http-call.ts'
import { createChannelWebhook } from './channel-webhook.ts'
import { ServiceError } from './errors.ts'

const BOT = 'canary-bot-token-7f3a'
const CLICK = 'canary/click token-90ce'
const HOOK = 'canary-webhook-token-51bd'

/** Returns every secret that it received, in each form in which it may come back. */
const tellTale =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response, seen) => {
    const said = `${seen.path} ${decodeURIComponent(seen.path)} ${seen.headers.authorization ?? ''} ${BOT} ${CLICK} ${HOOK}`
    answer(status, { error: said, message: said, code: 50035 }, headers)(response, seen)
  }

const kinds: [string, Behaviour][] = [
  ...[400, 401, 403, 404, 405, 413, 429, 500, 503, 302].map((status): [string, Behaviour] => [
    `${status}`,
    tellTale(status),
  ]),
  ['429 with Retry-After', tellTale(429, { 'retry-after': '1' })],
  ['200 with the secrets in a broken JSON', answer(200, `{"${BOT} ${CLICK} ${HOOK}`)],
  ['HTML', html(200)],
  ['a cut-off body', cutOff],
  ['a closed connection', hangUp],
  ['a body that drips', drip],
  ['a body that is too large', answer(200, { blob: `${BOT} ${CLICK} ${HOOK}`.repeat(500) })],
]

/** Every way in which a log could print an error and its causes. */
function everything(error: unknown): string {
  const texts: string[] = []
  for (let one = error; one instanceof Error; one = one.cause) {
    texts.push(one.message, String(one.stack), String(one), JSON.stringify(one), JSON.stringify({ ...one }))
    texts.push(JSON.stringify(one, Object.getOwnPropertyNames(one)))
  }
  texts.push(inspect(error, { depth: Infinity, showHidden: true, maxStringLength: null }))
  return texts.join('\n')
}

const canaries = (own: string) => [own, encodeURIComponent(own)]

function expectSilent(shown: string, secrets: string[]) {
  for (const secret of secrets) expect(shown).not.toContain(secret)
}

describe('errors and reports contain no secrets', () => {
  const calls: [string, (call: ReturnType<typeof createCall>, signal?: AbortSignal) => Promise<unknown>, string[]][] = [
    ['me.get', (call) => call('me.get', {}), [BOT]],
    ['messages.create', (call) => call('messages.create', { channel_id: id(9), content: 'hi' }), [BOT]],
    [
      'interactions.callback',
      (call) => call('interactions.callback', { interaction_id: id(5), token: CLICK, type: 'ack' }),
      [BOT, ...canaries(CLICK)],
    ],
  ]
  describe.each(kinds)('%s', (_, behaviour) => {
    test.each(calls)('%s', async (_name, run, secrets) => {
      const clock = new VirtualClock()
      await using service = await badService([behaviour], clock)
      const reports: RestReport[] = []
      const call = createCall({
        baseUrl: service.baseUrl,
        token: BOT,
        clock,
        timeoutMs: 20_000,
        maxAnswerBytes: 10_000,
        onReport: (report) => reports.push(report),
      })
      const error = await drive(clock, run(call))
      expect(error).toBeInstanceOf(ServiceError)
      expectSilent(everything(error) + inspect(reports, { depth: Infinity }), secrets)
      await call[Symbol.asyncDispose]()
    })

    test('channel webhook', async () => {
      const clock = new VirtualClock()
      await using service = await badService([behaviour], clock)
      const url = `${service.origin}/v1/channel-webhooks/${id(4)}/${HOOK}`
      await using webhook = createChannelWebhook(url, { clock, timeoutMs: 20_000, maxAnswerBytes: 10_000 })
      for (const error of [
        await drive(clock, webhook.get()),
        await drive(clock, webhook.executeAndWait({ content: 'hi' })),
      ]) {
        expect(error).toBeInstanceOf(ServiceError)
        expectSilent(everything(error), [HOOK, url])
      }
    })
  })

  test('without a service, with secrets as the abort reason, and with invalid input', async () => {
    const gone = await badService([answer(200)])
    await gone[Symbol.asyncDispose]()
    const clock = new VirtualClock()
    const call = createCall({ baseUrl: gone.baseUrl, token: BOT, clock, timeoutMs: 1e9 })
    const webhook = createChannelWebhook(`${gone.origin}/hooks/${HOOK}`, { clock, timeoutMs: 1e9 })
    const errors = [
      await drive(clock, webhook.get()),
      await drive(clock, webhook.execute({ content: '' })),
      ...(await Promise.all(calls.map(([, run]) => drive(clock, run(call))))),
    ]
    const controller = new AbortController()
    const callback = call('interactions.callback', { interaction_id: id(5), token: CLICK, type: 'ack' }, controller)
    controller.abort({ deep: { deeper: [`${BOT} ${CLICK}`] } })
    errors.push(await drive(clock, callback))
    errors.push(await drive(clock, call('interactions.callback', { interaction_id: 'x', token: CLICK, type: 'ack' })))
    expect(errors.every((error) => error instanceof Error)).toBe(true)
    for (const error of errors) expectSilent(everything(error), [BOT, HOOK, ...canaries(CLICK)])
    expect(() => createChannelWebhook(`not a url ${HOOK}`)).toThrow(/^the channel webhook URL is not/)
    await call[Symbol.asyncDispose]()
  })
})
