import { expect, test } from 'vitest'
import { createLog, readLogLevel } from './log.ts'

test('no secret leaves through the log, whatever it stands in', () => {
  const lines: string[] = []
  const log = createLog({ secrets: ['token-of-mine', 'webhook-secret'], write: (line) => void lines.push(line) })
  log.info({ header: 'Bot another-token-123', nested: { deep: 'token-of-mine' } }, 'sent webhook-secret')
  log.error({ error: new Error('POST /v1/interactions/abc/click-token/callback failed with token-of-mine') }, 'failed')
  log.warn({ url: 'http://h/webhooks/1/hook-token?wait=true', token: 'short' }, 'posted')
  const address = encodeURIComponent('http://h/webhooks/1/other-hook?wait=true')
  log.warn({ next: `https://x/?to=${address}`, again: encodeURIComponent(address) }, 'posted')
  expect(lines).toHaveLength(4)
  expect(lines.join('')).not.toMatch(
    /token-of-mine|another-token|webhook-secret|click-token|hook-token|other-hook|short/,
  )
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['info', 'error', 'warn', 'warn'])
})

test('a level that does not exist is refused with those that do', () => {
  expect(readLogLevel(undefined)).toBe('info')
  expect(() => readLogLevel('loud')).toThrow('LOG_LEVEL is "loud"; it must be one of trace, debug')
})
