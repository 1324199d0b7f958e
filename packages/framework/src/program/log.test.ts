import { expect, test } from 'vitest'
import { createLog, readLogLevel } from './log.ts'

test('removes secrets from all parts of a log line', () => {
  const lines: string[] = []
  const log = createLog({ secrets: ['token-of-mine', 'webhook-secret'], write: (line) => void lines.push(line) })
  log.info({ header: 'Bot another-token-123', nested: { deep: 'token-of-mine' } }, 'sent webhook-secret')
  log.error({ error: new Error('POST /v1/interactions/abc/click-token/callback failed with token-of-mine') }, 'failed')
  log.warn({ url: 'http://h/webhooks/1/hook-token?wait=true', token: 'short' }, 'posted')
  const address = encodeURIComponent('http://h/webhooks/1/other-hook?wait=true')
  log.warn({ next: `https://x/?to=${address}`, again: encodeURIComponent(address) }, 'posted')
  log.info({ webhook_url: 'https://bot.example/hook-of-mine' }, 'set')
  expect(lines).toHaveLength(5)
  expect(lines.join('')).not.toMatch(
    /token-of-mine|another-token|webhook-secret|click-token|hook-token|other-hook|short|hook-of-mine/,
  )
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual([
    ...['info', 'error', 'warn', 'warn', 'info'],
  ])
})

test('logs an error in any fact with its type, message and stack, and those of its cause', () => {
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line) })
  const failure = Object.assign(new TypeError('gone', { cause: new RangeError('disk full') }), { code: 'E_GONE' })
  log.warn({ err: failure, error: failure, cause: failure, reason: failure, place: 1 }, 'not saved')
  const { err, error, cause, reason, place } = JSON.parse(lines[0]!) as Record<string, Record<string, string>>
  expect(err).toEqual({
    type: 'TypeError',
    message: 'gone: disk full',
    stack: expect.stringMatching(/^TypeError: gone\n +at [^]*\ncaused by: RangeError: disk full\n +at /) as string,
    code: 'E_GONE',
  })
  expect([error, cause, reason, place]).toEqual([err, err, err, 1])
})

test('rejects an unknown level and lists the valid ones', () => {
  expect(readLogLevel(undefined)).toBe('info')
  expect(() => readLogLevel('loud')).toThrow('LOG_LEVEL is "loud"; it must be one of trace, debug')
})
